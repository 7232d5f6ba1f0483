import Foundation
import TestSupport

/// A TCP client that sends exact bytes, and reads only on demand.
final class RawClient {
    private let descriptor: Int32
    private(set) var received: [UInt8] = []
    /// The server has closed the connection.
    private(set) var isClosed = false

    /// - Returns: nil if no program listens on the port.
    init?(port: Int, receiveBuffer: Int32? = nil) {
        descriptor = privateSocket()
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        guard Broker.hasConnected(descriptor, to: port) else { return nil }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func shutDownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads the bytes that have arrived.
    @discardableResult
    func read() -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isClosed {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                received += buffer[..<count]
            } else {
                isClosed = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)
                break
            }
        }
        return text
    }

    /// Bytes from the server wait unread.
    var hasSomething: Bool {
        var asked = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&asked, 1, 0) == 1
    }

    var text: String { String(decoding: received, as: UTF8.self) }
    /// `HTTP/1.1 200 OK` -> 200
    var status: Int? { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    var body: String { text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "" }
}
