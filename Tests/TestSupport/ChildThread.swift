import Foundation
import Synchronization

/// The thread that starts all child processes. It lives as long as this process.
final class ChildThread: Sendable {
    static let shared = ChildThread()

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            // The task pool's threads block signals; this thread, and so each child, must not.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            while true {
                waiting.wait()
                jobs.withLock { $0.removeFirst() }()
            }
        }
    }

    /// Returns when the process has begun.
    func run(_ process: Process) throws {
        let outcome = Mutex<(any Error)?>(nil)
        let done = DispatchSemaphore(value: 0)
        jobs.withLock { jobs in
            jobs.append {
                do { try process.run() } catch { outcome.withLock { $0 = error } }
                done.signal()
            }
        }
        waiting.signal()
        done.wait()
        if let error = outcome.withLock({ $0 }) { throw error }
    }
}
