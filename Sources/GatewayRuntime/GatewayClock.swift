import CLinux
public import FlightMath
public import Gateway
import Glibc
public import ReceiverProtocol
import Synchronization
import TransportIO

/// The computer's clocks.
public struct SystemGatewayClock: GatewayClock {
    private let executor: ThreadExecutor?

    /// - Parameter executor: its thread waits in `sleep`; nil uses the system's timers.
    public init(executor: ThreadExecutor? = nil) {
        self.executor = executor
    }

    public var now: Moment {
        let monotonic = MonotonicTime.now
        return Moment(monotonic: monotonic, wall: Self.wall, isClockSynced: Self.isSynced(at: monotonic))
    }

    public func sleep(until deadline: MonotonicTime) async {
        let left = MonotonicTime.now.duration(to: deadline)
        guard left > .zero else { return }
        if let executor { return await executor.sleep(until: deadline) }
        try? await Task.sleep(for: left, clock: .continuous)
    }

    private static var wall: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The kernel is asked again after this time.
    private static let memory = Duration.seconds(10)
    private static let knownSince = Atomic<Int64>(.min / 2)
    private static let known = Atomic<Bool>(false)

    /// Whether NTP or GPS has set the clock lately, as the kernel reports it.
    private static func isSynced(at now: MonotonicTime) -> Bool {
        let since = knownSince.load(ordering: .relaxed)
        if now.nanoseconds &- since < memory.wholeNanoseconds { return known.load(ordering: .relaxed) }
        let isSynced = clock_is_synchronised() != 0
        known.store(isSynced, ordering: .relaxed)
        knownSince.store(now.nanoseconds, ordering: .relaxed)
        return isSynced
    }
}
