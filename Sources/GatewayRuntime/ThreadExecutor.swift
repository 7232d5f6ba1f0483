import ReceiverProtocol
import Synchronization
import Threads
import TransportIO

/// Runs tasks one after another on one thread, and wakes sleeping ones.
///
/// `deploy/doc/design.md` lists the threads and says what may block on each.
public final class ThreadExecutor: TaskExecutor {
    private struct Sleeper {
        let id: Int
        let deadline: MonotonicTime
        let waiter: CheckedContinuation<Void, Never>
    }

    private struct State {
        var jobs: [UnownedJob] = []
        /// Not sorted, as there are only a few.
        var sleepers: [Sleeper] = []
        var lastID = 0
        /// The thread waits to be woken.
        var isWaiting = false

        var earliest: MonotonicTime? { sleepers.lazy.map(\.deadline).min() }

        mutating func removeDue() -> [Sleeper] {
            guard !sleepers.isEmpty else { return [] }
            let now = MonotonicTime.now
            defer { sleepers.removeAll { $0.deadline <= now } }
            return sleepers.filter { $0.deadline <= now }
        }
    }

    private let state = Mutex(State())
    private let bell = Bell()

    private let name: StaticString

    /// Tasks wait until ``start()`` or ``run()``.
    /// - Parameter name: the started thread's, as `top -H` shows it; at most 15 bytes.
    public init(named name: StaticString) {
        self.name = name
    }

    /// Starts a thread that lives as long as the process.
    public func start() {
        runOnThread(named: name) { [self] in serve() }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        change { $0.jobs.append(job) }
    }

    /// Returns at `deadline`, or earlier if the task is cancelled.
    func sleep(until deadline: MonotonicTime) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                change { $0.sleepers.append(Sleeper(id: id, deadline: deadline, waiter: waiter)) }
                // The task was cancelled before its sleeper was in the list.
                if Task.isCancelled { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
    }

    private func wake(_ id: Int) {
        let sleeper = state.withLock { state in
            state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
        }
        sleeper?.waiter.resume()
    }

    private func change(_ body: (inout State) -> Void) {
        let mustRing = state.withLock { state in
            body(&state)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustRing { bell.ring() }
    }

    /// Makes the calling thread the executor's, and the loop's, for the life of the process.
    public func run() -> Never {
        LoopThread.begin()
        serve()
    }

    private func serve() -> Never {
        var jobs: [UnownedJob] = []
        while true {
            let (due, deadline) = state.withLock { state in
                swap(&jobs, &state.jobs)
                let due = state.removeDue()
                state.isWaiting = jobs.isEmpty && due.isEmpty
                return (due, state.earliest)
            }
            for sleeper in due { sleeper.waiter.resume() }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if jobs.isEmpty, due.isEmpty { wait(until: deadline) }
            jobs.removeAll(keepingCapacity: true)
        }
    }

    /// Returns when a job or a sleeper wakes the thread, at the deadline, or a little earlier.
    private func wait(until deadline: MonotonicTime?) {
        bell.wait(atMost: deadline.map { MonotonicTime.now.duration(to: $0) })
    }
}
