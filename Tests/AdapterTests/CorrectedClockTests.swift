import FlightMath
import FlightStore
import Gateway
import GatewayReports
import GatewayRuntime
import MQTTPublishing
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing

/// The clock of the page shows the time that the reports have.
@Suite(.timeLimit(.minutes(10))) struct CorrectedClockTests {
    @Test func thePageIgnoresTheJumpThatTheReportsIgnore() async throws {
        let machine = JumpingWall()
        let inputs = GatewayInputs(clock: machine)
        let feed = FirstReport()
        let service = try GatewayService.forTests(
            inputs: inputs, broker: DeadBroker(), feeds: [feed], store: .forTests(in: temporaryDirectory()))
        let run = Task { try await service.run() }
        try await eventually("the first report") { feed.hasCome.load(ordering: .relaxed).orNil }

        machine.jump.store(7200, ordering: .relaxed)
        let (shown, wall) = (inputs.correctedClock.now, machine.now)
        // The difference is two hours, but for the time between the two calls.
        #expect(wall.wall.duration(since: shown.wall) >= .seconds(7200) - .seconds(1))
        #expect(shown.isClockSynced)

        await inputs.send(.stopping)
        try await run.value
    }
}

/// The system's clock, which was right and is set ahead by some seconds.
private final class JumpingWall: GatewayClock {
    private let system = SystemGatewayClock()
    let jump = Atomic(Int64(0))

    var now: Moment {
        var now = system.now
        now.wall = now.wall.advanced(byMilliseconds: jump.load(ordering: .relaxed) * 1000)
        now.isClockSynced = true
        return now
    }

    func sleep(until deadline: MonotonicTime) async { await system.sleep(until: deadline) }
}

private final class FirstReport: ReportFeed {
    let hasCome = Atomic(false)

    func handle(_ report: Report, at now: Moment) { hasCome.store(true, ordering: .relaxed) }
}
