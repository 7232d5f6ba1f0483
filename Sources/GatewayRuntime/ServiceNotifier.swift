import Glibc
import Synchronization

/// Tells systemd the service's state (sd_notify(3)) with a datagram to `$NOTIFY_SOCKET`. Without that variable it does
/// nothing.
public final class ServiceNotifier: Sendable {
    /// The interval between signs of life, half of systemd's limit; nil if systemd has no watchdog for the service.
    public let watchdogInterval: Duration?

    private let path: String?
    private let start = Mutex(Start())

    /// A part of the start. The service is ready after all of them.
    enum StartStep: CaseIterable {
        /// The store is open and its file safe from a power cut, or it fails, or it is too slow.
        case store
        /// The first attempt to reach the broker or the receiver has ended.
        case connection
    }

    private struct Start {
        var unfinished = Set(StartStep.allCases)
        /// The word that the start is complete found no room. systemd waits for it.
        var isUntold = false
    }

    private let startsAnew: @Sendable () -> Bool

    /// - Parameter startsAnew: whether the process runs on after its stop, with the program anew. systemd would end it
    ///   after the word that it stops.
    public init(environment: [String: String], startsAnew: @escaping @Sendable () -> Bool = { false }) {
        self.startsAnew = startsAnew
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap(Int64.init).map { Duration.microseconds($0) }
        watchdogInterval = path != nil && isForUs ? limit.flatMap { $0 > .zero ? $0 / 2 : nil } : nil
    }

    /// Tells systemd after the last step that the start is complete. Later calls do nothing.
    func finished(_ step: StartStep) {
        start.withLock { start in
            guard start.unfinished.remove(step) != nil, start.unfinished.isEmpty else { return }
            start.isUntold = !send("READY=1")
        }
    }

    public func stopping() {
        if !startsAnew() { send("STOPPING=1") }
    }

    /// Sends a sign of life, and what the start could not tell. The loop calls it, so that systemd notices a loop that
    /// hangs.
    func alive() {
        start.withLock { if $0.isUntold { $0.isUntold = !send("READY=1") } }
        send("WATCHDOG=1")
    }

    /// It never waits: a socket that nobody reads must not stop the loop.
    /// - Returns: false if the socket has no room.
    @discardableResult private func send(_ text: String) -> Bool {
        guard let path else { return true }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A leading @ stands for the zero byte of the abstract namespace.
        let name = Array(path.utf8).enumerated().map {
            $0.offset == 0 && $0.element == UInt8(ascii: "@") ? 0 : $0.element
        }
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return true }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Array(text.utf8).withUnsafeBytes {
                    sendto(descriptor, $0.baseAddress, $0.count, flags, generic, length)
                }
            }
        }
        return sent >= 0 || errno != EAGAIN
    }
}
