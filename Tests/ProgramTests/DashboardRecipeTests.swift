import Foundation
import TestSupport
import Testing
import Yams

/// The recipes in `deploy/dashboards` name only topics and keys that the schemas have.
@Suite struct DashboardRecipeTests {
    private static let folder = "deploy/dashboards/"

    /// The keys of a topic's message. Those of its inner objects are joined with `_`, as Telegraf does.
    private func keys(of topic: String) throws -> Set<String> {
        let text = try Fixtures.text("Fixtures/schemas/\(topic).schema.json")
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        return flat(schema, prefix: "")
    }

    private func flat(_ schema: [String: Any], prefix: String) -> Set<String> {
        var keys: Set<String> = []
        for (name, value) in schema["properties"] as? [String: Any] ?? [:] {
            keys.insert(prefix + name)
            keys.formUnion(flat(value as? [String: Any] ?? [:], prefix: prefix + name + "_"))
        }
        for kind in ["anyOf", "oneOf", "allOf"] {
            for part in schema[kind] as? [[String: Any]] ?? [] { keys.formUnion(flat(part, prefix: prefix)) }
        }
        return keys
    }

    @Test func grafana() throws {
        let text = try Fixtures.text(Self.folder + "grafana.json")
        let board = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let panels = try #require(board["panels"] as? [[String: Any]])
        var count = 0
        for target in panels.flatMap({ $0["targets"] as? [[String: Any]] ?? [] }) {
            let query = try #require(target["query"] as? String)
            let measurement = try #require(query.firstMatch(of: /FROM "(\w+)"/)).1
            let known = try keys(of: String(measurement))
            for name in query.matches(of: /"(\w+)"/).map({ String($0.1) }) where name != measurement {
                count += 1
                #expect(known.contains(name), "\(measurement): \(name)")
            }
        }
        #expect(count > 20)
    }

    @Test func telegraf() throws {
        let text = try Fixtures.text(Self.folder + "telegraf.conf")
        for part in text.components(separatedBy: "[[inputs.mqtt_consumer]]").dropFirst() {
            let topics = part.matches(of: /"sondygo\/\+\/(?:history\/)?(\w+)"/).map { String($0.1) }
            #expect(!topics.isEmpty)
            let known = try topics.map { try keys(of: $0) }
            // Without its time Telegraf drops a message.
            if part.contains("json_time_key") { #expect(known.allSatisfy { $0.contains("time") }) }
            for line in part.matches(of: /(?:tag_keys|json_string_fields) = \[([^\]]*)\]/) {
                for name in line.1.matches(of: /"(\w+)"/).map({ String($0.1) }) {
                    #expect(known.contains { $0.contains(name) }, "\(topics): \(name)")
                }
            }
        }
    }

    @Test func prometheus() throws {
        let text = try Fixtures.text(Self.folder + "prometheus-rules.yml")
        #expect(try Yams.load(yaml: text) is [String: Any])
        let names = text.matches(of: /\b(position|radio|chase|landing|flight)_(\w+)/)
        #expect(names.count >= 5)
        for name in names { #expect(try keys(of: String(name.1)).contains(String(name.2)), "\(name.0)") }
    }

    /// Each wire ends at a node, and each property of a payload is a key of its topic.
    @Test func nodeRED() throws {
        let text = try Fixtures.text(Self.folder + "node-red.json")
        let nodes = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        let types = ["tab", "mqtt-broker", "mqtt in", "mqtt out", "switch", "change", "debug", "inject"]
        let ids = Dictionary(uniqueKeysWithValues: nodes.map { ($0["id"] as? String ?? "", $0) })
        for node in nodes {
            #expect(types.contains(node["type"] as? String ?? ""))
            for wire in (node["wires"] as? [[String]] ?? []).joined() { #expect(ids[wire] != nil, "\(wire)") }
            guard node["type"] as? String == "mqtt in", let topic = node["topic"] as? String else { continue }
            let name = topic.split(separator: "/").dropFirst(2).joined(separator: "_")
            let known = try keys(of: name)
            for wire in (node["wires"] as? [[String]] ?? []).joined() {
                guard let property = ids[wire]?["property"] as? String, property.hasPrefix("payload.") else { continue }
                #expect(known.contains(String(property.dropFirst("payload.".count))), "\(topic): \(property)")
            }
        }
    }
}
