import Gateway
import Testing

@testable import MosquittoClient

/// The send window on simulated lines.
@Suite struct SendWindowTests {
    /// Sends messages of `bytes` over a line for some time, whenever the window has room.
    /// - Returns: for each message, how long it took to its acknowledgement.
    private func latencies(
        bytesPerSecond rate: Double, roundTrip: Duration, bytes: Int, for time: Duration = .seconds(30),
        _ window: inout SendWindow
    ) -> [Duration] {
        let start = ContinuousClock.now
        var (now, free) = (start, start)
        var underWay: [(ticket: SendWindow.Ticket, sent: ContinuousClock.Instant, done: ContinuousClock.Instant)] = []
        var latencies: [Duration] = []
        while now - start < time {
            while window.room(at: now) > 0, !window.isFull, underWay.count < MosquittoClient.window {
                free = max(free, now) + .seconds(Double(bytes) / rate)
                let ticket = window.sent(bytes: bytes, isAcknowledged: true, isBacklogged: true, at: now)
                underWay.append((ticket, now, free + roundTrip))
            }
            guard let first = underWay.first else { break }
            now = first.done
            underWay.removeFirst()
            window.acknowledged(first.ticket, at: now)
            latencies.append(now - first.sent)
        }
        for rest in underWay { window.acknowledged(rest.ticket, at: rest.done) }
        return latencies
    }

    /// A slow line is kept busy, and no message waits in it for long.
    @Test(arguments: [300.0, 600, 1200, 3000, 8000], [0.05, 0.6, 1.6]) func aSlowLineIsBusyAndNotFull(
        _ rate: Double, _ roundTrip: Double
    ) {
        var window = SendWindow()
        let times = latencies(bytesPerSecond: rate, roundTrip: .seconds(roundTrip), bytes: 500, &window)
        let late = times.dropFirst(times.count / 3).sorted()
        let usual = late[late.count * 9 / 10]
        #expect(usual < .seconds(roundTrip + 3 * 500 / rate + 2.5), "\(times)")
        #expect(Double(times.count * 500) > rate * 30 * 0.5, "\(times.count) messages")
        #expect(!window.isWide)
    }

    @Test func aFastLineIsWideAtOnce() {
        var window = SendWindow()
        _ = latencies(
            bytesPerSecond: 10e6, roundTrip: .milliseconds(1), bytes: 500, for: .milliseconds(50), &window)
        #expect(window.isWide && window.room(at: .now) == .max)
    }

    /// Some bytes a second over a good line do not make it look slow.
    @Test func anIdleLineStaysWide() {
        var window = SendWindow()
        let start = ContinuousClock.now
        _ = latencies(
            bytesPerSecond: 10e6, roundTrip: .milliseconds(1), bytes: 500, for: .milliseconds(50), &window)
        for second in 1...100 {
            let now = start + .seconds(second)
            let ticket = window.sent(bytes: 60, isAcknowledged: true, isBacklogged: false, at: now)
            window.acknowledged(ticket, at: now + .milliseconds(40))
        }
        #expect(window.isWide)
    }

    /// After a lost packet the broker gets all that waited behind it at once. That does not make a slow line look fast.
    @Test func acknowledgementsThatComeTogetherAreNoFastLine() throws {
        var window = SendWindow()
        let start = ContinuousClock.now
        let tickets = (0..<20).map { number in
            window.sent(bytes: 500, isAcknowledged: true, isBacklogged: true, at: start + .milliseconds(500 * number))
        }
        for ticket in tickets { window.acknowledged(ticket, at: start + .milliseconds(9550)) }
        let rate = try #require(window.bytesPerSecond)
        #expect((900...1100).contains(rate))
    }

    /// While nothing is acknowledged, nothing more is sent, also on a line that was fast before.
    @Test func aDeadZoneStopsTheSender() {
        var window = SendWindow()
        _ = latencies(
            bytesPerSecond: 10e6, roundTrip: .milliseconds(1), bytes: 500, for: .milliseconds(50), &window)
        let now = ContinuousClock.now + .seconds(1)
        let ticket = window.sent(bytes: 500, isAcknowledged: true, isBacklogged: false, at: now)
        #expect(window.room(at: now + .seconds(1)) > 0)
        #expect(window.room(at: now + .seconds(3)) == 0)
        window.acknowledged(ticket, at: now + .seconds(3))
        #expect(window.room(at: now + .seconds(3)) > 0)
    }
}

/// Topics that the broker refuses for now.
@Suite struct PostponedMessagesTests {
    private let start = ContinuousClock.now

    private func message(_ text: String) -> OutgoingMessage {
        OutgoingMessage(topic: "t", payload: Array(text.utf8), isRetained: true)
    }

    @Test func theNewestValueComesAgainAfterLongerPauses() {
        var postponed = PostponedMessages()
        var (now, pauses) = (start, [Duration]())
        postponed.refused(message("0"), at: now)
        for number in 1...7 {
            let holds = postponed.hold(message("\(number)"))
            #expect(holds)
            let due = postponed.nextAt ?? now
            #expect(postponed.due(at: due - .milliseconds(1)).isEmpty)
            #expect(postponed.due(at: due) == [message("\(number)")])
            pauses.append(due - now)
            now = due
            let holdsWhileUnderWay = postponed.hold(message("later"))
            #expect(!holdsWhileUnderWay)
            postponed.refused(message("\(number)"), at: now)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        #expect(postponed.due(at: now + .seconds(30)) == [message("7")])
        postponed.accepted("t")
        #expect(postponed.nextAt == nil)
        postponed.refused(message("8"), at: now)
        #expect(postponed.nextAt == now + .seconds(1))
    }
}
