import TestSupport
import Testing
import Yams

@testable import Gateway
@testable import MQTTPublishing

/// The card in `deploy/homeassistant` shows entities of the gateway `car1`.
@Suite struct HomeAssistantCardTests {
    /// All values of `entity` below `node`.
    private func entities(_ node: Node) -> [String] {
        if let mapping = node.mapping {
            return mapping.flatMap { key, value in
                key.string == "entity" ? [value.string ?? ""] : entities(value)
            }
        }
        return node.sequence.map { $0.flatMap(entities) } ?? []
    }

    @Test func theCardShowsEntitiesThatAreThere() throws {
        let text = try Fixtures.text("deploy/homeassistant/dashboard.yaml")
        let shown = entities(try #require(try Yams.compose(yaml: text)))
        let discovery = HomeAssistantDiscovery(
            options: HomeAssistantOptions(
                isEnabled: true, prefix: "homeassistant", version: "1", hasPrediction: true, hasCar: true),
            topics: try #require(Topics(base: "sondygo", id: "car1")))
        let announced = String(decoding: discovery.message.payload, as: UTF8.self)
        #expect(shown.count > 15)
        for entity in shown { #expect(announced.contains("\"default_entity_id\":\"\(entity)\""), "\(entity)") }
    }
}
