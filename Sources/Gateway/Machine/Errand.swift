import FlightMath
import GatewayReports
import ReceiverProtocol

/// A question that a part puts to a network service again and again, with one call at a time. The part decides what to
/// ask and how often. The errand keeps the call, its times and its failures.
///
///     asked          the next call comes at least one spacing later, even if this call is cancelled
///     answered       earlier failures no longer count
///     failed         the next call waits for the first pause of `retry`, then for twice as long each time
///     Retry-After    the next call waits at least for that time, even if it is hurried
struct Errand<Value: AnswerValue>: Equatable, Sendable {
    private let retry: RetryPauses
    /// The pauses are changed by up to 10 %.
    private let isSpread: Bool
    /// A call that becomes due replaces the one that is out.
    private let replacesCall: Bool
    /// The call that is out; nil if there is none.
    private var call: CallID?
    /// The number of calls.
    private(set) var count = 0
    /// The number of failures since the last answer.
    private(set) var failures = 0
    private var askedAt: MonotonicTime?
    /// The next call comes after a failure's pause.
    private var retryAt = MonotonicTime.zero
    /// The service wants no call before this time.
    private var pausedUntil = MonotonicTime.zero

    init(retry: RetryPauses = .constant(.zero), isSpread: Bool = false, replacesCall: Bool = false) {
        self.retry = retry
        self.isSpread = isSpread
        self.replacesCall = replacesCall
    }

    /// A call waits for its answer.
    var isOut: Bool { call != nil }

    /// Whether the service has asked for a pause that still lasts.
    func isPaused(at now: MonotonicTime) -> Bool { now < pausedUntil }

    /// When the next call may be made; nil if the one that is out must end first.
    func dueAt(every spacing: Duration) -> MonotonicTime? {
        guard !isOut || replacesCall else { return nil }
        return .latest(retryAt, pausedUntil, askedAt?.advanced(by: spacing))
    }

    /// Whether the next call may be made now. If it is too early, `deadline` is at most the time when it may.
    func isDue(every spacing: Duration = .zero, at now: MonotonicTime, _ deadline: inout MonotonicTime?) -> Bool {
        guard let due = dueAt(every: spacing) else { return false }
        guard now < due else { return true }
        deadline = .earliest(deadline, due)
        return false
    }

    // MARK: - The call

    /// Makes a call. It replaces one that is out.
    mutating func ask(_ request: Request, _ turn: inout Turn) {
        cancel(&turn)
        count += 1
        askedAt = turn.now.monotonic
        retryAt = .zero
        call = turn.call(request)
    }

    /// Cancels the call, if one is out. Its answer is no longer needed.
    mutating func cancel(_ turn: inout Turn) {
        if let call { turn.cancel(call) }
        call = nil
    }

    /// Whether the reply answers this errand's call.
    func awaits(_ reply: Reply) -> Bool { reply.id == call }

    /// - Returns: the answer, if it answers this errand's call; else nil.
    mutating func take(_ reply: Reply, _ turn: inout Turn) -> Result<Value, OnlineServiceError>? {
        guard awaits(reply) else { return nil }
        if reply.answer.isLast { call = nil }
        if case .failed(let error) = reply.answer {
            let now = turn.now.monotonic
            let pause = retry.pause(after: failures)
            retryAt = now.advanced(by: isSpread ? pause.spread(by: now) : pause)
            pausedUntil = max(pausedUntil, now.advanced(by: error.askedPause))
            failures += 1
            return .failure(error)
        }
        if reply.answer.isLast { failures = 0 }
        return Value(reply.answer).map(Result.success)
    }

    // MARK: - The waits

    /// The next call need not wait for the spacing or after a failure, only for a pause that the service wants.
    mutating func hurry() {
        askedAt = nil
        retryAt = .zero
    }

    /// Something else is asked from now on. Earlier failures no longer count.
    mutating func beginAnew() {
        hurry()
        failures = 0
    }

    /// The next call comes at `time` at the earliest.
    mutating func wait(until time: MonotonicTime) { retryAt = time }
}

extension Duration {
    private static let jitter = 0.1

    /// The wait, changed by up to ± 10 %, so that many gateways don't ask at once. The last microseconds of the time
    /// serve as the random number.
    func spread(by now: MonotonicTime) -> Duration {
        let dice = Double(now.nanoseconds / 1000 % 2001) / 1000 - 1
        return self * (1 + Self.jitter * dice)
    }
}
