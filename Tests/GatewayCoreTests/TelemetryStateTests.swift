import ReceiverProtocol
import Testing

@testable import GatewayCore

/// The seven states: every state with every event, from the specification's table.
@Suite struct TelemetryStateTests {
    typealias State = TelemetryState.State
    typealias Event = TelemetryState.Event

    /// How each state is reached from the start, and how long it is waited for then.
    private static let ways: [(State, [Event])] = [
        (.startup, []),
        (.liveBLEFlying, [.receiverTelemetry(true)]),
        (.liveBLELanded, [.receiverTelemetry(true), .landed(true)]),
        (.waitingForAPRS, [.receiverTelemetry(true), .receiverTelemetry(false)]),
        (.aprsFlying, [.receiverTelemetry(true), .receiverTelemetry(false), .sondeHub(isAvailable: true)]),
        (
            .aprsLanded,
            [.receiverTelemetry(true), .receiverTelemetry(false), .landed(true), .sondeHub(isAvailable: true)]
        ),
        (.noTelemetry, [.receiverAnswered, .sondeHub(isAvailable: false)]),
    ]

    private static let events: [Event] = [
        .receiverTelemetry(true), .receiverTelemetry(false), .receiverAnswered, .sondeHub(isAvailable: true),
        .sondeHub(isAvailable: false), .landed(true), .landed(false), .sondeChanged, .timePassed,
    ]

    /// Rows: state; columns: the events above; the cell: the next state. `timePassed` comes when it is due.
    private static let table: [State: [State]] = [
        .startup: [
            .liveBLEFlying, .startup, .startup, .startup, .startup, .startup, .startup, .startup, .noTelemetry,
        ],
        .liveBLEFlying: [
            .liveBLEFlying, .waitingForAPRS, .liveBLEFlying, .liveBLEFlying, .liveBLEFlying, .liveBLELanded,
            .liveBLEFlying, .liveBLEFlying, .liveBLEFlying,
        ],
        .liveBLELanded: [
            .liveBLELanded, .waitingForAPRS, .liveBLELanded, .liveBLELanded, .liveBLELanded, .liveBLELanded,
            .liveBLEFlying, .liveBLELanded, .liveBLELanded,
        ],
        .waitingForAPRS: [
            .liveBLEFlying, .waitingForAPRS, .waitingForAPRS, .aprsFlying, .waitingForAPRS, .waitingForAPRS,
            .waitingForAPRS, .waitingForAPRS, .noTelemetry,
        ],
        .aprsFlying: [
            .liveBLEFlying, .aprsFlying, .aprsFlying, .aprsFlying, .aprsFlying, .aprsLanded, .aprsFlying, .aprsFlying,
            .noTelemetry,
        ],
        .aprsLanded: [
            .liveBLELanded, .aprsLanded, .aprsLanded, .aprsLanded, .aprsLanded, .aprsLanded, .aprsFlying, .aprsLanded,
            .noTelemetry,
        ],
        .noTelemetry: [
            .liveBLEFlying, .noTelemetry, .noTelemetry, .aprsFlying, .noTelemetry, .noTelemetry, .noTelemetry,
            .noTelemetry, .noTelemetry,
        ],
    ]

    private static let start = Moment(
        monotonic: .zero, wall: WallTime(millisecondsSince1970: 1_767_268_800_000), isClockSynced: true)

    private static func after(_ seconds: Double) -> Moment {
        var moment = start
        moment.monotonic = start.monotonic.advanced(by: seconds)
        moment.wall = start.wall.advanced(byMilliseconds: Int64(seconds * 1000))
        return moment
    }

    private static func reached(_ state: State) -> TelemetryState {
        var machine = TelemetryState(at: start, asksSondeHub: true)
        for event in ways.first(where: { $0.0 == state })?.1 ?? [] { _ = machine.handle(event, at: start) }
        return machine
    }

    @Test(arguments: State.allCases)
    func everyEventInEveryState(_ state: State) throws {
        let row = try #require(Self.table[state])
        for (event, next) in zip(Self.events, row) {
            var machine = Self.reached(state)
            #expect(machine.state == state)
            let changed = machine.handle(event, at: Self.after(event == .timePassed ? 61 : 1))
            #expect(machine.state == next, "\(state) on \(event)")
            #expect(changed == (next != state))
            #expect(machine.since == (changed ? Self.after(event == .timePassed ? 61 : 1) : Self.start))
        }
    }

    /// A timer that fires early, or late for a state that is long left, changes nothing.
    @Test(arguments: State.allCases)
    func lateFiringIsInert(_ state: State) {
        var machine = Self.reached(state)
        let before = machine
        #expect((!machine.handle(.timePassed, at: Self.after(14.9))) as Bool)
        #expect(machine == before)
    }

    /// Polling is on in these states only.
    @Test func polling() {
        #expect(
            State.allCases.filter(\.polls) == [.startup, .waitingForAPRS, .aprsFlying, .aprsLanded, .noTelemetry])
    }

    @Test func startupWaitsForBothServices() {
        var machine = TelemetryState(at: Self.start, asksSondeHub: true)
        #expect((!machine.handle(.sondeHub(isAvailable: true), at: Self.after(1))) as Bool)
        #expect((machine.handle(.receiverAnswered, at: Self.after(2))) as Bool)
        #expect(machine.state == .aprsFlying)
        #expect(machine.reason == .sondeHubTelemetry)
    }

    @Test func startupEndsWithWhatSondeHubHasAfterFifteenSeconds() {
        var machine = TelemetryState(at: Self.start, asksSondeHub: true)
        _ = machine.handle(.sondeHub(isAvailable: true), at: Self.after(1))
        #expect((machine.handle(.timePassed, at: Self.after(15))) as Bool)
        #expect(machine.state == .aprsFlying)
    }

    @Test func withSondeHubOffOnlyTheReceiverIsWaitedFor() {
        var machine = TelemetryState(at: Self.start, asksSondeHub: false)
        #expect((machine.handle(.receiverAnswered, at: Self.after(1))) as Bool)
        #expect(machine.state == .noTelemetry)
        #expect(machine.reason == .nothingHeard)
    }

    @Test func availabilityIsNeverLeftOver() {
        var machine = Self.reached(.aprsFlying)
        _ = machine.handle(.receiverTelemetry(true), at: Self.after(1))
        #expect(!machine.isSondeHubAvailable)
        _ = machine.handle(.receiverTelemetry(false), at: Self.after(2))
        #expect(machine.state == .waitingForAPRS)
        machine = Self.reached(.aprsFlying)
        _ = machine.handle(.sondeChanged, at: Self.after(1))
        #expect(!machine.isSondeHubAvailable)
    }

    /// Poll interval -> seconds after the last good answer at which SondeHub has timed out.
    @Test(arguments: [(5.0, 60.0), (15, 60), (24, 60), (300, 750), (3600, 9000)])
    func sondeHubTimesOut(_ interval: Double, _ seconds: Double) {
        var machine = Self.reached(.aprsFlying)
        machine.pollInterval = interval
        #expect((!machine.handle(.timePassed, at: Self.after(seconds))) as Bool)
        #expect((machine.handle(.timePassed, at: Self.after(seconds + 0.01))) as Bool)
        #expect(machine.state == .noTelemetry)
        #expect(machine.reason == .sondeHubTimedOut)
        #expect((!machine.handle(.timePassed, at: Self.after(seconds * 3))) as Bool)
        #expect(machine.state == .noTelemetry)
    }
}
