import Foundation
import Synchronization

/// A real pseudo-terminal: this end is the receiver, ``path`` is what the gateway opens.
public final class PseudoTerminal: Sendable {
    public let path: String
    private let descriptor: Int32
    private let slave: Int32

    public init() throws {
        // The slave is held open, so that the terminal outlives the gateway's closing it.
        var (master, slave) = (Int32(-1), Int32(-1))
        var name = [CChar](repeating: 0, count: 256)
        guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw POSIXError(.EIO) }
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        descriptor = master
        self.slave = slave
    }

    deinit { unplug() }

    private let isPlugged = Mutex(true)

    /// As pulling the USB cable: reads on the other side fail from now on.
    public func unplug() {
        let wasPlugged = isPlugged.withLock { plugged in
            defer { plugged = false }
            return plugged
        }
        guard wasPlugged else { return }
        close(slave)
        close(descriptor)
    }

    /// What nobody reads within five seconds is lost, as on a real line.
    public func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let deadline = ContinuousClock.now.advanced(by: .seconds(5))
        while !rest.isEmpty, ContinuousClock.now < deadline {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else { usleep(1000) }
        }
    }

    /// What the gateway wrote since the last call.
    public func read() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }
}
