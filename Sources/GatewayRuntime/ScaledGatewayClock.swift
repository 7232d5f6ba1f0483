public import FlightMath
public import Gateway
public import ReceiverProtocol
import Synchronization

/// A clock that runs faster or slower than the system's. A simulated flight or a recording uses it, and so all timers
/// of the gateway follow the flight.
///
/// Its wall time begins at the system's. When the two differ by more than a second, the clock counts as not
/// synchronised.
public final class ScaledGatewayClock: SourceClock {
    private struct State {
        /// One instant on the system's clock (`real`) and on this clock (`own`).
        var real: MonotonicTime
        var own: MonotonicTime
        var limit: MonotonicTime?
    }

    private let rate: Double
    private let start: Moment
    private let system: any GatewayClock
    private let state: Mutex<State>

    /// The shortest sleep in real time. The sleeper of a held clock looks at it this often.
    private static let shortestSleep = Duration.microseconds(100)
    /// The longest sleep before the clock is looked at again.
    private static let longestSleep = Duration.seconds(86_400)
    /// How far the wall time may be from the time of day and still count as synchronised.
    private static let tolerance = Duration.seconds(1)

    /// - Parameters:
    ///   - rate: seconds of this clock in a real second, above 0.
    ///   - system: the system's clock.
    public init(rate: Double, system: any GatewayClock = SystemGatewayClock()) {
        self.rate = rate
        self.system = system
        start = system.now
        state = Mutex(State(real: start.monotonic, own: start.monotonic))
    }

    public var now: Moment {
        let real = system.now
        let own = state.withLock { state in
            let passed = real.monotonic.duration(since: state.real).inSeconds * rate
            let own = state.own.advanced(by: .seconds(clamping: passed))
            // The clock does not catch up after a hold: the flight stood still as well.
            state = State(
                real: real.monotonic, own: max(state.own, state.limit.map { min($0, own) } ?? own), limit: state.limit)
            return state.own
        }
        let wall = start.wall.advanced(by: own.duration(since: start.monotonic))
        let error = wall.duration(since: real.wall)
        return Moment(
            monotonic: own, wall: wall,
            isClockSynced: real.isClockSynced && (.zero - Self.tolerance...Self.tolerance).contains(error))
    }

    public func sleep(until deadline: MonotonicTime) async {
        while !Task.isCancelled {
            let left = Duration.seconds(clamping: now.monotonic.duration(to: deadline).inSeconds / rate)
            guard left > .zero else { return }
            let sleep = min(max(Self.shortestSleep, left), Self.longestSleep)
            try? await Task.sleep(for: sleep, clock: .continuous)
        }
    }

    public func hold(at instant: MonotonicTime?) {
        // Moves the clock up to now under the old limit.
        _ = now
        state.withLock { $0.limit = instant }
    }
}
