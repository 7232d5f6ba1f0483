public import Gateway
public import GatewayReports
import Synchronization

/// Hands chunks from a reading thread to one task, in order and bounded.
///
/// At the bound the thread stops reading, so the kernel's flow control holds the sender back. No byte is dropped.
public final class ByteMailbox: Sendable {
    /// The most bytes in the mailbox, without the last chunk.
    public static let limit = 65_536

    private struct State {
        var chunks: [ReceivedChunk] = []
        var bytes = 0
        var end: TransportError?
        var waiter: CheckedContinuation<Result<ReceivedChunk, TransportError>, Never>?
    }

    private let state = Mutex(State())
    private let onRoom: @Sendable () -> Void

    /// - Parameter onRoom: called when a full mailbox has room again.
    public init(onRoom: @escaping @Sendable () -> Void) {
        self.onRoom = onRoom
    }

    public var isFull: Bool { state.withLock { $0.bytes >= Self.limit } }

    /// Adds a chunk. Call it on the reading thread.
    public func put(_ chunk: ReceivedChunk) {
        let waiter = state.withLock { state in
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter as CheckedContinuation?
            }
            state.chunks.append(chunk)
            state.bytes += chunk.bytes.count
            return nil
        }
        waiter?.resume(returning: .success(chunk))
    }

    /// Ends the mailbox. The remaining chunks are still taken first.
    public func end(_ error: TransportError) {
        let waiter = state.withLock { state in
            if state.end == nil { state.end = error }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: .failure(error))
    }

    public func next() async throws(TransportError) -> ReceivedChunk {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if let result = self.nextResult(orWait: waiter) { waiter.resume(returning: result) }
            }
        } onCancel: {
            end(TransportError(.cancelled, "cancelled"))
        }
        return try result.get()
    }

    private func nextResult(
        orWait waiter: CheckedContinuation<Result<ReceivedChunk, TransportError>, Never>
    ) -> Result<ReceivedChunk, TransportError>? {
        let (result, hasMadeRoom) = state.withLock { state -> (Result<ReceivedChunk, TransportError>?, Bool) in
            guard !state.chunks.isEmpty else {
                if let end = state.end { return (.failure(end), false) }
                state.waiter = waiter
                return (nil, false)
            }
            let wasFull = state.bytes >= Self.limit
            // All waiting chunks become one, so a slow consumer catches up in one step.
            let chunk = ReceivedChunk(bytes: state.chunks.flatMap(\.bytes), at: state.chunks[0].at)
            state.chunks = []
            state.bytes = 0
            return (.success(chunk), wasFull)
        }
        if hasMadeRoom { onRoom() }
        return result
    }
}
