import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

/// The events of `chase_event` in Home Assistant.
@Suite struct HomeAssistantEventsTests {
    private let point = TrackPoint(
        time: WallTime(millisecondsSince1970: Script.noon), coordinate: Coordinate(latitude: 47, longitude: 8),
        altitudeMetres: 31_000, source: .ble)

    private func landingMoved(_ metres: Double) -> Announcement {
        .landingMoved(to: SpokenLanding(point.coordinate), metres: metres, degrees: 0)
    }

    private func announce(_ announcement: Announcement, at seconds: Int, _ events: inout HomeAssistantEvents) {
        let now = Moment(
            monotonic: MonotonicTime.zero.advanced(by: .seconds(seconds)),
            wall: WallTime(millisecondsSince1970: Script.noon + Int64(seconds) * 1000), isClockSynced: true)
        events.enqueue(AnnouncementReport(announcement: announcement, at: now))
    }

    private func next(at seconds: Int, _ events: inout HomeAssistantEvents) -> [String: String]? {
        events.next(at: MonotonicTime.zero.advanced(by: .seconds(seconds)))
            .flatMap { OutgoingMessage(topic: "", payload: $0).object as? [String: String] }
    }

    @Test func eachEventHasItsSentence() {
        let all: [Announcement] = [
            .burst(point), .landed(point), landingMoved(400), .moved(point), .receiverLost(.stopping),
        ]
        #expect(all.map(\.name) == HomeAssistantEvents.names)
        for announcement in all {
            var events = HomeAssistantEvents()
            announce(announcement, at: 0, &events)
            let told = next(at: 0, &events)
            #expect(
                told == [
                    "event_type": announcement.name, "text": announcement.english,
                    "at": "2026-01-01T12:00:00.000Z",
                ])
        }
        var events = HomeAssistantEvents()
        announce(.airborne, at: 0, &events)
        let nothing = next(at: 0, &events)
        #expect(nothing == nil)
    }

    /// A landing point that moves with every frame is sent every 5 s, with its newest place. No other event is dropped.
    @Test func oneEventInFiveSecondsAtMost() {
        var events = HomeAssistantEvents()
        var told: [(at: Int, text: String)] = []
        for second in 0..<100 {
            if second == 50 { announce(.burst(point), at: second, &events) }
            announce(landingMoved(1000 + Double(second) * 100), at: second, &events)
            if let event = next(at: second, &events) { told.append((second, event["text"] ?? "")) }
        }
        #expect(told.map(\.at) == Array(stride(from: 0, to: 100, by: 5)))
        #expect(told.contains { $0 == (50, "Burst at 31 kilometres.") })
        #expect(told.last?.text == landingMoved(1000 + 9500).english)
    }

    /// A move that is too small for a sentence is no event.
    @Test func smallMovesAreNoEvents() {
        var events = HomeAssistantEvents()
        let now = Script().now
        events.enqueue(AnnouncementReport(announcement: landingMoved(350), at: now, isNews: false))
        let nothing = next(at: 0, &events)
        #expect(nothing == nil)
    }

    @Test func theQueueOfEventsIsBounded() {
        var events = HomeAssistantEvents()
        for _ in 0..<100 { announce(.burst(point), at: 0, &events) }
        var told = 0
        for step in 0..<100 where next(at: step * 5, &events) != nil { told += 1 }
        #expect(told == HomeAssistantEvents.limit)
    }

    /// Events of a time without the broker are not sent later. They are on `history/event`.
    @Test func eventsOfAnOutageAreNotSentLater() throws {
        var script = Script(
            homeAssistant: HomeAssistantOptions(isEnabled: true, prefix: "homeassistant", version: "1.2.3"))
        script.connect()
        let lost = script.closeLink()
        let message = try #require(lost.messages(on: "/homeassistant/event").first)
        #expect(message.object?["event_type"] as? String == "receiver_lost")
        #expect(!message.isRetained && message.historyTopic == nil)
        script.wait(10)
        script.openLink()
        script.frame(Script.searching)
        script.brokerDisconnected()
        let away = script.closeLink()
        #expect(away.announcements.map(\.name).contains("receiver_lost"))
        #expect((script.brokerConnected() + script.wait(60)).messages(on: "/homeassistant/event").isEmpty)
    }
}
