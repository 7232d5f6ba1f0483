import Foundation
import Synchronization
import Threads

/// The thread that starts all child processes. It lives as long as this process.
final class ChildThread: Sendable {
    static let shared = ChildThread()

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                waiting.wait()
                jobs.withLock { $0.removeFirst() }()
            }
        }
    }

    /// Returns when the process has begun.
    func run(_ start: @escaping @Sendable () throws -> ChildProcess) throws -> ChildProcess {
        let outcome = Mutex<Result<ChildProcess, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        jobs.withLock { jobs in
            jobs.append {
                let result = Result { try start() }
                outcome.withLock { $0 = result }
                done.signal()
            }
        }
        waiting.signal()
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { throw CocoaError(.executableLoad) }
        return try result.get()
    }
}
