import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol

/// The alerts that wait for one target, the oldest first.
///
///     event                     result
///     a new alert               waits; beyond ``limit`` the oldest is dropped; beyond the hour's number it is itself
///                               dropped
///     the server accepts it     the next one is sent
///     no answer, or try later   again after 5 s, then twice as long, at most 5 min; until it is an hour old
///     the server refuses it     it is dropped, and the next one is sent
struct AlertQueue: Sendable {
    static let limit = 50
    static let hour = Duration.seconds(3600)
    /// The pauses before an alert is sent again.
    static let retry = RetryPauses(first: .seconds(5), longest: .seconds(300))

    /// News for the log. The queue returns each once until the state changes.
    enum Note: Equatable {
        case failing(OnlineServiceError)
        case refused(OnlineServiceError)
        case works
        case tooMany
    }

    private struct Entry: Sendable {
        var message: AlertMessage
        var since: MonotonicTime
    }

    private let mostPerHour: Int
    private var waiting: [Entry] = []
    /// When the alerts of the last hour came.
    private var came: [MonotonicTime] = []
    private var isFull = false
    private var fault: OnlineServiceError.Code?
    private let retry: RetryPauses
    /// The number of failures since the last delivery.
    private var failures = 0
    private var retryAt: MonotonicTime?
    private(set) var sent = 0
    private(set) var dropped = 0

    init(mostPerHour: Int, retry: RetryPauses = Self.retry) {
        self.mostPerHour = mostPerHour
        self.retry = retry
    }

    var messages: [AlertMessage] { waiting.map(\.message) }

    /// The record that a restart needs.
    func record(at now: Moment) -> AlertRecord {
        AlertRecord(
            waiting: messages,
            came: came.map { now.wall.advanced(by: .zero - now.monotonic.duration(since: $0)).millisecondsSince1970 })
    }

    mutating func add(_ message: AlertMessage, at now: MonotonicTime) -> Note? {
        came.removeAll { now.duration(since: $0) >= Self.hour }
        guard came.count < mostPerHour else {
            dropped += 1
            defer { isFull = true }
            return isFull ? nil : .tooMany
        }
        isFull = false
        came.append(now)
        insert(Entry(message: message, since: now))
        return nil
    }

    /// Resumes the alerts of an earlier run that are younger than an hour. If the clock was set back since, an alert
    /// from the future counts as new.
    mutating func restore(_ record: AlertRecord, at now: Moment) {
        for message in record.waiting.suffix(Self.limit) {
            guard let since = Self.instant(ofWall: message.at, at: now) else { continue }
            insert(Entry(message: message, since: since))
        }
        came = record.came.suffix(mostPerHour).compactMap { Self.instant(ofWall: $0, at: now) } + came
    }

    /// - Returns: nil if it is an hour or more ago, or more than an hour ahead.
    private static func instant(ofWall milliseconds: Int64, at now: Moment) -> MonotonicTime? {
        let age = now.wall.duration(since: WallTime(millisecondsSince1970: milliseconds))
        guard (.zero - hour..<hour).contains(age) else { return nil }
        return now.monotonic.advanced(by: .zero - max(age, .zero))
    }

    private mutating func insert(_ entry: Entry) {
        if waiting.count >= Self.limit {
            waiting.removeFirst()
            dropped += 1
        }
        waiting.append(entry)
    }

    /// The alert to send now; nil if none is due. It waits until ``delivered()`` or ``failed(_:_:at:)``.
    mutating func next(at now: MonotonicTime) -> AlertMessage? {
        let old = waiting.count
        waiting.removeAll { now.duration(since: $0.since) >= Self.hour }
        dropped += old - waiting.count
        if let retryAt, now < retryAt { return nil }
        return waiting.first?.message
    }

    mutating func delivered(_ message: AlertMessage) -> Note? {
        remove(message)
        sent += 1
        (retryAt, failures) = (nil, 0)
        defer { fault = nil }
        return fault == nil ? nil : .works
    }

    mutating func failed(_ message: AlertMessage, _ error: OnlineServiceError, at now: MonotonicTime) -> Note? {
        defer { fault = error.code }
        guard !error.code.isFinal else {
            remove(message)
            dropped += 1
            return fault == error.code ? nil : .refused(error)
        }
        retryAt = now.advanced(by: retry.pause(after: failures, asked: error.askedPause))
        failures += 1
        return fault == nil ? .failing(error) : nil
    }

    private mutating func remove(_ message: AlertMessage) {
        waiting.removeAll { $0.message.id == message.id }
    }
}
