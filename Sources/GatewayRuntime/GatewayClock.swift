import CLinux
public import GatewayCore
import Glibc
public import ReceiverProtocol
import TransportIO

/// The machine's clocks.
public struct SystemGatewayClock: GatewayClock {
    public init() {}

    public var now: Moment {
        Moment(monotonic: .now, wall: Self.wall, isClockSynced: Self.isSynced)
    }

    public func sleep(until deadline: MonotonicTime) async {
        let left = MonotonicTime.now.duration(to: deadline)
        guard left > .zero else { return }
        try? await Task.sleep(for: left, clock: .continuous)
    }

    private static var wall: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// What the kernel knows: NTP or GPS has set the clock lately.
    private static var isSynced: Bool { clock_is_synchronised() != 0 }
}
