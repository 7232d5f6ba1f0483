import GRDB

/// Everything that outlives the process, in one SQLite file: one writer, WAL, `synchronous=NORMAL`.
///
/// A file that is damaged is moved aside and a new one begun; a directory that can't be written or a full disk makes
/// every call fail with the reason, until one succeeds. Nothing of it ever stops the gateway.
public final class FlightStore: Sendable {
    let database: LazyDatabase
    let bounds: SpoolBounds

    /// - Parameters:
    ///   - path: the file; its directory must exist.
    ///   - onReplaced: told with a sentence when a damaged file was moved aside.
    public init(path: String, bounds: SpoolBounds, onReplaced: @escaping @Sendable (String) -> Void) {
        database = LazyDatabase(path: path, onReplaced: onReplaced)
        self.bounds = bounds
    }
}

/// How much may wait in the spool.
public struct SpoolBounds: Equatable, Sendable {
    public var messages: Int
    public var ageMilliseconds: Int64

    public init(messages: Int, ageHours: Int) {
        self.messages = messages
        ageMilliseconds = Int64(ageHours) * 3_600_000
    }
}
