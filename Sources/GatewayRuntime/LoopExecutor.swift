import CLinux
import Glibc
import ReceiverProtocol
import Synchronization
public import TransportIO

/// One thread at a time for the gateway's own tasks: what one hands to the next costs no switch of threads.
///
/// Most of what a frame costs is waking. On the shared pool each step (transport, frames, loop, timers) may wake another
/// thread; here a step that makes the next one ready only puts it into the queue, and the thread itself waits for the
/// next deadline. Whoever comes from outside (the broker's thread, the store's) wakes it once, and only if it sleeps; a
/// transport's thread, which would only wait for the next bytes, lends itself instead.
/// Nothing that blocks belongs here, but for what has such a thread to itself: the store.
public final class LoopExecutor: TaskExecutor, ThreadBorrower {
    fileprivate struct State {
        enum Worker {
            /// The executor's own thread, or it is about to.
            case own
            /// Nobody: there is nothing to do. The own thread sleeps until the deadline; without one only a ring wakes it.
            case none(until: MonotonicTime?)
            /// The own thread sleeps on meanwhile.
            case borrowed(pthread_t, until: MonotonicTime?)
        }

        var worker = Worker.own
        var jobs: [UnownedJob] = []
        var sleepers = Sleepers()
        var alarm: (deadline: MonotonicTime, call: @Sendable () -> Void)?
        /// There is something that is not for the borrowed thread to do.
        var wantsOwn = false
    }

    /// A wake that is so much too early is cheaper than to put it off.
    fileprivate static let slack = Duration.milliseconds(250)

    private let state = Mutex(State())
    fileprivate let bell = Bell()

    /// Does nothing until ``start()`` or ``run()``.
    public init() {}

    /// Begins a thread; it lives as long as the process.
    public func start() {
        startThread { [self] in run() }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            return state.workCame()
        }
        if mustWake { bell.ring() }
    }

    /// Returns at `deadline`, or when the task is cancelled.
    func sleep(until deadline: MonotonicTime) async {
        let id = state.withLock { $0.sleepers.nextID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let (isOver, mustWake) = state.withLock { state in
                    // Cancelled before there was anything to take away.
                    if Task.isCancelled { return (true, false) }
                    state.sleepers.add(id, until: deadline, waiter)
                    return (false, state.workCame())
                }
                if isOver { waiter.resume() }
                if mustWake { bell.ring() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.remove(id) }?.resume()
        }
    }

    /// Calls `body` on the own thread at `deadline`, once. There is one alarm: this one replaces the last. What is set anew
    /// with every frame wakes nobody, and makes no task.
    func setAlarm(_ deadline: MonotonicTime?, _ body: @escaping @Sendable () -> Void) {
        let mustWake = state.withLock { state in
            state.alarm = deadline.map { ($0, body) }
            guard case .none = state.worker else { return false }
            return state.sleepOn(bell)
        }
        if mustWake { bell.ring() }
    }

    /// What others bring meanwhile, and what is due by the clock, is left to the own thread: the lender has bytes to
    /// read.
    public func borrowThread(_ deliver: () -> Void) {
        let isBorrowed = state.withLock { $0.borrow() }
        deliver()
        guard isBorrowed else { return }
        var batch: [UnownedJob] = []
        while true {
            let mustWake = state.withLock { state in
                if !state.wantsOwn { swap(&batch, &state.jobs) }
                return batch.isEmpty ? state.giveBack(bell) : nil as Bool?
            }
            if let mustWake {
                if mustWake { bell.ring() }
                return
            }
            perform(&batch)
        }
    }

    /// Makes the calling thread the executor's, for as long as the process lives.
    public func run() -> Never {
        var batch: [UnownedJob] = []
        while true {
            let work = state.withLock { $0.takeWork(&batch, bell) }
            for sleeper in work.due { sleeper.resume() }
            work.alarm?()
            guard batch.isEmpty else {
                perform(&batch)
                continue
            }
            if work.isNone { bell.wait(hasDeadline: work.hasDeadline) }
        }
    }

    private func perform(_ batch: inout [UnownedJob]) {
        for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
        batch.removeAll(keepingCapacity: true)
    }
}

extension LoopExecutor.State {
    /// - Returns: whether the own thread is to be woken for it.
    fileprivate mutating func workCame() -> Bool {
        switch worker {
        case .own: return false
        case .none:
            worker = .own
            return true
        case .borrowed(let thread, _):
            if thread != pthread_self() { wantsOwn = true }
            return false
        }
    }

