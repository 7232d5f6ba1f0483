import DequeModule
import Synchronization

/// The way into the loop: any number of senders, each of which waits until its input is taken, and one reader.
///
/// What AsyncAlgorithms' `AsyncChannel` does, for one type: that one looks its generic types up whenever they are used,
/// which is some thirty times for a frame.
final class InputChannel: Sendable {
    private struct Sender {
        let id: Int
        let input: GatewayInput
        let waiter: CheckedContinuation<Void, Never>
    }

    private struct State {
        var senders: Deque<Sender> = []
        /// Nobody waits for it to be taken.
        var wake: GatewayInput?
        var lastID = 0
        var reader: CheckedContinuation<GatewayInput?, Never>?
        var isFinished = false

        /// One of them at most.
        mutating func takeWaiting() -> (wake: GatewayInput?, sender: Sender?) {
            defer { wake = nil }
            return (wake, wake == nil ? senders.popFirst() : nil)
        }

        mutating func takeReader() -> CheckedContinuation<GatewayInput?, Never>? {
            defer { reader = nil }
            return reader
        }
    }

    private let state = Mutex(State())

    /// Returns when the input was taken. It is dropped when the task is cancelled meanwhile, or nobody reads any more.
    func send(_ input: GatewayInput) async {
        let (reader, id) = state.withLock { state in
            state.lastID += 1
            return (state.takeReader(), state.lastID)
        }
        if let reader { return reader.resume(returning: input) }
        await withTaskCancellationHandler {
            await withCheckedContinuation { put(Sender(id: id, input: input, waiter: $0)) }
        } onCancel: {
            let sender = state.withLock { state in
                state.senders.firstIndex { $0.id == id }.map { state.senders.remove(at: $0) }
            }
            sender?.waiter.resume()
        }
    }

    /// Gives the reader a turn, without waiting until it is taken; a second one meanwhile is the same.
    func wake(_ input: GatewayInput) {
        let reader = state.withLock { state in
            let reader = state.takeReader()
            if reader == nil, !state.isFinished { state.wake = input }
            return reader
        }
        reader?.resume(returning: input)
    }

    private func put(_ sender: Sender) {
        let (reader, isOver) = state.withLock { state in
            if state.isFinished || Task.isCancelled { return (nil as CheckedContinuation<GatewayInput?, Never>?, true) }
            if let reader = state.takeReader() { return (reader, true) }
            state.senders.append(sender)
            return (nil, false)
        }
        reader?.resume(returning: sender.input)
        if isOver { sender.waiter.resume() }
    }

    /// The next input, in the order in which they were sent; nil after ``finish()``, or when the task is cancelled.
    func next() async -> GatewayInput? {
        let (wake, sender) = state.withLock { $0.takeWaiting() }
        if let wake { return wake }
        if let sender {
            sender.waiter.resume()
            return sender.input
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0) }
        } onCancel: {
            finish()
        }
    }

    private func wait(_ reader: CheckedContinuation<GatewayInput?, Never>) {
        let (wake, sender, isOver) = state.withLock { state in
            let (wake, sender) = state.takeWaiting()
            if wake != nil || sender != nil || state.isFinished || Task.isCancelled { return (wake, sender, true) }
            state.reader = reader
            return (nil, nil, false)
        }
        sender?.waiter.resume()
        if isOver { reader.resume(returning: wake ?? sender?.input) }
    }

    /// Nobody reads any more: whoever waits goes on.
    func finish() {
        let (reader, senders) = state.withLock { state in
            state.isFinished = true
            defer { (state.senders, state.wake) = ([], nil) }
            return (state.takeReader(), state.senders)
        }
        reader?.resume(returning: nil)
        for sender in senders { sender.waiter.resume() }
    }
}
