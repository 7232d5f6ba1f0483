import GRDB

/// Everything that outlives the process, in one SQLite file: one writer, WAL, `synchronous=NORMAL`.
///
/// A file that is damaged is moved aside and a new one begun; a directory that can't be written or a full disk makes
/// every call fail with the reason, until one succeeds. Nothing of it ever stops the gateway.
public final class FlightStore: Sendable {
    let database: LazyDatabase
    let bounds: StoreBounds

    /// - Parameters:
    ///   - path: the file; its directory must exist.
    ///   - onReplaced: told with a sentence when a damaged file was moved aside.
    public init(path: String, bounds: StoreBounds, onReplaced: @escaping @Sendable (String) -> Void) {
        database = LazyDatabase(path: path, onReplaced: onReplaced)
        self.bounds = bounds
    }
}

/// How much may be kept.
public struct StoreBounds: Equatable, Sendable {
    /// In the spool.
    public var messages: Int
    public var messageAgeMilliseconds: Int64
    public var flightAgeMilliseconds: Int64
    /// Of the file; flights go for it, messages don't.
    public var bytes: Int

    public init(messages: Int, messageHours: Int, flightDays: Int, megabytes: Int) {
        self.messages = messages
        messageAgeMilliseconds = Int64(messageHours) * 3_600_000
        flightAgeMilliseconds = Int64(flightDays) * 86_400_000
        bytes = megabytes * 1_000_000
    }
}
