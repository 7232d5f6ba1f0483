import Foundation

/// systemd's end of sd_notify: a UNIX datagram socket that collects the messages.
public final class NotifySocket: @unchecked Sendable {
    public let path: String
    private let descriptor: Int32

    public init() throws {
        path = try temporaryDirectory().appendingPathComponent("notify").path
        descriptor = privateSocket(AF_UNIX, SOCK_DGRAM)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + 1)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }

    /// The messages since the last call.
    public func received() -> [String] {
        var texts: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return texts }
            texts.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }
}
