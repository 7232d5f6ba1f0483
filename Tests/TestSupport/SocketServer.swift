import Foundation
import Synchronization

/// A TCP server on loopback that plays the receiver; one client at a time.
public final class SocketServer: Sendable {
    public let port: Int
    /// Connections that the kernel keeps until they are accepted: one more than it is told.
    public static let places = 5

    private let listener: Int32
    private let client = Mutex<Int32>(-1)

    public init(port wanted: Int? = nil) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Broker.boundPort(listener), listen(listener, Int32(Self.places - 1)) == 0 else {
            throw POSIXError(.EADDRINUSE)
        }
        self.port = port
    }

    deinit {
        hangUp()
        close(listener)
    }

    /// Waits for the gateway's connection; an earlier one is forgotten.
    public func accept() async throws {
        let listener = listener
        let descriptor = try await eventually("a client on \(port)") { () -> Int32? in
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 0) == 1 else { return nil }
            let descriptor = Foundation.accept(listener, nil, nil)
            return descriptor >= 0 ? descriptor : nil
        }
        client.withLock { $0 = descriptor }
    }

    /// Hangs up on whoever has connected and was not accepted.
    public func forgetWaiting() {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) == 1 { forgetNext() }
    }

    /// Hangs up on the next one, as soon as there is one.
    public func forgetNext() {
        let descriptor = Foundation.accept(listener, nil, nil)
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

    /// The other side has hung up, whatever of it was not read yet.
    public var isHungUp: Bool {
        // POLLRDHUP, which Glibc's module leaves out.
        var client = pollfd(fd: client.withLock { $0 }, events: 0x2000, revents: 0)
        return poll(&client, 1, 0) == 1
    }

    public func hangUp() {
        client.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}
