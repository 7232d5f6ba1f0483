import AsyncAlgorithms
import FlightMath
import Foundation
import Gateway
import GatewayReports
import Logging
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing

@testable import GatewayRuntime

/// The log lines about a gpsd that comes and goes.
@Suite(.timeLimit(.minutes(10))) struct GPSDLogTests {
    /// gpsd restarts within a minute. "no gpsd" must not be the last line about it.
    @Test func theRecoveryIsLogged() async throws {
        let said = LogLines()
        let clock = JumpingClock()
        let inputs = GatewayInputs(clock: clock)
        let drain = Task { for await _ in inputs.channel {} }
        let gpsd = FlappingGPSD()
        let service = CarInputService(.gpsd(at: gpsd), inputs: inputs, clock: clock, log: said.logger)
        let running = Task { try await service.run() }
        try await eventually("four tries: \(said.all)") { (gpsd.tries.withLock { $0 } == 4).orNil }
        #expect(
            said.all == ["gpsd connected", "gpsd lost; retrying", "no gpsd; retrying", "gpsd connected"])
        running.cancel()
        drain.cancel()
        _ = try? await running.value
    }
}

/// A gpsd that is there, is absent, is there again, and then never answers.
private final class FlappingGPSD: ReceiverTransport {
    let name = "gpsd"
    let tries = Mutex(0)

    func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        let count = tries.withLock { count in
            count += 1
            return count
        }
        if count == 2 { throw TransportError(.notFound, "connection refused") }
        if count > 3 {
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw TransportError(.notFound, "cancelled")
        }
        return EndedConnection()
    }
}

private struct EndedConnection: ReceiverConnection {
    let peer = ReceiverPeer(name: "gpsd", maximumWriteLength: 128)

    func next() async throws(TransportError) -> ReceivedChunk? { nil }
    func write(_ bytes: [UInt8]) async throws(TransportError) {}
    func close() async {}
}

/// A wait takes no time, and the clock shows its end.
private final class JumpingClock: GatewayClock {
    private let time = Mutex(MonotonicTime.zero)

    var now: Moment {
        Moment(
            monotonic: time.withLock { $0 }, wall: WallTime(millisecondsSince1970: 1_767_268_800_000),
            isClockSynced: true)
    }

    func sleep(until deadline: MonotonicTime) async {
        time.withLock { $0 = max($0, deadline) }
        await Task.yield()
    }
}
