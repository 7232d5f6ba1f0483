import BluetoothProtocol
import CLinux
import Gateway
import GatewayReports
import Glibc
import ReceiverProtocol
import Synchronization
import Threads
import TransportIO

/// Performs the actions of one ``LinkMachine``. A thread of its own owns the sockets, waits on all of them at once and
/// feeds the machine. Tasks only leave orders and wait for results.
final class RadioSession: Sendable {
    let mailbox: ByteMailbox

    private let adapterChoice: AdapterChoice
    private let wakeDescriptor: Int32
    private let report: @Sendable (LinkReport) -> Void
    private let onEnd: @Sendable (LinkOutcome, _ lingers: Bool) -> Void
    private let shared = Mutex(Shared())

    private struct Shared {
        var orders: [LinkMachine.Event] = []
        var opening: CheckedContinuation<Result<LinkMachine.OpenedLink, TransportError>, Never>?
        var writes: [UInt64: CheckedContinuation<TransportError?, Never>] = [:]
        var nextWrite: UInt64 = 0
        var closers: [CheckedContinuation<Void, Never>] = []
        var end: TransportError?
    }

    /// - Parameter onEnd: called once, before the waiting tasks get the end.
    init(
        adapter choice: AdapterChoice,
        report: @escaping @Sendable (LinkReport) -> Void,
        onEnd: @escaping @Sendable (LinkOutcome, _ lingers: Bool) -> Void
    ) throws(TransportError) {
        let wake = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard wake >= 0 else { throw .system("eventfd", errno: errno) }
        adapterChoice = choice
        wakeDescriptor = wake
        self.report = report
        self.onEnd = onEnd
        mailbox = ByteMailbox { eventfd_write(wake, 1) }
    }

    deinit { Glibc.close(wakeDescriptor) }

    // MARK: - For tasks

    /// Runs the attempt until its link is open. Cancelling the task ends the attempt.
    func open(_ machine: LinkMachine) async throws(TransportError) -> LinkMachine.OpenedLink {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                shared.withLock { $0.opening = waiter }
                runOnThread(named: "receiver") { self.run(machine) }
            }
        } onCancel: {
            order(.close)
        }
        return try result.get()
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        let error = await withCheckedContinuation { (waiter: CheckedContinuation<TransportError?, Never>) in
            let end = shared.withLock { shared -> TransportError? in
                if let end = shared.end { return end }
                shared.nextWrite += 1
                shared.writes[shared.nextWrite] = waiter
                shared.orders.append(.write(shared.nextWrite, bytes))
                return nil
            }
            if let end { waiter.resume(returning: end) } else { eventfd_write(wakeDescriptor, 1) }
        }
        if let error { throw error }
    }

    /// Closes the link and returns when it has ended.
    func close() async {
        await withCheckedContinuation { waiter in
            let hasEnded = shared.withLock { shared in
                guard shared.end == nil else { return true }
                shared.closers.append(waiter)
                return false
            }
            if hasEnded { waiter.resume() } else { order(.close) }
        }
    }

    private func order(_ event: LinkMachine.Event) {
        shared.withLock { $0.orders.append(event) }
        eventfd_write(wakeDescriptor, 1)
    }

    // MARK: - The thread

    private func run(_ machine: LinkMachine) {
        let end: TransportError
        do throws(TransportError) {
            var sockets = RadioSockets(management: try MgmtSocket(), wake: wakeDescriptor)
            end = serve(machine, &sockets)
        } catch {
            onEnd(.unavailable, false)
            end = error
        }
        mailbox.end(end)
        let (opening, writes, closers) = shared.withLock { shared in
            shared.end = end
            defer { (shared.opening, shared.writes, shared.closers) = (nil, [:], []) }
            return (shared.opening, shared.writes, shared.closers)
        }
        opening?.resume(returning: .failure(end))
        for write in writes.values { write.resume(returning: end) }
        for closer in closers { closer.resume() }
    }

    private func serve(_ machine: LinkMachine, _ sockets: inout RadioSockets) -> TransportError {
        var machine = machine
        var events: [LinkMachine.Event] = [.start]
        while true {
            while !events.isEmpty {
                let actions = machine.handle(events.removeFirst(), at: .now)
                for action in actions {
                    if case .ended(let error, let outcome, let lingers) = action {
                        onEnd(outcome, lingers)
                        return error
                    }
                    if let event = perform(action, &sockets) { events.append(event) }
                }
            }
            events = sockets.wait(until: machine.deadline, takesFrames: !mailbox.isFull)
            events += shared.withLock { shared in
                defer { shared.orders = [] }
                return shared.orders
            }
            if let deadline = machine.deadline, MonotonicTime.now >= deadline { events.append(.timePassed) }
        }
    }

    /// - Returns: an event to give to the machine at once.
    private func perform(_ action: LinkMachine.Action, _ sockets: inout RadioSockets) -> LinkMachine.Event? {
        switch action {
        case .listAdapters: return .adapters(AdapterList.present(for: adapterChoice))
        case .readCounters(let index):
            if let counters = AdapterList.counters(of: index) { report(.adapter(counters)) }
        case .manage(let command): return sockets.manage(command)
        case .openChannel(let id, let adapter, let device): return sockets.open(id, from: adapter, to: device)
        case .closeChannel(let id): sockets.close(id)
        case .send(let bytes): return sockets.send(bytes)
        case .opened(let link):
            shared.withLock { shared in
                defer { shared.opening = nil }
                return shared.opening
            }?.resume(returning: .success(link))
        case .frames(let bytes): mailbox.put(ReceivedChunk(bytes: bytes, at: .now))
        case .writeFinished(let id, let error):
            shared.withLock { $0.writes.removeValue(forKey: id) }?.resume(returning: error)
        case .report(let text): report(text)
        case .ended: break  // The caller handles this.
        }
        return nil
    }
}
