import GatewayReports
import ReceiverProtocol
import Testing

@testable import BluetoothProtocol

@Suite struct LinkLadderTests {
    static let address = BluetoothAddress("D8:A0:1D:02:03:04")
    static let names = ReceiverFilter(names: ["MySondy"])

    enum Step {
        case ended(LinkOutcome)
        case wait(Duration)
    }

    /// The steps so far -> the repair of the next attempt.
    @Test(
        arguments: [
            ([], .reconnect),
            // The receiver is away: the adapter has no fault.
            ([.ended(.notFound)], .rescan), ([.ended(.notFound), .ended(.notFound), .ended(.notFound)], .rescan),
            ([.ended(.served(endedSilently: false))], .reconnect),
            ([.ended(.served(endedSilently: false)), .ended(.notFound)], .rescan),
            // The receiver is present but unusable: a repair at 3, 6, 12 … failures.
            ([.ended(.failed)], .reconnect), ([.ended(.failed), .ended(.mute)], .rescan),
            ([.ended(.failed), .ended(.failed), .ended(.failed)], .powerCycle),
            ([Step](repeating: .ended(.mute), count: 4), .rescan),
            ([Step](repeating: .ended(.mute), count: 6), .powerCycle),
            ([Step](repeating: .ended(.mute), count: 9), .rescan),
            ([Step](repeating: .ended(.mute), count: 12), .powerCycle),
            // The link fell silent, then the receiver was not heard: the controller may have lost the link.
            ([.ended(.served(endedSilently: true)), .ended(.notFound)], .rescan),
            ([.ended(.served(endedSilently: true)), .ended(.notFound), .ended(.notFound)], .powerCycle),
            // The adapter reports a fault.
            ([.ended(.adapterTrouble)], .powerCycle),
            ([.ended(.adapterTrouble), .ended(.adapterTrouble)], .powerCycle),
            ([.ended(.adapterTrouble), .ended(.notFound)], .rescan),
            ([.ended(.adapterTrouble), .ended(.served(endedSilently: false))], .reconnect),
            // No repair would help.
            ([.ended(.unavailable), .ended(.unavailable), .ended(.unavailable)], .reconnect),
            ([.ended(.denied), .ended(.failed), .ended(.failed), .ended(.failed)], .reconnect),
            ([.ended(.cancelled)], .reconnect),
            // The receiver is absent for long: as a precaution a power cycle after 5 min, 10 min, ….
            ([.ended(.notFound), .wait(.seconds(299))], .rescan),
            ([.ended(.notFound), .wait(.seconds(300))], .powerCycle),
        ] as [([Step], LinkRepair)])
    func repeatedFailuresClimbTheLadder(_ steps: [Step], _ expected: LinkRepair) {
        var ladder = LinkLadder(filter: Self.names, last: nil)
        var now = MonotonicTime.zero
        for step in steps {
            switch step {
            case .ended(let outcome):
                _ = ladder.next(at: now)
                ladder.ended(outcome, lingers: false, at: now)
            case .wait(let time): now = now.advanced(by: time)
            }
        }
        #expect(ladder.next(at: now).rung == expected)
    }

    @Test func anAdapterInTroubleIsSwitchedOffAndOnEachTime() {
        var ladder = LinkLadder(filter: Self.names, last: nil)
        let rungs = (0..<4).map { _ in
            let rung = ladder.next(at: .zero).rung
            ladder.ended(.adapterTrouble, lingers: false, at: .zero)
            return rung
        }
        #expect(rungs == [.reconnect, .powerCycle, .powerCycle, .powerCycle])
        #expect(ladder.advice == .replugAdapter)
    }

    @Test func adviceIsForAPersonAndEndsWithTheFault() {
        var ladder = LinkLadder(filter: Self.names, last: nil)
        for _ in 0..<13 {
            _ = ladder.next(at: .zero)
            ladder.ended(.mute, lingers: false, at: .zero)
        }
        #expect(ladder.advice == .restartReceiver)
        ladder.ended(.served(endedSilently: false), lingers: false, at: .zero)
        #expect(ladder.advice == nil)
    }

    @Test func absenceIsRepairedEverMoreSlowly() {
        var ladder = LinkLadder(filter: Self.names, last: nil)
        var cycles: [Int] = []
        for second in stride(from: 0, to: 6 * 3600, by: 60) {
            let now = MonotonicTime.zero.advanced(by: .seconds(second))
            if ladder.next(at: now).rung == .powerCycle { cycles.append(second / 60) }
            ladder.ended(.notFound, lingers: false, at: now)
        }
        #expect(cycles == [5, 10, 20, 40, 80, 140, 200, 260, 320])
    }

    @Test func theLastReceiverIsTriedFirst() throws {
        let address = try #require(Self.address)
        let last = LEAddress(address, .random)
        var fresh = LinkLadder(filter: Self.names, last: nil)
        #expect(fresh.next(at: .zero).target == .discover(Self.names))
        // The last device, for a while: another receiver may be in range.
        var known = LinkLadder(filter: Self.names, last: last)
        var attempt = known.next(at: .zero)
        #expect(attempt.target == .known([last]))
        #expect(attempt.searchLimit == LinkLadder.knownDeviceLimit)
        known.ended(.notFound, lingers: false, at: .zero)
        #expect(known.next(at: .zero).target == .discover(Self.names))
        // Without the privilege to scan: without a time limit.
        known.ended(.denied, lingers: false, at: .zero)
        attempt = known.next(at: .zero)
        #expect(attempt.target == .known([last]))
        #expect(attempt.searchLimit == nil)
        // A pinned address: never another device. If the kind is unknown, both kinds are tried where both are possible.
        let pinned = ReceiverFilter(names: [], address: address)
        var ladder = LinkLadder(filter: pinned, last: nil)
        #expect(ladder.next(at: .zero).target == .known([LEAddress(address, .public), LEAddress(address, .random)]))
        let other = try #require(BluetoothAddress("00:AA:01:02:03:04"))
        let otherPinned = ReceiverFilter(names: [], address: other)
        ladder = LinkLadder(filter: otherPinned, last: last)
        attempt = ladder.next(at: .zero)
        #expect(attempt.target == .known([LEAddress(other, .public)]))
        #expect(attempt.searchLimit == nil)
    }

    @Test func anOldLinkIsLeftToRunOut() {
        var ladder = LinkLadder(filter: Self.names, last: nil)
        // At the start: a gateway that was killed may have left a link open.
        #expect(ladder.next(at: .zero).notBefore == .zero.advanced(by: .milliseconds(2500)))
        let later = MonotonicTime.zero.advanced(by: .seconds(100))
        ladder.ended(.served(endedSilently: true), lingers: true, at: later)
        #expect(ladder.next(at: later).notBefore == later.advanced(by: .milliseconds(2500)))
        ladder.ended(.served(endedSilently: false), lingers: false, at: later)
        #expect(ladder.next(at: later).notBefore == nil)
    }

    @Test func theTimeWithoutALinkIsMeasured() {
        var ladder = LinkLadder(filter: Self.names, last: nil)
        #expect(ladder.timeWithoutLink(at: .zero) == .zero)
        _ = ladder.next(at: .zero)
        let later = MonotonicTime.zero.advanced(by: .milliseconds(12_500))
        #expect(ladder.timeWithoutLink(at: later) == .milliseconds(12_500))
        ladder.ended(.served(endedSilently: false), lingers: false, at: later)
        #expect(ladder.timeWithoutLink(at: later.advanced(by: .seconds(1))) == .seconds(1))
    }
}
