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
        var lastID = 0
        var reader: CheckedContinuation<GatewayInput?, Never>?
        var isFinished = false

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
        if let sender = state.withLock({ $0.senders.popFirst() }) {
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
        let (sender, isOver) = state.withLock { state in
            if let sender = state.senders.popFirst() { return (sender as Sender?, true) }
            if state.isFinished || Task.isCancelled { return (nil, true) }
            state.reader = reader
            return (nil, false)
        }
        sender?.waiter.resume()
        if isOver { reader.resume(returning: sender?.input) }
    }

    /// Nobody reads any more: whoever waits goes on.
    func finish() {
        let (reader, senders) = state.withLock { state in
            state.isFinished = true
            defer { state.senders = [] }
            return (state.takeReader(), state.senders)
        }
        reader?.resume(returning: nil)
        for sender in senders { sender.waiter.resume() }
    }
}
