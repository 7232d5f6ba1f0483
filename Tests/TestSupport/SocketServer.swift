import Foundation
import Synchronization

/// A TCP server on loopback that plays the receiver. It serves one client at a time.
public final class SocketServer: Sendable {
    public let port: Int
    /// The number of connections that the kernel holds until `accept`: one more than the backlog.
    public static let places = 5

    private let listener: Int32
    private let client = Mutex<Int32>(-1)

    public init() throws {
        listener = privateSocket()
        guard let port = Broker.boundPort(listener), listen(listener, Int32(Self.places - 1)) == 0 else {
            throw POSIXError(.EADDRINUSE)
        }
        self.port = port
    }

    deinit {
        hangUp()
        close(listener)
    }

    /// Waits for the gateway's connection. It replaces an earlier one.
    public func accept() async throws {
        let listener = listener
        let descriptor = try await eventually("a client on \(port)") { () -> Int32? in
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 0) == 1 else { return nil }
            let descriptor = Foundation.accept(listener, nil, nil)
            keepFromChildren(descriptor)
            return descriptor >= 0 ? descriptor : nil
        }
        client.withLock { $0 = descriptor }
    }

    /// Closes each connection that waits for `accept`.
    public func forgetWaiting() {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) == 1 { forgetNext() }
    }

    /// Waits for the next connection and closes it.
    public func forgetNext() {
        let descriptor = Foundation.accept(listener, nil, nil)
        keepFromChildren(descriptor)
        if descriptor >= 0 { close(descriptor) }
    }

    public func write(_ bytes: [UInt8]) {
        let descriptor = client.withLock { $0 }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    public func read() -> String {
        let descriptor = client.withLock { $0 }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }

    /// Whether the gateway has closed the connection, even if bytes from it are still unread.
    public var isHungUp: Bool {
        // POLLRDHUP, which is missing in Glibc's module.
        var client = pollfd(fd: client.withLock { $0 }, events: 0x2000, revents: 0)
        return poll(&client, 1, 0) == 1
    }

    /// Hangs up as the kernel does for a killed server: the client's next read fails.
    public func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client.withLock { $0 }, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        hangUp()
    }

    public func hangUp() {
        client.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}
