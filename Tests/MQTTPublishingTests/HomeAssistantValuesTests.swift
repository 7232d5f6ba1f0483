import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

/// The values of Home Assistant's entities, and how often they change. Home Assistant's recorder stores each change.
@Suite struct HomeAssistantValuesTests {
    private func connected() -> Script {
        let options = HomeAssistantOptions(isEnabled: true, prefix: "homeassistant", version: "1.2.3")
        var script = Script(homeAssistant: options)
        script.connect()
        return script
    }

    private func values(_ outcome: Script.Outcome) throws -> [String: Any] {
        try #require(outcome.objects(on: "/homeassistant/state").last)
    }

    /// In an hour of frames, each with another altitude, measured values and the tracker change every 30 s.
    @Test func anHourOfFramesIsPublishedAtItsPace() throws {
        var script = connected()
        var shown: [(at: MonotonicTime, values: [String: String])] = []
        var trackers = 0
        for second in 0..<3600 {
            var outcome = script.frame(Script.position(altitude: 1000 + 5 * second))
            outcome += script.wait(1)
            for object in outcome.objects(on: "/homeassistant/state") {
                shown.append((script.now.monotonic, object.mapValues { "\($0)" }))
            }
            trackers += outcome.messages(on: "/tracker").count
            #expect(outcome.messages(on: "/position").count == 1)
        }
        // One every 30 s, and a few at once: state, serial, and phase.
        #expect((115...130).contains(shown.count), "\(shown.count)")
        #expect((115...121).contains(trackers), "\(trackers)")
        let keys = try #require(shown.first?.values.keys)
        for key in keys {
            let changes = zip(shown, shown.dropFirst()).count { $0.values[key] != $1.values[key] }
            #expect(changes <= 122, "\(key): \(changes)")
        }
    }

    /// No change is lost: a held value is published when it is due.
    @Test func theNewestValueIsShownInTheEnd() throws {
        var script = connected()
        script.wait(6)
        for _ in 0..<25 {
            script.frame(Script.position(altitude: 1000))
            script.wait(1)
        }
        let soon = script.frame(Script.position(altitude: 1005))
        // The phase may be published; the measured values wait.
        #expect(soon.objects(on: "/homeassistant/state").allSatisfy { $0["altitude_m"] as? Double == 1000 })
        #expect(soon.messages(on: "/tracker").isEmpty)
        #expect(script.wait(4.9).messages(on: "/tracker").isEmpty)
        let later = script.wait(0.3)
        #expect(try values(later)["altitude_m"] as? Double == 1005)
        #expect(later.objects(on: "/tracker").last?["altitude_m"] as? Double == 1005)
        #expect(later.objects(on: "/tracker").last?["age_ms"] as? Int == 5000)
        #expect(later.messages(on: "/position").isEmpty)
        // Without a change nothing is published.
        #expect(script.wait(3).messages(on: "/homeassistant/state").isEmpty)
    }

