import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import GatewayCore

/// What Home Assistant 2026.11 was seen to refuse, drop or complain about, each avoided.
@Suite struct HomeAssistantTests {
    private static let topic = "homeassistant/device/car-1/config"

    private func script(isEnabled: Bool = true) -> Script {
        let options = HomeAssistantOptions(isEnabled: isEnabled, prefix: "homeassistant", version: "1.2.3")
        return Script(topics: "car-1", homeAssistant: options)
    }

    private func payload(_ outcome: Script.Outcome) throws -> [String: Any] {
        let message = try #require(outcome.published.first { $0.topic == Self.topic })
        #expect(message.isRetained)
        return try #require(message.object)
    }

    private func components() throws -> [String: [String: Any]] {
        var script = script()
        return try #require(try payload(script.brokerConnected())["cmps"] as? [String: [String: Any]])
    }

    @Test func fitsItsSchema() throws {
        var script = script()
        let message = try #require(script.brokerConnected().published.first { $0.topic == Self.topic })
        let text = String(decoding: message.payload, as: UTF8.self)
        #expect(try Schemas.violations([(topic: "homeassistant", payload: text)]) == [])
    }

    @Test func noTildeAndAnOrigin() throws {
        var script = script()
        let root = try payload(script.brokerConnected())
        #expect(Set(root.keys) == ["dev", "o", "cmps"])
    }

    @Test func everyEntityHasItsDomainInItsID() throws {
        for (key, fields) in try components() {
            let platform = try #require(fields["p"] as? String)
            #expect(fields["default_entity_id"] as? String == "\(platform).car_1_\(key)")
            #expect(fields["object_id"] == nil)
        }
    }

    /// Position entities live and die with the gateway; those of the receiver with both.
    @Test(arguments: [
        ("position", ["bridge/state"]), ("altitude", ["bridge/state"]), ("serial", ["bridge/state"]),
        ("link", ["bridge/state"]), ("rssi", ["bridge/state", "receiver/state"]),
        ("frequency", ["bridge/state", "receiver/state"]), ("mute", ["bridge/state", "receiver/state"]),
        ("sonde_type", ["bridge/state", "receiver/state"]), ("request_settings", ["bridge/state", "receiver/state"]),
    ])
    func availability(_ key: String, _ topics: [String]) throws {
        let fields = try #require(try components()[key])
        let list = try #require(fields["availability"] as? [[String: String]])
        #expect(list.map { $0["topic"] } == topics.map { "sondygo/car-1/\($0)" })
        #expect((fields["availability_mode"] as? String == "all") == (topics.count > 1))
    }

    @Test func theTrackerHasAttributesOnly() throws {
        let tracker = try #require(try components()["position"])
        #expect(tracker["json_attributes_topic"] as? String == "sondygo/car-1/tracker")
        #expect(tracker["state_topic"] == nil)
    }

    /// An out-of-range number keeps the old value on show.
    @Test func theFrequencySpansWhatMayBeTuned() throws {
        var script = script()
        script.brokerConnected()
        let policy = CommandPolicy(frequencyRange: 137.2...524.8)
        let changed = try payload(script.run(.policyChanged(policy)))
        let frequency = try #require((changed["cmps"] as? [String: [String: Any]])?["frequency"])
        #expect(frequency["min"] as? Double == 137.2)
        #expect(frequency["max"] as? Double == 524.8)
        #expect(frequency["step"] as? Double == 0.001)
        // Nothing new, nothing said.
        #expect(script.run(.policyChanged(policy)).published.isEmpty)
    }

    /// A retained value would restart the time of a sensor; the broker's own expiry is as long.
    @Test func measurementsExpireOnBothSides() throws {
        for key in ["altitude", "horizontal_speed", "vertical_speed", "heading", "rssi", "battery"] {
            #expect(try components()[key]?["expire_after"] as? Int == Int(MQTTFeed.expiry.components.seconds), "\(key)")
        }
    }

    /// Every field that a template reads is in the message of its topic, so that no frame makes a warning.
    @Test func templatesReadKeysThatAreThere() throws {
        var script = script()
        script.connect()
        var outcome = script.frame(Script.position())
        outcome += script.brokerConnected()
        for (key, fields) in try components() {
            guard let topic = fields["state_topic"] as? String, let template = fields["value_template"] as? String
            else { continue }
            let message = outcome.objects(on: String(topic.dropFirst("sondygo/car-1".count))).last
            let object = try #require(message, "\(key)")
            for field in template.matches(of: /value_json\.([a-z_]+)/) {
                #expect(object[String(field.1)] != nil, "\(key): \(field.1)")
            }
        }
    }

    @Test func birthIsAnsweredWithinTwoToTenSeconds() throws {
        var script = script()
        script.brokerConnected()
        let birth = IncomingMessage(topic: "homeassistant/status", payload: Array("online".utf8))
        #expect(script.receive(birth).published.isEmpty)
        #expect(script.wait(1.9).published.allSatisfy { $0.topic != Self.topic })
        #expect(script.wait(8.2).published.count { $0.topic == Self.topic } == 1)
        #expect(script.wait(60).published.allSatisfy { $0.topic != Self.topic })
        script.receive(IncomingMessage(topic: "homeassistant/status", payload: Array("offline".utf8)))
        #expect(script.wait(60).published.allSatisfy { $0.topic != Self.topic })
    }

    @Test func switchedOffItRemovesTheDevice() throws {
        var script = script(isEnabled: false)
        let message = try #require(script.brokerConnected().published.first { $0.topic == Self.topic })
        #expect(message.payload.isEmpty && message.isRetained)
    }

    /// `{"forget":"homeassistant"}` removes the device, as far as Home Assistant is concerned for good.
    @Test func forgottenItIsRemoved() throws {
        var script = script()
        script.connect()
        let outcome = script.command("{\"forget\":\"homeassistant\"}")
        #expect(outcome.answers == ["done!"])
        let message = try #require(outcome.published.first { $0.topic == Self.topic })
        #expect(message.payload.isEmpty && message.isRetained)
    }
}
