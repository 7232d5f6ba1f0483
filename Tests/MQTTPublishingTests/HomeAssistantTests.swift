import Foundation
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway
@testable import MQTTPublishing

/// Home Assistant 2026.11 refuses, drops or logs certain messages. The gateway sends none of them.
@Suite struct HomeAssistantTests {
    private static let topic = "homeassistant/device/sondygoXcar-1/config"
    private static let oldTopic = "homeassistant/device/car-1/config"
    private static let stateTopic = "sondygo/car-1/homeassistant/state"

    private func script(isEnabled: Bool = true) -> Script {
        Script(topics: "car-1", homeAssistant: Self.options(isEnabled: isEnabled))
    }

    private static func options(
        isEnabled: Bool = true, hasPrediction: Bool = false, hasCar: Bool = false
    ) -> HomeAssistantOptions {
        HomeAssistantOptions(
            isEnabled: isEnabled, prefix: "homeassistant", version: "1.2.3", hasPrediction: hasPrediction,
            hasCar: hasCar)
    }

    private func payload(_ outcome: Script.Outcome) throws -> [String: Any] {
        let message = try #require(outcome.published.first { $0.topic == Self.topic })
        #expect(message.isRetained)
        return try #require(message.object)
    }

    private func components(
        _ options: HomeAssistantOptions = Self.options()
    ) throws -> [String: [String: Any]] {
        var script = Script(topics: "car-1", homeAssistant: options)
        return try #require(try payload(script.brokerConnected() + script.wait(1))["cmps"] as? [String: [String: Any]])
    }

    @Test(arguments: [false, true]) func fitsItsSchema(_ isWhole: Bool) throws {
        var script = Script(topics: "car-1", homeAssistant: Self.options(hasPrediction: isWhole, hasCar: isWhole))
        let outcome = script.brokerConnected() + script.openLink() + script.frame(Script.position()) + script.wait(6)
        let texts = ["homeassistant", "homeassistant/state"].flatMap { name in
            let topic = name == "homeassistant" ? Self.topic : Self.stateTopic
            return outcome.published.filter { $0.topic == topic }
                .map { (topic: name, payload: String(decoding: $0.payload, as: UTF8.self)) }
        }
        #expect(texts.count >= 3)
        #expect(try Schemas.violations(texts) == [])
    }

    /// The device has all entities of a chase, and no others.
    @Test func theEntities() throws {
        let always: Set = [
            "position", "altitude", "horizontal_speed", "vertical_speed", "heading", "last_known", "last_seen",
            "serial",
            "state", "phase", "source", "burst_altitude", "proposed_frequency", "chase_event", "rssi", "afc", "battery",
            "battery_voltage", "link", "status", "next_launch", "frequency", "sonde_type", "mute", "request_settings",
            "accept_proposal",
            "hunt",
        ]
        let predicted: Set = ["landing", "landing_at", "landing_in", "landing_radius", "prediction_method"]
        let chased: Set = ["car", "distance_sonde", "distance_landing", "arrival_at", "margin"]
        #expect(Set(try components().keys) == always)
        #expect(Set(try components(Self.options(hasPrediction: true)).keys) == always.union(predicted))
        #expect(Set(try components(Self.options(hasCar: true)).keys) == always.union(chased))
        var options = Self.options()
        options.reportsRecovery = true
        let button = try components(options)["report_recovered"]
        #expect(button?["payload_press"] as? String == #"{"recovery":{"state":"recovered"}}"#)
        // It works only while the sonde does not fly.
        let conditions = try #require(button?["availability"] as? [[String: String]])
        #expect(conditions.last?["value_template"]?.contains("in ['landed', 'unknown']") == true)
    }

