import Foundation
import Synchronization

/// A real pseudo-terminal. The test plays the receiver; the gateway opens ``path``.
public final class PseudoTerminal: Sendable {
    public let path: String
    private let descriptor: Int32
    private let slave: Int32

    public init() throws {
        // Keep the slave open: the terminal must survive when the gateway closes it.
        var (master, slave) = (Int32(-1), Int32(-1))
        var name = [CChar](repeating: 0, count: 256)
        guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw POSIXError(.EIO) }
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        // Else a child would keep the terminal plugged in.
        keepFromChildren(master)
        keepFromChildren(slave)
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        descriptor = master
        self.slave = slave
    }

    deinit { unplug() }

    private let isPlugged = Mutex(true)

    /// Acts like pulling the USB cable: from now on reads of the gateway fail.
    public func unplug() {
        let wasPlugged = isPlugged.withLock { plugged in
            defer { plugged = false }
            return plugged
        }
        guard wasPlugged else { return }
        close(slave)
        close(descriptor)
    }

    /// Bytes that the gateway does not read within five seconds are lost, as on a real line.
    public func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let deadline = ContinuousClock.now.advanced(by: .seconds(5))
        while !rest.isEmpty, ContinuousClock.now < deadline {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else { usleep(1000) }
        }
    }

    /// The bytes that the gateway wrote since the last call.
    public func read() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }
}