    /// - Returns: whether the calling thread is the one at work from here on.
    fileprivate mutating func borrow() -> Bool {
        guard case .none(let deadline) = worker else { return false }
        worker = .borrowed(pthread_self(), until: deadline)
        return true
    }

    /// - Returns: whether the own thread is to be woken.
    fileprivate mutating func giveBack(_ bell: Bell) -> Bool {
        guard case .borrowed(_, let deadline) = worker else { return false }
        worker = .none(until: deadline)
        guard wantsOwn else { return sleepOn(bell) }
        (worker, wantsOwn) = (.own, false)
        return true
    }

    /// Nobody is at work: the own thread sleeps on until the earliest deadline.
    /// - Returns: whether it has to be woken for that.
    fileprivate mutating func sleepOn(_ bell: Bell) -> Bool {
        guard case .none(let deadline) = worker, let earliest else { return false }
        guard let deadline else {
            worker = .own
            return true
        }
        if earliest < deadline || deadline.duration(to: earliest) > LoopExecutor.slack {
            bell.ring(at: earliest)
            worker = .none(until: earliest)
        }
        return false
    }

    private var earliest: MonotonicTime? { .earliest(sleepers.earliest, alarm?.deadline) }

    /// What is there for the own thread to do.
    fileprivate struct Work {
        var due: [CheckedContinuation<Void, Never>] = []
        var alarm: (@Sendable () -> Void)?
        var isNone = false
        var hasDeadline = false
    }

    /// With nothing to take it is to sleep until the deadline.
    fileprivate mutating func takeWork(_ batch: inout [UnownedJob], _ bell: Bell) -> Work {
        if case .borrowed = worker {
            wantsOwn = true
            return Work(isNone: true)
        }
        swap(&batch, &jobs)
        var work = Work(due: sleepers.takeDue())
        if let alarm, alarm.deadline <= .now { (work.alarm, self.alarm) = (alarm.call, nil) }
        work.isNone = batch.isEmpty && work.due.isEmpty && work.alarm == nil
        guard work.isNone else {
            worker = .own
            return work
        }
        let earliest = earliest
        bell.ring(at: earliest)
        worker = .none(until: earliest)
        work.hasDeadline = earliest != nil
        return work
    }
}

/// Tasks that wait for an instant: a handful.
private struct Sleepers {
    private struct Sleeper {
        let id: Int
        let deadline: MonotonicTime
        let waiter: CheckedContinuation<Void, Never>
    }

    private var waiting: [Sleeper] = []
    private var lastID = 0

    /// By index, as to copy an element counts references up and down.
    var earliest: MonotonicTime? { waiting.indices.lazy.map { waiting[$0].deadline }.min() }

    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ id: Int, until deadline: MonotonicTime, _ waiter: CheckedContinuation<Void, Never>) {
        waiting.append(Sleeper(id: id, deadline: deadline, waiter: waiter))
    }

    mutating func remove(_ id: Int) -> CheckedContinuation<Void, Never>? {
        waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0).waiter }
    }

    mutating func takeDue() -> [CheckedContinuation<Void, Never>] {
        guard let earliest else { return [] }
        let now = MonotonicTime.now
        guard earliest <= now else { return [] }
        let due = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        return due.map(\.waiter)
    }
}

/// What the own thread sleeps at. Anybody may ring it, and say when it rings by itself, which wakes nobody now.
private final class Bell: Sendable {
    private let rung = eventfd(0, Int32(EFD_CLOEXEC))
    private let timer = timer_open()
    /// Without descriptors it is looked again after this, microseconds.
    private static let pause: UInt32 = 5000

    deinit {
        close(rung)
        close(timer)
    }

    func ring() {
        eventfd_write(rung, 1)
    }

    /// Nil: by itself never.
    func ring(at deadline: MonotonicTime?) {
        let nanoseconds = Int(deadline?.nanoseconds ?? 0)
        timer_set(timer, nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
    }

    /// Returns when it was rung, or earlier.
    /// - Parameter hasDeadline: false where only ``ring()`` is to be waited for.
    func wait(hasDeadline: Bool) {
        guard rung >= 0, timer >= 0 else {
            usleep(Self.pause)
            return
        }
        var value: eventfd_t = 0
        guard hasDeadline else {
            eventfd_read(rung, &value)
            return
        }
        var descriptors = [rung, timer].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&descriptors, 2, -1)
        if descriptors[0].revents != 0 { eventfd_read(rung, &value) }
    }
}
