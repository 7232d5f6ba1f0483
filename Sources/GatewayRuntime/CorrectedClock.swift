public import FlightMath
public import Gateway
public import ReceiverProtocol
import Synchronization

/// The machine's clock with the loop's correction: the time that all reports have. The page computes ages and times
/// left with it, so it must not follow a jump that the reports ignore.
public final class CorrectedClock: GatewayClock {
    private let machine: any GatewayClock
    private let correction = Mutex(ClockCorrection())

    public init(_ machine: any GatewayClock) { self.machine = machine }

    public var now: Moment {
        let now = machine.now
        return correction.withLock { $0 }.corrected(now)
    }

    public func sleep(until deadline: MonotonicTime) async { await machine.sleep(until: deadline) }

    /// Uses the correction as it is after an event.
    func follow(_ newest: ClockCorrection) { correction.withLock { $0 = newest } }
}
