import FlightMath
import Gateway
import ReceiverProtocol
import Synchronization

/// Closes a connection that is silent for too long, which ends its reader.
final class SilenceWatch: Sendable {
    private struct State {
        var heardAt: MonotonicTime
        var isSilent = false
    }

    private let clock: any GatewayClock
    private let limit: Duration
    private let connection: any ReceiverConnection
    private let state: Mutex<State>

    init(clock: any GatewayClock, limit: Duration, connection: any ReceiverConnection) {
        self.clock = clock
        self.limit = limit
        self.connection = connection
        state = Mutex(State(heardAt: clock.now.monotonic))
    }

    var isSilent: Bool { state.withLock { $0.isSilent } }

    func heard() {
        let now = clock.now.monotonic
        state.withLock { $0.heardAt = now }
    }

    func run() async {
        while !Task.isCancelled {
            let end = state.withLock { $0.heardAt }.advanced(by: limit)
            guard clock.now.monotonic >= end else {
                await clock.sleep(until: end)
                continue
            }
            state.withLock { $0.isSilent = true }
            return await connection.close()
        }
    }
}
