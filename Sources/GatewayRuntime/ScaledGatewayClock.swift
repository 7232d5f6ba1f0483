public import FlightMath
public import Gateway
public import ReceiverProtocol
import Synchronization

/// A clock that runs faster or slower than the machine's, from now on: for a simulated flight or a recording, so that
/// every timer of the gateway keeps step with it.
///
/// Its wall time begins at the machine's and is not the time of day later on; it then says that it is not synchronised.
public final class ScaledGatewayClock: SourceClock {
    private struct State {
        /// An instant on the machine's clock, and the same on this one.
        var real: MonotonicTime
        var own: MonotonicTime
        var limit: MonotonicTime?
    }

    private let rate: Double
    private let start: Moment
    private let system: any GatewayClock
    private let state: Mutex<State>

    /// A sleeper that the clock keeps waiting looks again after this long, in real time.
    private static let shortestSleep = Duration.microseconds(100)
    /// Enough to be looked at again.
    private static let longestSleep = Duration.seconds(86_400)
    /// How far the wall clock may be from the time of day and still count as set.
    private static let tolerance = Duration.seconds(1)

    /// - Parameters:
    ///   - rate: seconds of this clock in a real second, above 0.
    ///   - system: the machine's clock.
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
            // What was held up is not caught up with: the machine stood still, and so did the flight.
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
        // Up to here the old limit counts.
        _ = now
        state.withLock { $0.limit = instant }
    }
}
