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
            /// Nobody: there is nothing to do. The own thread sleeps until the deadline.
            case none(until: MonotonicTime?)
            /// The own thread sleeps on meanwhile, until the deadline.
            case borrowed(pthread_t, until: MonotonicTime?)
        }

        var worker = Worker.own
        var jobs: [UnownedJob] = []
        var sleepers = Sleepers()
        /// There is something that is not for the borrowed thread to do.
        var wantsOwn = false
    }

    private let state = Mutex(State())
    private let bell = Bell()

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
                return batch.isEmpty ? state.giveBack() : nil as Bool?
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
            let (due, deadline) = state.withLock { $0.takeWork(&batch) }
            for sleeper in due { sleeper.resume() }
            guard !batch.isEmpty else {
                if due.isEmpty { bell.wait(until: deadline) }
                continue
            }
            perform(&batch)
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
    fileprivate mutating func giveBack() -> Bool {
        guard case .borrowed(_, let deadline) = worker else { return false }
        let oversleeps =
            switch (sleepers.earliest, deadline) {
            case (let earliest?, let deadline?): earliest < deadline
            case (_?, nil): true
            case (nil, _): false
            }
        let mustWake = wantsOwn || oversleeps
        worker = mustWake ? .own : .none(until: deadline)
        wantsOwn = false
        return mustWake
    }

    /// For the own thread. With nothing to take it is to sleep until the deadline.
    fileprivate mutating func takeWork(
        _ batch: inout [UnownedJob]
    ) -> (due: [CheckedContinuation<Void, Never>], deadline: MonotonicTime?) {
        if case .borrowed = worker {
            wantsOwn = true
            return ([], nil)
        }
        swap(&batch, &jobs)
        let due = sleepers.takeDue()
        let deadline = sleepers.earliest
        worker = batch.isEmpty && due.isEmpty ? .none(until: deadline) : .own
        return (due, deadline)
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

/// A semaphore at a fixed place in memory.
private final class Bell: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    /// The semaphore's clock stands still while the machine is suspended, deadlines don't: it is looked again after this.
    private static let longestWait = Duration.seconds(60)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func ring() {
        sem_post(semaphore)
    }

    /// Returns when it was rung, at `deadline`, or earlier.
    func wait(until deadline: MonotonicTime?) {
        guard let deadline else {
            while sem_wait(semaphore) != 0, errno == EINTR {}
            return
        }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let left = max(.zero, min(MonotonicTime.now.duration(to: deadline), Self.longestWait)).wholeNanoseconds
        let nanoseconds = time.tv_nsec + Int(left % 1_000_000_000)
        _ = semaphore_wait_until(
            semaphore, time.tv_sec + Int(left / 1_000_000_000) + nanoseconds / 1_000_000_000,
            nanoseconds % 1_000_000_000)
    }
}
