import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import MQTTPublishing

/// The number of rows that Home Assistant's recorder writes for all entities.
@Suite struct HomeAssistantRecorderTests {
    private static let options = HomeAssistantOptions(
        isEnabled: true, prefix: "homeassistant", version: "1.2.3", hasPrediction: true, hasCar: true)

    /// Counts a row for each change of an entity, and another for each change of a tracker's attributes.
    private struct Recorder {
        private var states: [String: String] = [:]
        private(set) var rows: [String: Int] = [:]
        let entities: [String: [String: Any]]

        var sum: Int { rows.values.reduce(0, +) }

        init(_ device: [String: Any]) throws {
            entities = try #require(device["cmps"] as? [String: [String: Any]])
        }

        mutating func hear(_ message: OutgoingMessage) {
            for (key, fields) in entities {
                if fields["json_attributes_topic"] as? String == message.topic {
                    note(key, attributes(fields, message.object ?? [:]), rows: 2)
                }
                guard fields["state_topic"] as? String == message.topic else { continue }
                note(key, state(fields, message.object ?? [:]), rows: 1)
            }
        }

        private mutating func note(_ key: String, _ state: String, rows count: Int) {
            guard states.updateValue(state, forKey: key) != state else { return }
            rows[key, default: 0] += count
        }

        private func names(_ template: Any?) -> [String] {
            let names = ((template as? String) ?? "").matches(of: /value_json\.get\('(\w+)'\)/).map { String($0.1) }
            return Set(names).sorted()
        }

        private func attributes(_ fields: [String: Any], _ object: [String: Any]) -> String {
            names(fields["json_attributes_template"]).map { name in
                let place = object[name] as? [String: Any]
                return place.map { $0.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined() }
                    ?? "\(name) \(object[name] ?? "")"
            }
            .joined(separator: ",")
        }

        private func state(_ fields: [String: Any], _ object: [String: Any]) -> String {
            let template = fields["value_template"] as? String ?? ""
            let name = names(template).first ?? ""
            guard let match = template.firstMatch(of: /\/ (\d+)\) \| round(\((\d)\))?/),
                let number = object[name] as? Double
            else { return "\(object[name] ?? "")" }
            return String(format: "%.\(match.3 ?? "0")f", number / (Double(match.1) ?? 1))
        }
    }

    /// An hour with a frame and a fix of the car each second, all different.
    private func hour(_ frame: (Int) -> String) throws -> Recorder {
        var script = Script(prediction: .ownWindsOnly, homeAssistant: Self.options)
        script.connect()
        let device = script.wait(1).published.first { $0.topic.hasSuffix("/config") }?.object
        var recorder = try Recorder(try #require(device))
        for second in 0..<3600 {
            let place = Coordinate(latitude: 47 + Double(second) * 1.3e-4, longitude: 8)
            let outcome = script.fix(at: place) + script.frame(frame(second)) + script.wait(1)
            for message in outcome.published { recorder.hear(message) }
        }
        return recorder
    }

    @Test func anHourOfFlightIsAtMostThreeThousandRows() throws {
        let recorder = try hour { second in
            let noise = Double(second % 7) / 2
            return "1/RS41/403.500/V4210150/\(47.38 + Double(second) * 1e-4)/8.54/\(500 + 5 * second)/\(40 + noise)/"
                + "5/\(100 + noise)/100/\(second % 50)/0/0/\(4200 + second % 9 * 10)/0/0/0/0/3.10/o"
        }
        #expect(recorder.sum <= 3000, "\(recorder.rows)")
        // The device's activity shows each change of what is neither a number nor a place.
        let activity = recorder.rows.filter { key, _ in
            let entity = recorder.entities[key] ?? [:]
            return entity["unit_of_measurement"] == nil && entity["p"] as? String != "device_tracker"
        }
        // The sentence comes every two minutes. The car drives away from the landing point all the time.
        #expect(activity["arrival_at"] ?? 0 <= 20 && activity["status"] ?? 0 <= 32, "\(activity)")
        let others = activity.filter { !["arrival_at", "last_seen", "status"].contains($0.key) }
        #expect(others.values.reduce(0, +) <= 30, "\(activity)")
        // Everything that can move has moved.
        for key in ["position", "last_known", "landing", "car"] {
            #expect((200...250).contains(recorder.rows[key] ?? 0))
        }
        for key in ["altitude", "rssi", "distance_sonde", "distance_landing", "landing_radius"] {
            #expect((70...125).contains(recorder.rows[key] ?? 0), "\(key): \(recorder.rows)")
        }
    }

    /// If only the time changes, no tracker changes, because none has the time as an attribute.
    @Test func aSondeThatStandsStillMovesNoTracker() throws {
        let recorder = try hour { _ in Script.position(altitude: 500) }
        for key in ["position", "last_known"] { #expect((recorder.rows[key] ?? 0) <= 4, "\(key): \(recorder.rows)") }
        #expect((recorder.rows["last_seen"] ?? 0) <= 32, "\(recorder.rows)")
    }
}
