import Glibc
public import ReceiverProtocol

extension MonotonicTime {
    /// The present time of the system's clock that never jumps, and runs on in suspend.
    public static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
