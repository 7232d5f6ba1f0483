import Glibc
public import Logging
import Synchronization

/// Writes lines for the journal, `<4>message key=value`, or for a terminal, with time and level instead of the number.
///
/// Each line is one `write` to standard error, so that lines of several threads don't mix. If nobody reads them, lines
/// are left out and counted: a full log must not stop the gateway.
public struct JournalLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    private let level: LogLevel
    private let isForJournal: Bool
    private let descriptor: Int32
    private let leftOut = LeftOut()

    /// - Parameters:
    ///   - level: shared by all loggers, so that a reload changes it for all of them.
    ///   - isForJournal: systemd reads the lines (then it sets `JOURNAL_STREAM`).
    ///   - descriptor: where the lines go; nil for standard error.
    public init(level: LogLevel, isForJournal: Bool, descriptor: Int32? = nil) {
        self.level = level
        self.isForJournal = isForJournal
        self.descriptor = descriptor ?? STDERR_FILENO
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
        leftOut.count.withLock { leftOut in
            guard isWritable else { return leftOut += 1 }
            if leftOut > 0 { write(prefix(.warning) + "\(leftOut) lines were left out: nobody read the log") }
            leftOut = 0
            write(line)
        }
    }

    /// The lines that were left out since the log was full.
    private final class LeftOut: Sendable {
        let count = Mutex(0)
    }

    /// A pipe is writable if a whole line fits. Of a socket this is only likely.
    private var isWritable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    private func write(_ line: String) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        bytes.withUnsafeBytes { bytes in
            // A socket takes what fits and does not wait.
            let sent = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            if sent < 0, errno == ENOTSOCK { _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
        }
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

    /// What the log quotes can be copied: JSON keeps its quotes.
    private static func quoted(_ value: String) -> String {
        if !value.contains("\"") { return value.contains(" ") ? "\"" + value + "\"" : value }
        return value.contains("'") ? "\"" + value.replacing("\"", with: "\\\"") + "\"" : "'" + value + "'"
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
