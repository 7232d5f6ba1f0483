import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct PublishingTests {
    /// Retain, QoS and expiry by topic.
    @Test(
        arguments: [
            ("bridge/state", true, 1, nil), ("receiver/state", true, 1, nil), ("position", true, 1, 120),
            ("radio", true, 1, 120), ("settings", true, 1, nil), ("state", true, 1, nil), ("tracker", true, 1, 120),
            ("health", true, 0, nil), ("event", false, 1, nil), ("command/response", false, 1, nil),
        ] as [(String, Bool, UInt8, UInt32?)])
    func topics(_ topic: String, _ isRetained: Bool, _ qos: UInt8, _ expiry: UInt32?) throws {
        var script = Script()
        var actions = script.run(.brokerConnected)
        actions += script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 20)))
        actions += script.frame(Script.position()) + script.frame(Script.configuration)
        actions += script.command("{\"mute\":true}") + script.run(.healthDue(ProcessHealth()))
        let message = try #require(actions.published.first { $0.topic == "sondygo/test/\(topic)" })
        #expect(message.isRetained == isRetained)
        #expect(message.qos == qos)
        #expect(message.expirySeconds == expiry)
    }

    @Test func everythingRetainedIsPublishedAnewAfterEveryConnack() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.frame(Script.configuration)
        script.run(.healthDue(ProcessHealth()))
        script.run(.brokerDisconnected)
        script.advance(30)
        let again = script.run(.brokerConnected).published
        #expect(
            Set(again.map { String($0.topic.dropFirst("sondygo/test/".count)) }) == [
                "bridge/state", "receiver/state", "state", "settings", "health", "position", "tracker", "radio",
                "flight",
            ])
        #expect(again.first.map { String(decoding: $0.payload, as: UTF8.self) } == "online")
        let position = again.first { $0.topic.hasSuffix("/position") }
        #expect(position?.expirySeconds == 90)
        let text = position.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(text?.contains("\"age_ms\":30000") == true)
        #expect(script.machine.counters.brokerOutages == 1)
    }

    @Test func anOldBalloonIsNotShownAnew() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.run(.brokerDisconnected)
        script.advance(120)
        let again = script.run(.brokerConnected).published
        #expect(
            !again.contains {
                $0.topic.hasSuffix("/position") || $0.topic.hasSuffix("/radio") || $0.topic.hasSuffix("/tracker")
            })
    }

    /// Positions, events and answers; radio and states have no history.
    @Test func withoutABrokerNothingIsSentAndWhatHasAHistoryIsSpooled() {
        var script = Script()
        script.connect()
        let first = script.command("{\"id\":1,\"mute\":true}")
        script.run(.brokerDisconnected)
        var actions = script.frame(Script.position())
        actions += script.run(.writeFinished(first.writeIDs[0], succeeded: true))
        actions += script.frame("0/RS41/403.500/120.5/100/4260/1/3.10/o")
        #expect(actions.published.isEmpty)
        let spooled = actions.compactMap { action -> String? in
            guard case .spool(let message) = action else { return nil }
            return message.historyTopic?.replacing("sondygo/test/history/", with: "")
        }
        #expect(spooled.count { $0 == "position" } == 1)
        #expect(spooled.count { $0 == "command/response" } == 2)
        #expect(spooled.count { $0 == "event" } >= 1)
        #expect(Set(spooled) == ["position", "event", "command/response"])
        // Anew, it has no history: it is in the spool already.
        let again = script.run(.brokerConnected).published
        #expect(again.filter { $0.historyTopic != nil } == [])
        #expect(script.run(.brokerConnected).answers == [])
    }

    @Test func aStoreThatFailsIsTold() {
        var script = Script()
        script.run(.brokerConnected)
        let failed = script.run(.storeChanged(StoreError(.full, "database or disk is full"))).texts(on: "/event")
        #expect(failed.count == 1)
        #expect(failed.first?.contains("\"store_failed\"") == true)
        #expect(failed.first?.contains("recording stops, live data goes on") == true)
        #expect(script.run(.storeChanged(nil)).texts(on: "/event").first?.contains("store_recovered") == true)
        #expect(script.run(.storeReplaced("Moved.")).texts(on: "/event").first?.contains("store_replaced") == true)
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
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let seconds = Int64.random(in: -2_000_000_000...8_000_000_000, using: &random)
            let expected = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format().replacing("Z", with: ".000Z")
            #expect(WallTime(millisecondsSince1970: seconds * 1000).iso8601 == expected)
        }
    }

    @Test(
        arguments: [
            (404.2, 3, "404.2"), (404.25, 1, "404.3"), (-0.04, 1, "0"), (-2.54439, 6, "-2.54439"), (1e-7, 6, "0"),
            (500, 1, "500"), (0.05, 2, "0.05"), (.nan, 1, "null"), (.infinity, 1, "null"), (1e300, 1, "null"),
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
