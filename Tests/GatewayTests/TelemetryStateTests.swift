import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The seven states with each change of their inputs, by a table.
@Suite struct TelemetryStateTests {
    typealias State = TelemetryState
    typealias Reason = TelemetryState.Reason

    enum Change: CaseIterable {
        case telemetryBegins, telemetryEnds, receiverAnswers, sondeHubHasIt, sondeHubHasNone, lands, flies, sondeChanges
        case timePasses, gatewayStops
    }

    /// The changes that lead from the start to each state.
    private static let ways: [State: [Change]] = [
        .startup: [],
        .liveBLEFlying: [.telemetryBegins],
        .liveBLELanded: [.telemetryBegins, .lands],
        .waitingForAPRS: [.telemetryBegins, .telemetryEnds],
        .aprsFlying: [.telemetryBegins, .telemetryEnds, .sondeHubHasIt],
        .aprsLanded: [.telemetryBegins, .telemetryEnds, .lands, .sondeHubHasIt],
        .noTelemetry: [.receiverAnswers, .sondeHubHasNone],
    ]

    /// Rows: the state. Columns: the changes above. Cells: the next state and its reason; nil to stay.
    private static let table: [State: [(State, Reason)?]] = [
        .startup: [
            (.liveBLEFlying, .receiverTelemetry), nil, nil, nil, nil, nil, nil, nil, (.noTelemetry, .timedOut),
            (.noTelemetry, .stopping),
        ],
        .liveBLEFlying: [
            nil, (.waitingForAPRS, .receiverTelemetryLost), nil, nil, nil, (.liveBLELanded, .landed), nil, nil, nil,
            (.noTelemetry, .stopping),
        ],
        .liveBLELanded: [
            nil, (.waitingForAPRS, .receiverTelemetryLost), nil, nil, nil, nil, (.liveBLEFlying, .airborne),
            (.liveBLEFlying, .airborne), nil, (.noTelemetry, .stopping),
        ],
        .waitingForAPRS: [
            (.liveBLEFlying, .receiverTelemetry), nil, nil, (.aprsFlying, .sondeHubTelemetry), nil, nil, nil, nil,
            (.noTelemetry, .timedOut), (.noTelemetry, .stopping),
        ],
        .aprsFlying: [
            (.liveBLEFlying, .receiverTelemetry), nil, nil, nil, nil, (.aprsLanded, .landed), nil,
            (.noTelemetry, .sondeChanged), (.noTelemetry, .sondeHubTimedOut), (.noTelemetry, .stopping),
        ],
        .aprsLanded: [
            (.liveBLELanded, .receiverTelemetry), nil, nil, nil, nil, nil, (.aprsFlying, .airborne),
            (.noTelemetry, .sondeChanged), (.noTelemetry, .sondeHubTimedOut), (.noTelemetry, .stopping),
        ],
        .noTelemetry: [
            (.liveBLEFlying, .receiverTelemetry), nil, nil, (.aprsFlying, .sondeHubTelemetry), nil, nil, nil, nil, nil,
            nil,
        ],
    ]

    /// The state machine alone, with its inputs and the time.
    private struct Bench {
        var telemetry = Telemetry(at: Bench.start)
        var facts = Facts()
        var now = Bench.start

        static let start = Moment(
            monotonic: .zero, wall: WallTime(millisecondsSince1970: Script.noon), isClockSynced: true)

        init(_ state: State = .startup) {
            for change in TelemetryStateTests.ways[state] ?? [] { make(change) }
        }

        /// - Returns: the announcements.
        @discardableResult
        mutating func make(_ change: Change? = nil) -> [Announcement] {
            switch change {
            case .telemetryBegins:
                facts.receiver.link = .dataReady
                // While the receiver has telemetry SondeHub is not polled.
                facts.sondeHub.hasSonde = false
            case .telemetryEnds: if facts.receiver.link == .dataReady { facts.receiver.link = .readyForCommands }
            case .receiverAnswers: facts.receiver.hasAnswered = true
            case .sondeHubHasIt:
                (facts.sondeHub.hasAnswered, facts.sondeHub.hasSonde) = (true, true)
                facts.sondeHub.lastAnswer = now
            case .sondeHubHasNone: (facts.sondeHub.hasAnswered, facts.sondeHub.hasSonde) = (true, false)
            case .lands: facts.sonde.phase = PhaseVerdict(.landed, .vectorTest)
            case .flies: facts.sonde.phase = PhaseVerdict(.descendingBelow10k, .verticalSpeed)
            case .sondeChanges:
                facts.sonde.phase = PhaseVerdict(.unknown, nil)
                (facts.sondeHub.hasSonde, facts.sondeHub.lastAnswer) = (false, nil)
            case .timePasses: pass(60)
            case .gatewayStops: facts.run.isStopping = true
            case nil: break
            }
            var turn = Turn(at: now, calls: Calls())
            telemetry.follow(facts, &turn)
            return Script.Outcome(actions: turn.actions).announcements
        }

        /// The receiver hears a sonde without a place.
        mutating func hearSonde() {
            let now = now.monotonic
            facts.signal.heard = [HeardSignal(serial: nil, heardAt: now, placelessAt: now)]
        }

