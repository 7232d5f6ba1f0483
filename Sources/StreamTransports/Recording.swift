import Gateway
import GatewayReports
import ReceiverProtocol

/// A raw log in playback: its next record, and when that is due.
struct Recording: ~Copyable {
    /// A record and its time on the gateway's clock.
    struct Step {
        var bytes: [UInt8]
        var due: MonotonicTime
        /// The record begins a new link: it has another session, or comes after a restart of the recording gateway.
        var beginsLink: Bool
    }

    private let file: String
    private var lines: LineReader
    private var last: (monotonic: MonotonicTime, session: Int)?
    private var due: MonotonicTime
    private var pending: Step?

    /// The pause before the first record after a restart, whose clock began again.
    private static let restart = Duration.seconds(1)
    /// A pause of more than a week means that the file is no raw log.
    private static let longestPause = Duration.seconds(7 * 86_400)

    /// - Parameter start: the time of the first record.
    init(file: String, start: MonotonicTime) throws(TransportError) {
        self.file = file
        lines = try LineReader(path: file, limit: RawLogRecord.maximumLineLength)
        due = start
    }

    /// The next record; nil at the end.
    mutating func next() throws(TransportError) -> Step? {
        if let pending { return pending }
        pending = try read()
        return pending
    }

    /// Steps past the record that ``next()`` has returned.
    mutating func advance() {
        pending = nil
    }

    /// Notes that a new link is open for the next record.
    mutating func beginLink() {
        pending?.beginsLink = false
    }

    private mutating func read() throws(TransportError) -> Step? {
        while let line = try lines.next() {
            guard !line.isEmpty else { continue }
            guard let record = RawLogRecord(line: line) else {
                let place = "\(file):\(lines.lineNumber)"
                throw TransportError(
                    .invalidData, "\(place): not a line of a raw log; give one that recorder.raw wrote")
            }
            return try step(record)
        }
        guard last != nil else { throw TransportError(.invalidData, "\(file) holds no record; give a raw log") }
        return nil
    }

    private mutating func step(_ record: RawLogRecord) throws(TransportError) -> Step {
        let before = last
        last = (record.monotonic, record.session)
        guard let before else { return Step(bytes: record.bytes, due: due, beginsLink: false) }
        let pause = record.monotonic.duration(since: before.monotonic)
        guard pause <= Self.longestPause else {
            throw TransportError(
                .invalidData, "\(file):\(lines.lineNumber): more than a week after the line before; not a raw log")
        }
        let isRestart = pause < .zero
        due = due.advanced(by: isRestart ? Self.restart : pause)
        return Step(bytes: record.bytes, due: due, beginsLink: isRestart || record.session != before.session)
    }
}