    /// Values that are due are published at their time, also if no frame comes just then.
    @Test(arguments: [0.98, 1.02]) func dueValuesWaitForNoFrame(_ pause: Double) {
        var script = connected()
        script.wait(6)
        var published: [String: Int] = [:]
        for second in 0..<100 {
            var outcome = script.frame(Script.position(altitude: 1000 + 5 * second))
            outcome += script.wait(pause)
            // Skip the first phases, which are published at once.
            guard second >= 10 else { continue }
            for topic in ["/homeassistant/state", "/tracker"] {
                published[topic, default: 0] += outcome.messages(on: topic).count
            }
        }
        // Every 30 s; the first of them shortly after the tenth frame, or shortly before.
        for (topic, count) in published { #expect((3...4).contains(count), "\(topic): \(count)") }
        #expect(published.count == 2)
    }

    /// The flight is published every 5 s while only its motion changes, and at once when its phase changes. The newest
    /// one is published in the end.
    @Test func theFlightIsPublishedAtItsPace() throws {
        var script = connected()
        script.wait(6)
        var told: [Int?] = []
        var phase: String?
        for second in 0..<60 {
            let framed = script.frame(Script.position(altitude: 1000 + 5 * second)).objects(on: "/flight")
            let isNew = script.flight?.phase.phase.rawValue != phase
            phase = script.flight?.phase.phase.rawValue
            if isNew { #expect(framed.last?["phase"] as? String == phase) }
            told += (framed + script.wait(1).objects(on: "/flight")).map { $0["track_points"] as? Int }
        }
        #expect(phase == "ascending")
        // One more for each of the first phases.
        #expect((12...15).contains(told.count), "\(told)")
        told += script.wait(6).objects(on: "/flight").map { $0["track_points"] as? Int }
        #expect(told.last == 60)
    }

    /// A control's value is published at once, even with several changes within two seconds. Otherwise the control
    /// would jump back.
    @Test func aControlShowsItsValueAtOnce() throws {
        var script = connected()
        script.wait(6)
        script.frame(Script.position())
        script.wait(1)
        let muted = script.frame("0/RS41/403.500/120.5/100/4260/1/3.10/o")
        #expect(try values(muted)["mute"] as? Bool == true)
        script.wait(1)
        let tuned = script.frame("0/RS41/404.200/120.5/100/4260/0/3.10/o")
        #expect(try values(tuned)["frequency_mhz"] as? Double == 404.2)
        #expect(try values(tuned)["mute"] as? Bool == false)
        let again = script.frame("0/M20/404.300/120.5/100/4260/1/3.10/o")
        #expect(try values(again)["mute"] as? Bool == true)
        #expect(try values(again)["frequency_mhz"] as? Double == 404.3)
        #expect(try values(again)["sonde_type"] as? String == "M20")
    }

    /// Other words are published at once; their next change is held.
    @Test func briefChangesOfTextsAreHeld() throws {
        var values = HomeAssistantValues(HomeAssistantOptions(isEnabled: true, prefix: "h", version: "1"))
        var shown: [Bool?] = []
        for second in 0..<8 {
            let now = MonotonicTime.zero.advanced(by: .seconds(second))
            values.note(.receiverState(isOnline: second != 1), at: now)
            _ = values.refresh(at: now)
            shown.append(OutgoingMessage(topic: "", payload: values.payload).object?["link"] as? Bool)
        }
        // The link was offline for a second. This change is held and never published.
        #expect(shown == Array(repeating: true, count: 8))
        values.note(.receiverState(isOnline: false), at: .zero)
        let isOther = values.refresh(at: MonotonicTime.zero.advanced(by: .seconds(8)))
        #expect(isOther)
    }

    /// When a sonde's entities become available again, their values are published at once, not up to 30 s later.
    @Test func aReturningSourceHasItsValues() throws {
        var script = connected()
        script.wait(40)
        script.frame(Script.position(altitude: 1000))
        script.closeLink()
        script.wait(20)
        script.openLink()
        let back = script.frame(Script.position(altitude: 1200))
        #expect(try values(back)["altitude_m"] as? Double == 1200)
        #expect(try values(back)["rssi_dbm"] as? Double == -117.5)
    }

    /// A value that the receiver can't be set to is not shown, because Home Assistant would log an error for each
    /// message.
    @Test(arguments: [("399.999", nil), ("400.000", 400), ("406.000", 406), ("406.001", nil)] as [(String, Double?)])
    func aFrequencyOutsideTheRangeIsUnknown(_ frequency: String, _ expected: Double?) throws {
        var script = connected()
        script.wait(6)
        let shown = try values(script.frame(Script.position(frequency: frequency)))
        #expect(shown["frequency_mhz"] as? Double == expected)
        #expect(shown["altitude_m"] as? Double == 500)
    }

    @Test func aTypeThatCannotBeChosenIsUnknown() throws {
        var script = connected()
        script.wait(6)
        let shown = try values(script.frame(Script.position(type: "C50")))
        #expect(shown.keys.contains("sonde_type") && shown["sonde_type"] as? String == nil)
    }

    /// The receiver's controls show only its own values: nothing while it is away, and never SondeHub's data.
    @Test func onlyTheReceiversOwnValuesAreInItsControls() throws {
        var values = HomeAssistantValues(HomeAssistantOptions(isEnabled: true, prefix: "h", version: "1"))
        let now = Moment(monotonic: .zero, wall: WallTime(millisecondsSince1970: 0), isClockSynced: true)
        let record = Script.record("V4210150", frequency: 403.5)
        values.note(.receiverState(isOnline: true), at: .zero)
        values.note(.radio(RadioReport(record, heardAt: nil, at: now)), at: .zero)
        for key in [HomeAssistantKey.frequency, .sondeType, .mute, .rssi, .battery] {
            #expect(values.sources.value(of: key, at: .zero) == .unknown, "\(key)")
        }
        var script = connected()
        script.frame(Script.position())
        let lost = script.closeLink() + script.wait(32)
        for key in ["frequency_mhz", "sonde_type", "mute", "rssi_dbm", "battery_pct"] {
            #expect(try self.values(lost)[key] as? Double == nil && self.values(lost)[key] as? String == nil, "\(key)")
        }
        #expect(try self.values(lost)["link"] as? Bool == false)
    }

    /// When the sonde is gone, its live values become null. The last known position stays.
    @Test func anOldValueIsNeverShownAsLive() throws {
        var script = connected()
        script.frame(Script.position())
        var outcome = script.closeLink()
        outcome += script.wait(300)
        let state = try #require(outcome.objects(on: "test/state").last)
        #expect(state["source"] as? String == nil)
        let shown = try values(outcome)
        for key in ["altitude_m", "horizontal_speed_mps", "vertical_speed_mps", "rssi_dbm", "source"] {
            #expect(shown.keys.contains(key) && shown[key] as? Double == nil && shown[key] as? String == nil, "\(key)")
        }
        let place = try #require(shown["last_known"] as? [String: Any])
        #expect(place["latitude"] as? Double == 47.38 && place["gps_accuracy"] as? Int == 10)
        #expect(place["serial"] as? String == "V4210150" && place["time"] == nil)
        #expect(shown["last_seen"] as? String == "2026-01-01T12:00:00.000Z")
        #expect(script.wait(600).messages(on: "/homeassistant/state").isEmpty)
    }

    /// While frames without a position come, the position becomes null after 120 s.
    @Test func aPositionExpires() throws {
        var script = connected()
        script.frame(Script.position())
        var outcome = Script.Outcome()
        for _ in 0..<130 {
            outcome += script.wait(1)
            outcome += script.frame(Script.searching)
        }
        #expect(try values(outcome)["altitude_m"] as? Double == nil)
        #expect(try values(outcome)["rssi_dbm"] as? Double == -120.5)
    }

    /// A session replaces the values of an earlier one before it publishes that the gateway is online.
    @Test func aSessionBeginsWithTheValues() throws {
        var script = connected()
        script.frame(Script.position())
        script.wait(2)
        script.brokerDisconnected()
        script.wait(300)
        let again = script.brokerConnected()
        let topics = again.published.map(\.topic)
        let values = try #require(topics.firstIndex { $0.hasSuffix("/homeassistant/state") })
        let online = try #require(topics.firstIndex { $0.hasSuffix("/bridge/state") })
        let device = try #require(topics.firstIndex { $0.hasPrefix("homeassistant/device/") })
        #expect(values < online && device == topics.count - 1)
        #expect(try self.values(again)["altitude_m"] as? Double == nil)
        #expect(again.messages(on: "/homeassistant/state").allSatisfy { $0.isRetained && $0.expirySeconds == nil })
    }

    /// An entity gets its value before it becomes available, and loses it after it became unavailable.
    @Test func valuesComeBeforeAvailability() throws {
        var script = Script(
            homeAssistant: HomeAssistantOptions(isEnabled: true, prefix: "homeassistant", version: "1.2.3"))
        script.brokerConnected()
        script.openLink()
        script.wait(10)
        let topics = script.frame(Script.position()).published.map(\.topic)
        let values = try #require(topics.firstIndex { $0.hasSuffix("/homeassistant/state") })
        let state = try #require(topics.firstIndex { $0.hasSuffix("test/state") && !$0.contains("homeassistant") })
        #expect(values < state)
    }
}