        mutating func pass(_ seconds: Double) {
            now.monotonic = now.monotonic.advanced(by: .seconds(seconds))
            now.wall = now.wall.advanced(by: .seconds(seconds))
        }
    }

    @Test(arguments: State.allCases)
    func everyChangeInEveryState(_ state: State) throws {
        let row = try #require(Self.table[state])
        #expect(row.count == Change.allCases.count)
        for (change, expected) in zip(Change.allCases, row) {
            var bench = Bench(state)
            #expect(bench.telemetry.state == state)
            let since = bench.telemetry.since
            bench.pass(1)
            let told = bench.make(change)
            #expect(bench.telemetry.state == expected?.0 ?? state, "\(state), \(change)")
            #expect(told == (expected.map { [.stateChanged($0.0, from: state, $0.1)] } ?? []), "\(state), \(change)")
            #expect(bench.telemetry.since == (expected == nil ? since : bench.now))
            if let expected { #expect(bench.telemetry.reason == expected.1) }
            // A second look changes nothing.
            #expect(bench.make().isEmpty)
        }
    }

    /// Nothing changes before the deadline, nor by a late timer of an earlier state.
    @Test(arguments: State.allCases)
    func earlyTimersChangeNothing(_ state: State) {
        var bench = Bench(state)
        let before = bench.telemetry
        bench.pass(14.9)
        #expect(bench.make().isEmpty)
        #expect(bench.telemetry == before)
    }

    /// Waiting lasts 15 s, exactly to its deadline.
    @Test(arguments: [State.startup, .waitingForAPRS])
    func waitingEnds(_ state: State) {
        var bench = Bench(state)
        #expect(bench.telemetry.deadline == Bench.start.monotonic.advanced(by: .seconds(15)))
        bench.pass(15)
        #expect(bench.make() == [.stateChanged(.noTelemetry, from: state, .timedOut)])
        // Only the deadline for saying the loss remains, if the receiver sends frames: else nobody knows what it hears.
        if state == .startup {
            #expect(bench.telemetry.deadline == nil)
            bench.facts.receiver.firstFrameAt = Bench.start.monotonic
            #expect(bench.make().isEmpty)
        }
        let said = Bench.start.monotonic.advanced(by: .seconds(60 + (state == .startup ? 15 : 0)))
        #expect(bench.telemetry.deadline == said)
    }

    /// Why there is no telemetry follows the signal, also where the state stays: from each state that ends there, and when
    /// a carrier comes and goes later.
    @Test(arguments: [State.startup, .waitingForAPRS, .aprsFlying, .noTelemetry])
    func aSignalWithoutAPlaceIsTheReason(_ state: State) {
        var bench = Bench(state)
        bench.pass(60)
        bench.hearSonde()
        bench.make()
        #expect(bench.telemetry.state == .noTelemetry && bench.telemetry.reason == .noPosition)
        let end = bench.now.monotonic.advanced(by: Silence.unheard.begins)
        #expect(bench.telemetry.deadline.map { $0 <= end } ?? false)
        bench.pass(20)
        bench.make()
        #expect(bench.telemetry.state == .noTelemetry && bench.telemetry.reason == .timedOut)
        bench.hearSonde()
        bench.make()
        #expect(bench.telemetry.reason == .noPosition)
        #expect(bench.make(.gatewayStops).isEmpty)
    }

    @Test func pollingIsOnInAllButTheLiveStates() {
        #expect(
            State.allCases.filter(\.polls) == [.startup, .waitingForAPRS, .aprsFlying, .aprsLanded, .noTelemetry])
    }

    @Test func startupWaitsForBothServices() {
        var bench = Bench()
        #expect(bench.make(.sondeHubHasIt).isEmpty)
        #expect(bench.make(.receiverAnswers) == [.stateChanged(.aprsFlying, from: .startup, .sondeHubTelemetry)])
    }

    @Test func startupEndsWithWhatSondeHubHasAfterFifteenSeconds() {
        var bench = Bench()
        bench.make(.sondeHubHasIt)
        bench.pass(15)
        #expect(bench.make() == [.stateChanged(.aprsFlying, from: .startup, .sondeHubTelemetry)])
    }

    /// Poll interval -> seconds after the last good answer at which SondeHub times out.
    @Test(arguments: [(5.0, 60.0), (15, 60), (24, 60), (300, 750), (3600, 9000)])
    func sondeHubTimesOut(_ interval: Double, _ seconds: Double) {
        var bench = Bench(.aprsFlying)
        bench.facts.sondeHub.interval = .seconds(interval)
        bench.pass(seconds - 1)
        #expect(bench.make().isEmpty)
        bench.pass(1)
        #expect(bench.make() == [.stateChanged(.noTelemetry, from: .aprsFlying, .sondeHubTimedOut)])
        // An old answer does not make SondeHub the source again.
        bench.pass(seconds)
        #expect(bench.make().isEmpty)
        #expect(bench.make(.sondeHubHasIt) == [.stateChanged(.aprsFlying, from: .noTelemetry, .sondeHubTelemetry)])
    }
}
