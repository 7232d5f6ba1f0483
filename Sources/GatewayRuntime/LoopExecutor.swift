import Glibc
import Synchronization
import TransportIO

/// One thread for the gateway's own tasks: what one hands to the next costs no switch of threads.
///
/// Most of what a frame costs is waking. On the shared pool each step (transport, frames, loop, timers) may wake another
/// thread; here a step that makes the next one ready only puts it into the queue. Whoever comes from outside (a
/// transport's thread, the broker's) wakes the thread once, and only if it sleeps. Nothing that blocks belongs here.
public final class LoopExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isSleeping = false
    }

    private let state = Mutex(State())
    private let bell = Bell()

    /// Starts the thread; it lives as long as the process.
    public init() {
        startThread { [self] in work() }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            defer { state.isSleeping = false }
            return state.isSleeping
        }
        if mustWake { bell.ring() }
    }

    private func work() {
        var batch: [UnownedJob] = []
        while true {
            let isIdle = state.withLock { state in
                swap(&batch, &state.jobs)
                state.isSleeping = batch.isEmpty
                return batch.isEmpty
            }
            guard !isIdle else {
                bell.wait()
                continue
            }
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
            batch.removeAll(keepingCapacity: true)
        }
    }
}

/// A semaphore at a fixed place in memory.
private final class Bell: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

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

    func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }
}
