import GRDB
import NIOCore
import NIOPosix
import Synchronization

extension DatabaseQueue {
    /// For all that is asked at once.
    private static var readLimit: TimeAmount { .seconds(2) }
    /// An interruption between two statements ends neither.
    private static var interruptionInterval: TimeAmount { .milliseconds(50) }

    /// Reads for a limited time: a view of somebody's file can compute without an end.
    /// - Throws: ``MapFault/isSlow`` when time is up; what the database and `body` throw.
    func readWithinLimit<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let watch = ReadWatch()
        let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleRepeatedTask(
            initialDelay: Self.readLimit, delay: Self.interruptionInterval
        ) { [self] _ in watch.interrupt(self) }
        defer {
            watch.end()
            timer.cancel()
        }
        do {
            return try read(body)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw MapFault.isSlow
        }
    }
}

/// Sees to it that nothing is interrupted but what it watches.
private final class ReadWatch: Sendable {
    private let isOver = Mutex(false)

    func interrupt(_ queue: DatabaseQueue) {
        isOver.withLock { if !$0 { queue.interrupt() } }
    }

    func end() {
        isOver.withLock { $0 = true }
    }
}
