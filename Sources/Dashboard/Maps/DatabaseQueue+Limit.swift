import GRDB
import NIOCore
import NIOPosix
import Synchronization

extension DatabaseQueue {
    /// The longest time for one read with all its statements.
    private static var readLimit: TimeAmount { .seconds(2) }
    /// Interrupts are repeated, because one between two statements has no effect.
    private static var interruptionInterval: TimeAmount { .milliseconds(50) }

    /// Reads for a limited time, because a view in a foreign file can compute for ever.
    /// - Throws: ``MapFault/isSlow`` when the time is over; errors of the database and of `body`.
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

/// Allows interrupts only until its read has ended.
private final class ReadWatch: Sendable {
    private let isOver = Mutex(false)

    func interrupt(_ queue: DatabaseQueue) {
        isOver.withLock { if !$0 { queue.interrupt() } }
    }

    func end() {
        isOver.withLock { $0 = true }
    }
}
