import Foundation
import TestSupport
import Testing
import Yams

@testable import MQTTPublishing

/// Checks that the blueprint in `deploy/homeassistant` is valid and fits the gateway's entity.
@Suite struct HomeAssistantBlueprintTests {
    private func document() throws -> Node.Mapping {
        let url = Fixtures.url("deploy/homeassistant/chase_notification.yaml")
        let node = try #require(try Yams.compose(yaml: String(contentsOf: url, encoding: .utf8)))
        return try #require(node.mapping)
    }

    /// All `!input` names below `node`.
    private func inputs(_ node: Node) -> [String] {
        if node.tag.description == "!input" { return [node.scalar?.string ?? ""] }
        let below = node.mapping.map { $0.map(\.value) } ?? node.sequence.map { Array($0) } ?? []
        return below.flatMap(inputs)
    }

    @Test func isABlueprintOfAnAutomation() throws {
        let document = try document()
        #expect(
            Set(document.keys.compactMap(\.string)) == [
                "blueprint", "mode", "max", "variables", "triggers", "conditions", "actions",
            ])
        let blueprint = try #require(document["blueprint"]?.mapping)
        #expect(blueprint["domain"]?.string == "automation")
        #expect(blueprint["name"]?.string?.isEmpty == false)
    }

    /// The declared inputs are the used ones.
    @Test func everyInputIsUsed() throws {
        let document = try document()
        let asked = try #require(document["blueprint"]?.mapping?["input"]?.mapping).keys.compactMap(\.string)
        let used = document.filter { $0.key.string != "blueprint" }.flatMap { inputs($0.value) }
        #expect(!asked.isEmpty && Set(used) == Set(asked))
    }

    /// By default burst, landing point and landing; no event that the entity does not have.
    @Test func theEventsAreTheEntitys() throws {
        let input = try #require(try document()["blueprint"]?.mapping?["input"]?.mapping?["events"]?.mapping)
        let preset = try #require(input["default"]?.sequence).compactMap(\.string)
        #expect(preset == ["burst", "landing_moved", "landed"])
        let options = try #require(input["selector"]?["select"]?["options"]?.sequence).compactMap {
            $0["value"]?.string
        }
        #expect(Set(options) == Set(HomeAssistantEvents.names))
        let message = try #require(try document()["actions"]?.sequence?.first?["message"]?.string)
        #expect(message == "{{ trigger.to_state.attributes.text }}")
    }
}