    /// A command gives each entity its name in each language, the hunt its choice and the device its name; nothing else
    /// changes.
    @Test func names() throws {
        var options = Self.options(hasPrediction: true, hasCar: true)
        options.reportsRecovery = true
        let english = try components(options)
        var script = Script(topics: "car-1", homeAssistant: options)
        script.brokerConnected()
        script.wait(1)
        // English, in which the gateway begins, comes last.
        for language in Language.allCases.reversed() {
            let words = language.phrasebook
            let outcome = script.command("{\"options\":{\"language\":\"\(language.rawValue)\"}}") + script.wait(1)
            let changed = try payload(outcome)
            #expect((changed["dev"] as? [String: Any])?["name"] as? String == "\(words.deviceName) car-1")
            let all = try #require(changed["cmps"] as? [String: [String: Any]])
            #expect(Set(all.keys) == Set(english.keys))
            // The file names each entity, and no others.
            let file = String(decoding: language.file, as: UTF8.self)
            let named = file.matches(of: /\nentity\.(\w+) = \S/).map { String($0.output.1) }
            #expect(named.sorted() == all.keys.sorted(), "\(language)")
            if language == .german { #expect(all["altitude"]?["name"] as? String == "Höhe") }
            let newest = words.newest
            #expect(newest != newest.uppercased() && !newest.contains("'"), "\(newest)")
            #expect(all["hunt"]?["options"] as? [String] == [newest])
            let hunt = try #require(all["hunt"]?["command_template"] as? String)
            #expect(hunt == "{{ {'hunt': none if value == '\(newest)' else value} | to_json }}")
            for (key, entity) in all {
                var (new, old) = (entity, english[key] ?? [:])
                let name = try #require(new["name"] as? String)
                #expect(!name.isEmpty && name == words.name(ofEntity: key), "\(language): \(key)")
                let choices = ["state", "phase", "source", "prediction_method"]
                for field in ["name"] + (key == "hunt" ? ["options", "command_template"] : [])
                    + (choices.contains(key) ? ["options", "value_template"] : [])
                {
                    new.removeValue(forKey: field)
                    old.removeValue(forKey: field)
                }
                #expect(NSDictionary(dictionary: new) == NSDictionary(dictionary: old), "\(key)")
            }
        }
    }

    /// Two gateways never share a device, with any base topics and ids.
    @Test func idsDifferForEachGateway() throws {
        var seen: [String: String] = [:]
        for (base, id) in [
            ("sondygo", "car-2"), ("sondygo", "car_2"), ("other", "car-2"), ("sondygo/car", "2"), ("sondygo_car", "2"),
            ("sondygo", "car"), ("sondygo", "car_burst"), ("sondygo", "car_last"), ("sondygo/a", "b"),
            ("sondygo", "a_b"), ("sondygo_a", "b"),
        ] {
            let topics = try #require(Topics(base: base, id: id))
            let discovery = HomeAssistantDiscovery(options: Self.options(), topics: topics)
            let root = try #require(discovery.message.object)
            let device = try #require((root["dev"] as? [String: Any])?["ids"] as? [String])
            let entities = try #require(root["cmps"] as? [String: [String: Any]])
            let names = [discovery.topic] + device + entities.values.compactMap { $0["unique_id"] as? String }
            #expect(names.count == entities.count + 2)
            for name in names {
                #expect(seen[name] == nil, "\(name): \(base)/\(id) and \(seen[name] ?? "")")
                seen[name] = "\(base)/\(id)"
            }
            // No earlier version can use this topic. So no gateway removes another's device.
            let level = discovery.topic.split(separator: "/")[2]
            #expect(
                level.contains { $0.isUppercase }
                    && level.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) })
        }
    }

    /// An upgrade leaves no second device. The gateway finds and removes the earlier version's announcement before it
    /// announces the new device, so that its entities get the old names.
    @Test(arguments: [true, false]) func anUpgradeLeavesNoDouble(_ isEnabled: Bool) throws {
        let options = Self.options(isEnabled: isEnabled)
        var script = Script(topics: "car-1", homeAssistant: options)
        let topics = try #require(Topics(base: "sondygo", id: "car-1"))
        #expect(options.subscriptions(of: topics).contains(Self.oldTopic))
        let old = #"{"cmps":{"x":{"availability":[{"topic":"sondygo/car-1/bridge/state"}]}}}"#
        var outcome = script.brokerConnected()
        script.receive(IncomingMessage(topic: Self.oldTopic, payload: Array(old.utf8), isRetained: true))
        outcome += script.wait(60)
        let told = outcome.published.filter { [Self.topic, Self.oldTopic].contains($0.topic) }
        #expect(told.map(\.topic) == (isEnabled ? [Self.oldTopic, Self.topic] : [Self.oldTopic]))
        let removal = try #require(told.first)
        #expect(removal.payload.isEmpty && removal.isRetained)
        // The gateway receives its own removal, and the device of another gateway that had the same id.
        script.receive(IncomingMessage(topic: Self.oldTopic, payload: [], isRetained: false))
        let other = old.replacing("sondygo/", with: "other/")
        script.receive(IncomingMessage(topic: Self.oldTopic, payload: Array(other.utf8), isRetained: true))
        #expect(script.wait(60).published.allSatisfy { $0.topic != Self.oldTopic })
    }

    /// Without a known device nothing is removed, because Home Assistant would log a warning.
    @Test(arguments: [true, false]) func onlyExistingEntitiesAreRemoved(_ isEnabled: Bool) {
        var script = script(isEnabled: isEnabled)
        let outcome = script.brokerConnected() + script.wait(60)
        #expect(outcome.published.allSatisfy { !$0.payload.isEmpty })
    }

    @Test func noTildeAndAnOrigin() throws {
        var script = script()
        let root = try payload(script.brokerConnected() + script.wait(1))
        #expect(Set(root.keys) == ["dev", "o", "cmps"])
    }

    @Test func everyEntityHasItsDomainInItsID() throws {
        for (key, fields) in try components() {
            let platform = try #require(fields["p"] as? String)
            #expect(fields["default_entity_id"] as? String == "\(platform).car_1_\(key)")
            #expect(fields["object_id"] == nil)
        }
    }

    /// All entities need the gateway. The receiver's also need the receiver; the sonde's need a source that hears it.
    /// The last known position and the landing point stay available while the gateway is off.
    @Test(arguments: [
        ("position", ["bridge/state", "state"]), ("altitude", ["bridge/state", "state"]),
        ("heading", ["bridge/state", "state"]), ("serial", ["bridge/state"]),
        ("chase_event", ["bridge/state"]), ("link", ["bridge/state"]),
        ("last_known", ["homeassistant/state"]), ("landing", ["homeassistant/state"]),
        ("landing_at", ["bridge/state"]), ("landing_in", ["bridge/state"]),
        ("last_seen", ["homeassistant/state"]), ("landing_radius", ["homeassistant/state"]),
        ("car", ["bridge/state", "homeassistant/state"]), ("rssi", ["bridge/state", "receiver/state"]),
        ("frequency", ["bridge/state", "receiver/state"]), ("mute", ["bridge/state", "receiver/state"]),
        ("sonde_type", ["bridge/state", "receiver/state"]), ("request_settings", ["bridge/state", "receiver/state"]),
    ])
    func availability(_ key: String, _ topics: [String]) throws {
        let fields = try #require(try components(Self.options(hasPrediction: true, hasCar: true))[key])
        let list = try #require(fields["availability"] as? [[String: String]])
        #expect(list.map { $0["topic"] } == topics.map { "sondygo/car-1/\($0)" })
        #expect(fields["availability_mode"] as? String == "all")
        #expect(
            list.filter { $0["topic"]?.hasSuffix("bridge/state") == true }.allSatisfy { $0["value_template"] == nil })
        // A plain text needs no template. In an object one field decides.
        let field = ["state": "'source'", "homeassistant/state": "'\(key)"][topics.last ?? ""]
        #expect(list.last?["value_template"]?.contains(field ?? "") ?? (field == nil))
    }

    /// The select offers the sondes around. Another list announces the device again, at most once a minute; a serial that
    /// could break a template is left out. Home Assistant reads the values by the new choices, so they come once more.
    @Test func theSondesAroundAreOffered() throws {
        var script = Script(topics: "car-1", sondeHub: SondeHubOptions.payerne, homeAssistant: Self.options())
        func offered(_ outcome: Script.Outcome) -> [String]? {
            let device = outcome.published.last { $0.topic == Self.topic }?.object
            return ((device?["cmps"] as? [String: Any])?["hunt"] as? [String: Any])?["options"] as? [String]
        }
        let first = script.brokerConnected() + script.wait(1)
        #expect(offered(first) == ["the newest"])
        var strange = Script.record("V3", at: 1)
        strange.serial = try #require(SondeSerial(name: "V\\3", type: .pilot))
        script.answer(first.polls.first?.id, [Script.record("V2"), Script.record("V1", at: 1), strange])
        #expect(offered(script.wait(58)) == nil)
        let device = script.wait(2)
        #expect(offered(device) == ["the newest", "V1", "V2"])
        let after = script.wait(4).published.filter { $0.topic == "sondygo/car-1/homeassistant/state" }
        #expect(after.count == 1)
        #expect(after.first?.object?["serial"] as? String == "V1")
        let texts = device.published.filter { $0.topic == Self.topic }
            .map { (topic: "homeassistant", payload: String(decoding: $0.payload, as: UTF8.self)) }
        #expect(try Schemas.violations(texts) == [])
        #expect(offered(script.wait(300)) == nil)
    }

    @Test func theTrackerHasAttributesOnly() throws {
        let tracker = try #require(try components()["position"])
        #expect(tracker["json_attributes_topic"] as? String == "sondygo/car-1/tracker")
        #expect(tracker["state_topic"] == nil)
    }

    /// The number's range is that of the configuration. Home Assistant ignores a value outside and shows the old one.
    @Test func theFrequencyHasTheAcceptedRange() throws {
        var script = script()
        script.brokerConnected()
        script.wait(1)
        let policy = CommandPolicy(frequencyRange: 137.2...524.8)
        let changed = try payload(script.run(.policyChanged(policy)))
        let frequency = try #require((changed["cmps"] as? [String: [String: Any]])?["frequency"])
        #expect(frequency["min"] as? Double == 137.2)
        #expect(frequency["max"] as? Double == 524.8)
        #expect(frequency["step"] as? Double == 0.001)
        // Without a change nothing is published.
        #expect(script.run(.policyChanged(policy)).published.isEmpty)
    }

    /// The message of each topic holds all fields that templates read, so that Home Assistant logs no warning.
    @Test func templatesReadKeysThatAreThere() throws {
        let options = Self.options(hasPrediction: true, hasCar: true)
        var script = Script(topics: "car-1", homeAssistant: options)
        script.connect()
        var outcome = script.frame(Script.position())
        outcome += script.brokerConnected()
        var read = 0
        for (key, fields) in try components(options) {
            let pairs = [("state_topic", "value_template"), ("json_attributes_topic", "json_attributes_template")]
                .map { (fields[$0.0] as? String, fields[$0.1] as? String) }
            let list = try #require(fields["availability"] as? [[String: String]])
            for case (let topic?, let template?) in pairs + list.map({ ($0["topic"], $0["value_template"]) }) {
                let message = outcome.objects(on: String(topic.dropFirst("sondygo/car-1".count))).last
                let object = try #require(message, "\(key)")
                for field in template.matches(of: /value_json\.get\('([a-z_]+)'\)/) {
                    read += 1
                    #expect(object[String(field.1)] != nil, "\(key): \(field.1)")
                }
            }
        }
        #expect(read > 30)
    }

    /// The entity's topic and event types. HomeAssistantEventsTests tests its messages.
    @Test func theEventEntity() throws {
        let event = try #require(try components()["chase_event"])
        #expect(event["p"] as? String == "event")
        #expect(event["state_topic"] as? String == "sondygo/car-1/homeassistant/event")
        #expect(
            event["event_types"] as? [String] == ["burst", "landed", "landing_moved", "moved", "receiver_lost"])
    }

    @Test func birthIsAnsweredWithinTwoToTenSeconds() throws {
        var script = script()
        script.brokerConnected()
        script.wait(1)
        let birth = IncomingMessage(topic: "homeassistant/status", payload: Array("online".utf8))
        #expect(script.receive(birth).published.isEmpty)
        #expect(script.wait(1.9).published.allSatisfy { $0.topic != Self.topic })
        #expect(script.wait(8.2).published.count { $0.topic == Self.topic } == 1)
        #expect(script.wait(60).published.allSatisfy { $0.topic != Self.topic })
        script.receive(IncomingMessage(topic: "homeassistant/status", payload: Array("offline".utf8)))
        #expect(script.wait(60).published.allSatisfy { $0.topic != Self.topic })
    }

    /// Switching Home Assistant off removes the device and its values.
    @Test func switchingOffRemovesTheDevice() throws {
        var script = script(isEnabled: false)
        let options = Self.options(isEnabled: false)
        #expect(options.subscriptions(of: script.topics).contains(Self.topic))
        let ours = Script(topics: "car-1").topics
        let left = HomeAssistantDiscovery(options: options, topics: ours).message
        script.brokerConnected()
        script.receive(IncomingMessage(topic: left.topic, payload: left.payload, isRetained: true))
        let first = script.wait(1).published
        for topic in [Self.topic, Self.stateTopic] {
            let messages = first.filter { $0.topic == topic }
            #expect(messages.count == 1 && messages.allSatisfy { $0.payload.isEmpty && $0.isRetained })
        }
        let later = script.openLink() + script.frame(Script.position()) + script.wait(60)
        #expect(!later.published.isEmpty)
        #expect(later.published.allSatisfy { ![Self.topic, Self.stateTopic].contains($0.topic) })
    }

    /// `{"forget":"homeassistant"}` removes the device until Home Assistant starts again.
    @Test func aForgottenDeviceIsRemoved() throws {
        var script = script()
        script.connect()
        let outcome = script.command("{\"forget\":\"homeassistant\"}")
        #expect(outcome.answers == ["done!"])
        for topic in [Self.topic, Self.stateTopic] {
            let message = try #require(outcome.published.first { $0.topic == topic })
            #expect(message.payload.isEmpty && message.isRetained)
        }
        var later = script.frame(Script.position()) + script.wait(30)
        script.brokerDisconnected()
        // The broker may hold the device again, so it is removed once more.
        later += script.brokerConnected() + script.run(.policyChanged(CommandPolicy(frequencyRange: 400...405)))
        let shown = later.published.filter { [Self.topic, Self.stateTopic].contains($0.topic) }
        #expect(shown.count == 2 && shown.allSatisfy(\.payload.isEmpty))
        script.receive(IncomingMessage(topic: "homeassistant/status", payload: Array("online".utf8)))
        let back = script.wait(10)
        #expect(try payload(back)["cmps"] != nil)
        let values = try #require(back.objects(on: Self.stateTopic).last)
        #expect(values["serial"] as? String == "V4210150")
    }
}
