import FlightMath
import GatewayReports
import ReceiverProtocol
import Testing

@testable import Alerts

/// The alerts that wait for one target, and how long they wait.
@Suite struct AlertQueueTests {
    private static let down = OnlineServiceError(.unreachable, "down")

    private func at(_ seconds: Int) -> MonotonicTime { MonotonicTime.zero.advanced(by: .seconds(seconds)) }

    private func message(_ id: Int, at: Int64 = 0) -> AlertMessage {
        AlertMessage(id: "\(id)", text: "t", event: "landed", serial: nil, latitude: nil, longitude: nil, at: at)
    }

    /// An alert that fails is sent again after 5, 10, 20 … s, at most 5 min, and dropped after an hour. The failure is
    /// reported once.
    @Test func anAlertIsTriedForAnHour() {
        var queue = AlertQueue(mostPerHour: 20)
        #expect(queue.add(message(1), at: at(0)) == nil)
        var tries: [Int] = []
        var notes: [AlertQueue.Note] = []
        for second in 0...3700 {
            guard let next = queue.next(at: at(second)) else { continue }
            tries.append(second)
            if let note = queue.failed(next, Self.down, at: at(second)) { notes.append(note) }
        }
        #expect(tries.prefix(8) == [0, 5, 15, 35, 75, 155, 315, 615])
        #expect((tries.last ?? 0) < 3600 && queue.messages.isEmpty && queue.dropped == 1)
        #expect(notes == [.failing(Self.down)])
        // The next alert is delivered, and that is reported once, too.
        #expect(queue.add(message(2), at: at(4000)) == nil)
        #expect(queue.next(at: at(4300)).map { queue.delivered($0) } == .works)
        #expect(queue.add(message(3), at: at(4301)) == nil)
        #expect(queue.next(at: at(4301)).map { queue.delivered($0) } == .some(nil))
        #expect(queue.sent == 2)
    }

    /// The server's own pause counts, but not beyond five minutes.
    @Test func theServerSaysWhen() {
        for (asked, waits) in [(60, 60), (1, 5), (100_000, 300)] {
            var queue = AlertQueue(mostPerHour: 20)
            _ = queue.add(message(1), at: at(0))
            let busy = OnlineServiceError(.rateLimited, "busy", retryAfter: .seconds(asked))
            _ = queue.failed(message(1), busy, at: at(0))
            #expect(queue.next(at: at(waits - 1)) == nil && queue.next(at: at(waits)) != nil, "\(asked)")
        }
    }

    @Test func noMoreAlertsThanTheHoursNumber() {
        var queue = AlertQueue(mostPerHour: 3)
        let notes = (0..<6).map { queue.add(message($0), at: at($0)) }
        #expect(notes == [nil, nil, nil, .tooMany, nil, nil])
        #expect(queue.messages.count == 3 && queue.dropped == 3)
        #expect(queue.add(message(7), at: at(3600)) == nil)
        #expect(queue.messages.count == 4)
    }

    @Test func theOldestIsDroppedWhenFiftyWait() {
        var queue = AlertQueue(mostPerHour: 200)
        for id in 0..<60 { #expect(queue.add(message(id), at: at(id)) == nil) }
        #expect(queue.messages.map(\.id) == (10..<60).map { "\($0)" })
        #expect(queue.dropped == 10)
    }

    /// Only alerts of the last hour are resumed. If the clock has gone back by less than an hour, newer ones count as
    /// new.
    @Test func restoring() {
        let noon: Int64 = 1_767_268_800_000
        let now = Moment(monotonic: at(10), wall: WallTime(millisecondsSince1970: noon), isClockSynced: true)
        for (age, isKept) in [(0, true), (3500, true), (3600, false), (86_400, false), (-60, true), (-7200, false)] {
            var queue = AlertQueue(mostPerHour: 20)
            queue.restore(AlertRecord(waiting: [message(1, at: noon - Int64(age) * 1000)]), at: now)
            #expect((queue.next(at: at(10)) != nil) == isKept, "\(age)")
            if age == 3500 { #expect(queue.next(at: at(110)) == nil) }
        }
    }

    /// The hour's number holds across a restart, even if the clock has gone back a little, but not if it is off by more
    /// than an hour.
    @Test func theHoursNumberSurvivesARestart() {
        let noon: Int64 = 1_767_268_800_000
        var first = AlertQueue(mostPerHour: 3)
        for id in 0..<3 { _ = first.add(message(id, at: noon), at: at(100 + id)) }
        let record = first.record(
            at: Moment(monotonic: at(700), wall: WallTime(millisecondsSince1970: noon), isClockSynced: true))
        #expect(record.came == [noon - 600_000, noon - 599_000, noon - 598_000])
        for (later, isFull) in [(0, true), (2999, true), (3000, false), (-60, true), (-7200, false), (86_400, false)] {
            let wall = WallTime(millisecondsSince1970: noon + Int64(later) * 1000)
            var second = AlertQueue(mostPerHour: 3)
            second.restore(record, at: Moment(monotonic: at(5), wall: wall, isClockSynced: true))
            #expect((second.add(message(9, at: noon), at: at(5)) == .tooMany) == isFull, "\(later)")
        }
        // The configuration has a smaller number now, and the file holds impossible times.
        var smaller = AlertQueue(mostPerHour: 1)
        smaller.restore(
            AlertRecord(came: [.min, .max, 0] + record.came),
            at: Moment(monotonic: at(5), wall: WallTime(millisecondsSince1970: noon), isClockSynced: true))
        #expect(smaller.add(message(9), at: at(5)) == .tooMany)
    }

    /// A refused alert is dropped at once. The same refusal is reported once.
    @Test func refusedAlertsAreDropped() {
        var queue = AlertQueue(mostPerHour: 20)
        let refused = OnlineServiceError(.refused, "HTTP status 401")
        for id in 0..<3 { _ = queue.add(message(id), at: at(0)) }
        let notes = (0..<3).compactMap { queue.failed(message($0), refused, at: at(0)) }
        #expect(notes == [.refused(refused)] && queue.messages.isEmpty)
    }
}
