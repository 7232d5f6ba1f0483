import Foundation
import TestSupport
import Testing

/// What holds for the schema of each topic, so that any language and any dashboard can read the messages.
@Suite struct SchemaRulesTests {
    /// Each message is an object, and no key begins with a digit: Jinja, jq and InfluxQL could not name it.
    @Test func eachMessageIsAnObjectWithPlainKeys() throws {
        let folder = Fixtures.url("Fixtures/schemas")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        #expect(names.count > 20)
        for name in names {
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let isObject = schema["type"] as? String == "object" || schema["oneOf"] != nil || schema["anyOf"] != nil
            #expect(isObject, "\(name) is no object")
            // Home Assistant's own keys are its own.
            guard !name.hasPrefix("homeassistant") else { continue }
            for key in keys(of: schema) { #expect(key.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil, "\(name): \(key)") }
        }
    }

    private func keys(of schema: Any?) -> [String] {
        if let list = schema as? [Any] { return list.flatMap { keys(of: $0) } }
        guard let schema = schema as? [String: Any] else { return [] }
        let members = schema["properties"] as? [String: Any] ?? [:]
        let parts = ["items", "anyOf", "oneOf", "allOf", "then", "else"].flatMap { keys(of: schema[$0]) }
        return Array(members.keys) + members.values.flatMap { keys(of: $0) } + parts
    }
}
