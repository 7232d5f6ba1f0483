import Glibc
public import Logging
import Synchronization

/// Writes lines for the journal, `<4>message key=value`, or for a terminal, with time and level instead of the number.
///
/// Each line is one `write` to standard error, so that lines of several threads don't mix.
public struct JournalLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    private let level: LogLevel
    private let isForJournal: Bool

    /// - Parameters:
    ///   - level: shared by all loggers, so that a reload changes it for all of them.
    ///   - isForJournal: systemd reads the lines (then it sets `JOURNAL_STREAM`).
    public init(level: LogLevel, isForJournal: Bool) {
        self.level = level
        self.isForJournal = isForJournal
    }

    public var logLevel: Logger.Level {
        get { level.value }
        set { level.value = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { _, newer in newer }
        let line = prefix(event.level) + Self.text(event.message.description, facts)
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        bytes.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The line without its prefix: the message, then its facts.
    static func text(_ message: String, _ facts: Logger.Metadata) -> String {
        var line = message
        for (key, value) in FactOrder.sorted(facts) { line += " \(key)=\(quoted("\(value)"))" }
        return line.plainLine()
    }

    private func prefix(_ level: Logger.Level) -> String {
        guard !isForJournal else { return "<\(Self.priority(level))>" }
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        let clock = [local.tm_hour, local.tm_min, local.tm_sec].map { ($0 < 10 ? "0" : "") + String($0) }
        return clock.joined(separator: ":") + " \(level) "
    }

    private static func quoted(_ value: String) -> String {
        value.contains { $0 == " " || $0 == "\"" } ? "\"" + value.replacing("\"", with: "'") + "\"" : value
    }

    /// The severity of syslog.
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// The log level that all loggers share.
public final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    public init(_ level: Logger.Level) {
        self.level = Mutex(level)
    }

    public var value: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}
