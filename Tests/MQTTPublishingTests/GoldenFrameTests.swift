import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayReports

/// Golden pairs: a file of raw bytes, and beside it the messages that the gateway publishes for them.
///
/// To make the expectation of a new `.raw` file, run `SONDYGO_UPDATE_GOLDEN=1 Tests/one.sh GoldenFrameTests`.
/// Read it before you commit it. Its first line names the origin of the bytes.
@Suite struct GoldenFrameTests {
    @Test(arguments: Fixtures.frameNames)
    func golden(_ name: String) throws {
        let file = "Fixtures/frames/\(name).expected"
        let origin = try Fixtures.text(file).prefix { $0 != "\n" }
        #expect(["# captured: ", "# documented: ", "# synthetic: "].contains { origin.hasPrefix($0) })
        let actual = ([String(origin)] + published(try Fixtures.raw(name))).joined(separator: "\n") + "\n"
        #expect(try Fixtures.holds(actual, at: file), "\(actual)")
    }

    @Test func everyMessageFitsItsSchema() throws {
        var messages: [(topic: String, payload: String)] = []
        for name in Fixtures.frameNames {
            for line in published(try Fixtures.raw(name)) where !line.hasPrefix("rejected ") {
                let space = try #require(line.firstIndex(of: " "))
                messages.append((String(line[..<space]), String(line[line.index(after: space)...])))
            }
        }
        #expect(messages.count > 100)
        let violations = try Schemas.violations(messages)
        #expect(violations == [])
    }

    private func published(_ raw: [UInt8]) -> [String] {
        var script = Script(topics: "golden")
        script.brokerConnected()
        script.openLink()
        var events: [GatewayEvent] = []
        var deframer = Deframer()
        let take = { (run: Deframer.Run, _: Span<UInt8>) in
            switch run {
            case .frame(let frame): events.append(.frame(frame))
            case .rejected(let reason): events.append(.frameRejected(reason))
            }
        }
        deframer.append(raw.span, at: .zero, take)
        deframer.reset(take)
        var lines: [String] = []
        for event in events {
            script.advance(1)
            for message in script.run(event).published {
                let topic = String(message.topic.dropFirst("sondygo/golden/".count))
                guard ["position", "radio", "settings", "tracker"].contains(topic) else { continue }
                lines.append("\(topic) \(String(decoding: message.payload, as: UTF8.self))")
            }
        }
        let rejects = (script.health()?.rejects ?? [:]).sorted { $0.key < $1.key }
        return lines + rejects.map { "rejected \($0.key) \($0.value)" }
    }
}
