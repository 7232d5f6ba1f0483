import Foundation
import TestSupport
import Testing

/// The table of parts in `deploy/doc/design.md` is the order in which `settle` lets them follow the facts.
@Suite struct PartsTableTests {
    @Test func theTableNamesEachPartInItsOrder() throws {
        let machine = try Fixtures.text("Sources/Gateway/Machine/GatewayMachine.swift")
        let groups = try Fixtures.text("Sources/Gateway/Machine/GatewayMachine+Parts.swift")
        let settle = try #require(machine.range(of: "func settle"))
        let end = try #require(machine[settle.upperBound...].range(of: "\n    }\n"))
        let followers = machine[settle.upperBound..<end.lowerBound].matches(of: /(\w+)\.follow\(/).map { String($0.1) }
        let types: [String: String] = (machine + groups).matches(of: /var (\w+)(?:: | = )([A-Z]\w*)/)
            .reduce(into: [:]) { types, match in types[String(match.1)] = String(match.2) }
        let parts = followers.map { types[$0] ?? $0 }

        let design = try Fixtures.text("deploy/doc/design.md")
        let table = try #require(design.components(separatedBy: "The parts follow in this order:").last)
        let rows = try #require(table.components(separatedBy: "\n\n").dropFirst().first)
        let named = rows.matches(of: /(?m)^\| `(\w+)`/).map { String($0.1) }
        #expect(parts.count > 10 && named == parts)
    }
}
