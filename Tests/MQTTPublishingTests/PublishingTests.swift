import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

@Suite struct PublishingTests {
    /// A topic's row in `deploy/doc/topics.md`.
    private struct Documented: Equatable {
        var isRetained: Bool
        var qos: UInt8
        var expirySeconds: UInt32?
    }

    private func documented() throws -> [String: Documented] {
        var topics: [String: Documented] = [:]
        for line in try Fixtures.text("deploy/doc/topics.md").split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count >= 4)
            let expiry = cells[1].firstMatch(of: /expires after (\d+) s/).flatMap { UInt32($0.1) }
            let row = Documented(
                isRetained: cells[1].hasPrefix("R"), qos: try #require(UInt8(cells[2])), expirySeconds: expiry)
            for name in cells[0].split(separator: " ") { topics[String(name.filter { $0 != "`" })] = row }
        }
        return topics
    }

    /// The will of an earlier session comes late, over a bridge: the gateway says again that it is there, at most every 5 s.
    @Test func aLateWillIsAnswered() {
        var script = Script()
        script.connect()
        script.wait(10)
        func said(_ payload: String, _ seconds: Double) -> [String] {
            script.receive(
                IncomingMessage(topic: "\(script.topics.prefix)/bridge/state", payload: Array(payload.utf8)))
            return script.wait(seconds).messages(on: "/bridge/state").map {
                String(decoding: $0.payload, as: UTF8.self)
            }
        }
        #expect(said("online", 1).isEmpty)
        #expect(said("offline", 1) == ["online"])
        #expect(said("offline", 3).isEmpty)
        #expect(said("offline", 2) == ["online"])
        // Then the gateway stops, and stays offline.
        #expect(said("offline", 0).isEmpty)
        #expect(script.mqtt.stop(at: script.now).count > 0)
        #expect(said("offline", 10).isEmpty)
    }

    /// Retain, QoS and expiry are as documented.
    @Test func topicsAreAsDocumented() throws {
        let documented = try documented()
        var script = Script()
        var outcome = script.brokerConnected() + script.openLink()
        outcome += script.frame(Script.position()) + script.frame(Script.configuration)
        outcome += script.command("{\"mute\":true}") + script.run(.healthDue(ProcessHealth()))
        for message in outcome.published {
            let topic = message.topic.replacing("sondygo/test/", with: "")
            let published = Documented(
                isRetained: message.isRetained, qos: message.qos, expirySeconds: message.expirySeconds)
            #expect(published == documented[topic], "\(topic)")
        }
        #expect(Set(outcome.published.map(\.topic)).count > 12)
    }

    /// The documentation lists every report.
    @Test(arguments: Report.Kind.allCases) func everyReportIsListed(_ kind: Report.Kind) throws {
        let documented = try documented()
        let (rule, row) = (MQTTPublisher.Rule.of(kind), try #require(documented[kind.rawValue]))
        #expect(row.isRetained == rule.isRetained && row.qos == rule.qos && (row.expirySeconds != nil) == rule.expires)
        #expect((documented["history/\(kind.rawValue)"] != nil) == rule.hasHistory)
    }

    /// The bridges from a car to its fleet list every report. To write new lines, run `SONDYGO_UPDATE_GOLDEN=1
    /// Tests/one.sh PublishingTests`.
    @Test(arguments: ["mosquitto", "fleet"]) func everyReportCrossesTheBridge(_ folder: String) throws {
        let path = "deploy/\(folder)/bridge-car.conf"
        var lines = try Fixtures.text(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for kind in Report.Kind.allCases {
            let rule = MQTTPublisher.Rule.of(kind)
            // The servers' history takes the messages that cross the fleet's bridge with QoS 1. Of the other topics
            // only the newest message counts.
            let isKept = !rule.isRetained || rule.hasHistory || [.landing, .recovery].contains(kind)
            let topic = "topic sondygo/car1/\(kind.rawValue) out "
            let line = topic + "\(folder == "fleet" && !isKept ? 0 : rule.qos)"
            if let known = lines.firstIndex(where: { $0.hasPrefix(topic) }) {
                lines[known] = line
            } else {
                let last = lines.lastIndex { $0.hasPrefix("topic sondygo/car1/") && $0.contains(" out ") }
                lines.insert(line, at: try #require(last) + 1)
            }
        }
        #expect(
            try Fixtures.holds(lines.joined(separator: "\n"), at: path),
            "\(path) lacks a report. Run SONDYGO_UPDATE_GOLDEN=1 Tests/one.sh PublishingTests")
    }

    /// After a connect the states come first, then that the gateway is online, then all other retained messages.
    @Test func everythingRetainedIsPublishedAnewAfterEveryConnack() throws {
        var script = Script()
        let first =
            script.brokerConnected() + script.openLink() + script.frame(Script.position())
            + script.frame(Script.configuration) + script.run(.healthDue(ProcessHealth()))
        script.brokerDisconnected()
        script.advance(30)
        let again = script.brokerConnected()
        let topics = again.published.map { String($0.topic.dropFirst("sondygo/test/".count)) }
        #expect(topics.prefix(3) == ["receiver/state", "state", "bridge/state"])
        // The car's position has expired after 30 s.
        let retained = Set(first.published.filter(\.isRetained).map { $0.topic.dropFirst("sondygo/test/".count) })
        #expect(topics.sorted() == retained.subtracting(["chase"]).map(String.init).sorted())
        #expect(again.texts(on: "/bridge/state") == ["online"])
        let position = try #require(again.messages(on: "/position").first)
        #expect(position.expirySeconds == 90)
        #expect(position.object?["age_ms"] as? Int == 30_000)
        #expect(script.mqtt.outages == 1)
    }

    @Test func anOldPositionIsNotRepublished() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.brokerDisconnected()
        script.advance(120)
        let again = script.brokerConnected()
        for topic in ["/position", "/radio", "/tracker"] { #expect(again.messages(on: topic).isEmpty) }
    }

    /// On MQTT 3.1.1 the publisher clears messages that have expired. Once the old balloon stayed on the broker for
    /// ever.
    @Test func withoutExpiryOldMessagesAreCleared() {
        var script = Script(hasExpiry: false)
        script.connect()
        let shown = script.frame(Script.position())
        #expect(shown.messages(on: "/position").map(\.expirySeconds) == [nil])
        script.closeLink()
        #expect(cleared(script.wait(119.9)) == [])
        #expect(cleared(script.wait(0.2)) == ["position", "radio", "tracker"])
        #expect(cleared(script.wait(600)) == [])
        // Messages of an earlier session or run are cleared, too.
        script.brokerDisconnected()
        #expect(cleared(script.brokerConnected()) == ["chase", "position", "radio", "tracker"])
        var next = Script(hasExpiry: false)
        #expect(cleared(next.brokerConnected()) == ["chase", "position", "radio", "tracker"])
    }

    /// A clean stop clears the messages that would become old, because nobody could do it later.
    @Test(arguments: [true, false]) func aStopWithoutExpiryClearsPositions(_ hasExpiry: Bool) {
        var script = Script(hasExpiry: hasExpiry)
        script.connect()
        script.frame(Script.position())
        let stopped = script.stop()
        #expect(cleared(stopped) == (hasExpiry ? [] : ["position", "radio", "tracker"]))
        #expect(stopped.published.last?.topic == "sondygo/test/bridge/state")
    }

    /// A new frame extends the time of its message.
    @Test func withoutExpiryNewFramesKeepTheirMessages() {
        var script = Script(hasExpiry: false)
        script.connect()
        script.frame(Script.position())
        var outcome = Script.Outcome()
        for _ in 0..<20 {
            outcome += script.wait(10)
            outcome += script.frame(Script.searching)
        }
        #expect(cleared(outcome) == ["position", "tracker"])
    }

    /// The first position of another sonde goes to the tracker at once. Once the old sonde's place stayed for five
    /// seconds.
    @Test func anotherSondesPlaceIsTheTrackersAtOnce() {
        var script = Script()
        script.connect()
        var trackers = script.frame(Script.position("V1")).objects(on: "/tracker")
        for _ in 0..<3 {
            script.advance(1)
            trackers += script.frame(Script.position("V2", frequency: "404.000")).objects(on: "/tracker")
        }
        #expect(trackers.map { $0["serial"] as? String } == ["V1", "V2"])
    }

    private func cleared(_ outcome: Script.Outcome) -> [String] {
        outcome.published.filter { $0.isRetained && $0.payload.isEmpty }
            .map { String($0.topic.dropFirst("sondygo/test/".count)) }.sorted()
    }

    /// Without a broker, positions, events and answers are spooled. Radio and states have no history.
    @Test func withoutABrokerReportsWithAHistoryAreSpooled() {
        var script = Script()
        script.connect()
        let first = script.command("{\"id\":1,\"mute\":true}")
        script.brokerDisconnected()
        var outcome = script.frame(Script.position())
        outcome += script.takeWrites(first)
        outcome += script.frame("0/RS41/403.500/120.5/100/4260/1/3.10/o")
        #expect(outcome.published.isEmpty)
        let spooled = outcome.spooled.compactMap { $0.historyTopic?.replacing("sondygo/test/history/", with: "") }
        #expect(spooled.count { $0 == "position" } == 1)
        #expect(spooled.count { $0 == "command/response" } == 2)
        #expect(spooled.count { $0 == "event" } >= 1)
        #expect(Set(spooled) == ["position", "event", "command/response"])
        // The position is published again without a history topic, because it is already in the spool.
        let again = script.brokerConnected().published
        #expect(again.filter { $0.historyTopic != nil } == [])
    }

    /// A refused command changes nothing, so nobody misses its answer later. Other final answers are kept.
    @Test(arguments: [true, false]) func refusalsAreNotKept(_ isConnected: Bool) {
        var script = Script()
        script.connect()
        if !isConnected { script.brokerDisconnected() }
        let outcome = script.command(#"{"no":"verb"}"#) + script.command(#"{"route":{"mode":"bike"}}"#)
        let answers = (outcome.published + outcome.spooled).filter { $0.topic == "sondygo/test/command/response" }
        let kept = answers.filter { $0.historyTopic != nil }.compactMap { $0.object?["status"] as? String }
        #expect(kept == ["done"])
        #expect(answers.count == (isConnected ? 2 : 1))
        var flood = Script.Outcome()
        for _ in 0..<200 { flood += script.command(#"{"route":{"mode":"bike"}}"#) }
        #expect(flood.answers.contains("rejected:busy!"))
        let refused = (flood.published + flood.spooled).filter { $0.object?["status"] as? String == "rejected" }
        #expect(refused.isEmpty != isConnected && refused.allSatisfy { $0.historyTopic == nil })
    }

    /// Events before the broker's connect are published live if the broker connects within 10 s, else on the history
    /// topic. Once they were never published on `event`.
    @Test(arguments: [(9.0, true), (11.0, false)])
    func eventsOfTheStartWaitForTheBroker(_ seconds: Double, _ isLive: Bool) {
        var script = Script()
        var outcome = script.run(.storeReplaced("The damaged store was moved aside."))
        outcome += script.wait(seconds)
        outcome += script.brokerConnected()
        #expect(outcome.objects(on: "/event").map { $0["event"] as? String } == (isLive ? ["store_replaced"] : []))
        #expect(outcome.spooled.map(\.historyTopic) == (isLive ? [] : ["sondygo/test/history/event"]))
        // They are published once.
        script.brokerDisconnected()
        #expect(script.brokerConnected().messages(on: "/event").isEmpty)
    }

    /// If the gateway stops within these 10 s, its events go to the history.
    @Test func eventsOfAShortRunAreHistory() {
        var script = Script()
        let outcome = script.run(.storeReplaced("The damaged store was moved aside.")) + script.stop()
        let events = outcome.spooled.compactMap { $0.object?["event"] as? String }
        #expect(events == ["store_replaced", "gateway_stopped", "state_changed"])
    }

    /// The tracker holds its time, so that a map or a script can tell an old place from a new one.
    @Test func theTrackerHasItsTime() throws {
        var script = Script()
        script.connect()
        let tracker = try #require(script.frame(Script.position()).objects(on: "/tracker").first)
        #expect(tracker["time"] as? String == script.now.wall.iso8601)
        #expect(tracker["age_ms"] as? Int == 0)
        script.brokerDisconnected()
        script.advance(12)
        #expect(script.brokerConnected().objects(on: "/tracker").first?["age_ms"] as? Int == 12_000)
    }

    /// After a kill the broker still holds `state` and `receiver/state`. So the next start publishes these first.
    @Test func afterAKillRetainedStatesAreCorrectedFirst() {
        var script = Script()
        let first = script.brokerConnected().published.prefix(2)
        #expect(first.map(\.topic) == ["sondygo/test/receiver/state", "sondygo/test/state"])
        #expect(first.first.map { String(decoding: $0.payload, as: UTF8.self) } == "offline")
        #expect(first.last?.object?["state"] as? String == "startup")
    }

    /// The page says since when no broker is there, also if there never was one.
    @Test func aMissingBrokerHasATime() throws {
        var script = Script()
        let lostAfter = { (script: Script) in script.mqtt.lostAt.map { $0.duration(to: script.now.monotonic) } }
        script.advance(60)
        #expect(lostAfter(script) == .seconds(60), "since the start")
        script.brokerConnected()
        #expect(lostAfter(script) == nil)
        script.advance(60)
        script.brokerDisconnected()
        script.advance(5)
        script.brokerDisconnected()
        script.advance(120)
        #expect(lostAfter(script) == .seconds(125), "since the session's end, whatever fails after it")
        script.brokerConnected()
        let told = try #require(
            script.run(.healthDue(ProcessHealth(brokerAway: .seconds(125)))).objects(on: "/health").first)
        #expect((told["broker"] as? [String: Any])?["away_s"] as? Int == 125)
    }

    @Test func aFailingStoreIsReported() {
        var script = Script()
        script.brokerConnected()
        let full = StoreError(.full, "database or disk is full")
        let failed = script.run(.storeChanged(full))
        #expect(failed.announcements == [.storeFailed(full)])
        #expect(failed.objects(on: "/event").first?["reason"] as? String == "full")
        #expect(
            failed.objects(on: "/event").first?["text"] as? String
                == "Recording has stopped, live data continues. The store reports: database or disk is full.")
        #expect(failed.actions.contains(.measureHealth), "so that it is told at once")
        let fault = { (script: inout Script) in
            script.run(.healthDue(ProcessHealth())).objects(on: "/health").first?["store_fault"]
        }
        #expect(fault(&script) as? String == "full")
        let recovered = script.run(.storeChanged(nil))
        #expect(recovered.announcements == [.storeRecovered] && recovered.actions.contains(.measureHealth))
        #expect(fault(&script) is NSNull)
        #expect(script.run(.storeReplaced("Moved.")).announcements == [.storeReplaced("Moved.")])
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_767_268_800_001, "2026-01-01T12:00:00.001Z"), (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func times(_ milliseconds: Int64, _ expected: String) {
        #expect(WallTime(millisecondsSince1970: milliseconds).iso8601 == expected)
    }

    @Test func timesAgreeWithFoundation() {
        var random = SeededRandom.ofThisRun
        for _ in 0..<2000 {
            let seconds = Int64.random(in: -2_000_000_000...8_000_000_000, using: &random)
            let expected = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format().replacing("Z", with: ".000Z")
            #expect(WallTime(millisecondsSince1970: seconds * 1000).iso8601 == expected)
        }
    }

    /// A number always has a decimal point. InfluxDB loses rows if a field changes between integer and float.
    @Test(
        arguments: [
            (404.2, 3, "404.2"), (404.25, 1, "404.3"), (-0.04, 1, "0.0"), (-2.54439, 6, "-2.54439"), (1e-7, 6, "0.0"),
            (500, 1, "500.0"), (500, 0, "500.0"), (-3, 6, "-3.0"), (0.05, 2, "0.05"), (5025.04, 2, "5025.04"),
            (.nan, 1, "null"), (.infinity, 1, "null"), (1e300, 1, "null"),
        ] as [(Double, Int, String)])
    func numbers(_ value: Double, _ decimals: Int, _ expected: String) {
        var json = JSONText()
        json.field("x", value, decimals: decimals)
        #expect(String(decoding: json.object, as: UTF8.self) == "{\"x\":\(expected)}")
    }

    @Test func stringsAreEscaped() throws {
        var json = JSONText()
        json.field("x", "a\"b\\c\n\u{1}é€")
        #expect(String(decoding: json.object, as: UTF8.self) == "{\"x\":\"a\\\"b\\\\c\\u000a\\u0001é€\"}")
    }

    @Test(arguments: [
        ("sondygo", "car1", true), ("a/b", "car1", true), ("sondygo", "a/b", false), ("Sondygo", "x", false),
        ("/a", "x", false), ("a/", "x", false), ("a//b", "x", false), ("$a", "x", false), ("a+", "x", false),
        ("", "x", false),
        ("a", "", false), ("a", "#", false),
    ])
    func topicRules(_ base: String, _ id: String, _ isValid: Bool) {
        #expect((Topics(base: base, id: id) != nil) == isValid)
    }

    @Test func rawLogLinesRoundTrip() {
        let record = RawLogRecord(
            monotonic: MonotonicTime(nanoseconds: 123), wall: "w", session: 2, bytes: [0, 255, 10])
        #expect(RawLogRecord(line: record.line) == record)
        for bad in [
            "", "{}", "{\"monotonic_ns\":1,\"wall\":\"w\",\"hex\":\"0\"}",
            "{\"monotonic_ns\":1,\"wall\":\"w\",\"hex\":\"zz\"}",
        ] {
            #expect(RawLogRecord(line: Array(bad.utf8)) == nil)
        }
    }
}
