import CLinux
import Gateway
import GatewayReports
import Glibc
import ReceiverProtocol
import Synchronization
import Threads
import TransportIO

/// An open byte stream (socket or terminal), read by a thread of its own.
final class DescriptorConnection: ReceiverConnection {
    let peer: ReceiverPeer

    private let descriptor: Int32
    private let isDatagram: Bool
    private let wakeDescriptor: Int32
    private let mailbox: ByteMailbox
    private let state = Mutex(State())

    private struct State {
        var isClosing = false
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// - Parameters:
    ///   - descriptor: open and non-blocking. The connection owns it.
    ///   - thread: the reader's name.
    ///   - isDatagram: an empty read is an empty datagram, and not the end.
    init(
        descriptor: Int32, peer: ReceiverPeer, thread: StaticString, isDatagram: Bool = false
    ) throws(TransportError) {
        let wake = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard wake >= 0 else {
            let error = TransportError(.inputOutput, "eventfd: \(String(cString: strerror(errno)))")
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.isDatagram = isDatagram
        self.peer = peer
        wakeDescriptor = wake
        mailbox = ByteMailbox { eventfd_write(wake, 1) }
        runOnThread(named: thread) { self.readLoop() }
    }

    /// Opens a receiver's stream on a thread of its own.
    /// - Parameters:
    ///   - name: the peer's.
    ///   - thread: the reader's name.
    ///   - descriptor: opens it; blocks. If the waiting task is cancelled, what it opens is closed.
    static func open(
        _ name: String, thread: StaticString,
        _ descriptor: @escaping @Sendable () throws(TransportError) -> Int32
    ) async throws(TransportError) -> DescriptorConnection {
        try DescriptorConnection(
            descriptor: try await blocking(descriptor) { late in Glibc.close(late) },
            peer: ReceiverPeer(name: name, maximumWriteLength: 128), thread: thread)
    }

    /// The wake descriptor outlives the stream's: chunks may be taken from the mailbox after the stream's end, and that
    /// writes to it.
    deinit { Glibc.close(wakeDescriptor) }

    func next() async throws(TransportError) -> ReceivedChunk? { try await mailbox.next() }

    /// Writes a command, which is shorter than the kernel's buffer. If that buffer is full, the receiver does not read.
    func write(_ bytes: [UInt8]) async throws(TransportError) {
        try state.withLock { (state) throws(TransportError) in
            guard !state.isClosing else { throw TransportError(.closedByPeer, "the link is closed") }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    let code: TransportError.Code = errno == EAGAIN ? .busy : .inputOutput
                    throw TransportError(code, "write: \(String(cString: strerror(errno)))")
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    func close() async {
        await withCheckedContinuation { waiter in
            let isClosed = state.withLock { state in
                guard !state.isClosed else { return true }
                state.isClosing = true
                state.closers.append(waiter)
                eventfd_write(wakeDescriptor, 1)
                return false
            }
            if isClosed { waiter.resume() }
        }
    }

    private func readLoop() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let reason = readUntilEnd(&buffer)
        mailbox.end(reason)
        let closers = state.withLock { state in
            state.isClosing = true
            state.isClosed = true
            // Close under the lock, so that no write can use the number after it belongs to another file.
            Glibc.close(descriptor)
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    private func readUntilEnd(_ buffer: inout [UInt8]) -> TransportError {
        while true {
            let wantsBytes = !mailbox.isFull
            var descriptors = [
                pollfd(fd: wantsBytes ? descriptor : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
            ]
            Glibc.poll(&descriptors, 2, -1)
            if descriptors[1].revents != 0 {
                var value: eventfd_t = 0
                eventfd_read(wakeDescriptor, &value)
            }
            if state.withLock({ $0.isClosing }) { return TransportError(.cancelled, "closed") }
            guard descriptors[0].revents != 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                mailbox.put(ReceivedChunk(bytes: Array(buffer[..<count]), at: .now))
            } else if count == 0, !isDatagram {
                return TransportError(.closedByPeer, "closed by the other side")
            } else if count < 0, errno != EAGAIN, errno != EINTR {
                // After a USB cable is pulled, the call fails with EIO.
                return TransportError(.closedByPeer, String(cString: strerror(errno)))
            }
        }
    }
}
