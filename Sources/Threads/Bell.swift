import CLinux
import Glibc

/// Wakes one thread that waits. A wait with a limit goes by the monotonic clock: Dispatch's semaphore waits by the wall
/// clock, so a clock that is set back by two hours would lengthen a wait by two hours.
public final class Bell: Sendable {
    /// Without a descriptor the thread looks this often, milliseconds.
    private static let look: Int32 = 10

    private let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    public init() {}

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends the present wait, or the next one.
    public func ring() {
        // It only fails if the bell rings already.
        eventfd_write(descriptor, 1)
    }

    /// Returns when the bell has rung, or after the limit; sometimes earlier.
    /// - Parameter limit: nil waits without one.
    public func wait(atMost limit: Duration? = nil) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, descriptor >= 0 ? limit.map { Self.milliseconds($0) } ?? -1 : Self.look)
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }

    /// Rounded up; at most eleven days.
    private static func milliseconds(_ limit: Duration) -> Int32 {
        let (seconds, attoseconds) = limit.components
        let rest = (max(0, attoseconds) + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(min(max(0, seconds), 1_000_000) * 1000 + rest)
    }
}
