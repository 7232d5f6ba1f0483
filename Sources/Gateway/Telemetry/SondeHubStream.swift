import FlightMath
import GatewayReports
import ReceiverProtocol

/// SondeHub's live stream of one sonde: when to connect, and whether it delivers (specification 4.7).
///
///     off ---wanted---> waiting ---due---> connecting ---accepted---> open
///      ^                   ^                    |                      |
///      |                   +---- 1 to 30 s -----+----------------------+   every connection ends after some minutes;
///      |                                                                   up to 6 s while a frame is still fresh
///      +---- no longer wanted, from each state
///
/// It delivers while its newest frame is younger than 60 s, and up to 30 s after the end of a connection. Meanwhile the
/// polls are slow (``SondeHubPoll/relieve(_:at:)``).
struct SondeHubStream: Equatable, Sendable {
    /// A stream without a younger frame does not deliver.
    private static let freshLimit = Duration.seconds(60)
    /// A connection may be away for this long before the polls replace it.
    private static let awayLimit = Duration.seconds(30)
    /// The shortest time between the beginnings of two connections.
    private static let shortestWait = Duration.seconds(1)
    private static let longestWait = Duration.seconds(30)
    /// The wait before the second attempt. It grows with each further attempt.
    private static let firstWait = Duration.seconds(2)
    /// The longest wait while a frame is younger than ``freshLimit``: in a valley the network is away for seconds, and
    /// a wait that has grown would cost more frames than the valley itself.
    private static let briefWait = Duration.seconds(6)
    /// The wait after an error that another attempt does not mend.
    private static let refusalWait = Duration.seconds(900)
    /// The frames of which ``delay`` is the median.
    private static let delayFrames = 10

    private enum Phase: Equatable {
        case off
        case waiting(until: MonotonicTime)
        case connecting(CallID)
        case open(CallID)
    }

    private var phase = Phase.off
    /// The sonde of the connection, by SondeHub's name; nil if none is wanted.
    private(set) var serial: SondeSerial?
    private var backoff = Backoff(first: firstWait, limit: longestWait)
    private var notBefore = MonotonicTime.zero
    /// The time until which the newest frame is younger than ``freshLimit``; nil before the first frame.
    private var freshUntil: MonotonicTime?
    /// When the polls replace a connection that has ended; nil while one is open.
    private var awayUntil: MonotonicTime?
    /// This connection has delivered no frame yet.
    private var isFirstOfConnection = false
    /// Whether the stream delivered at the last ``follow(_:_:)``.
    private(set) var isDelivering = false
    /// The delays since ``delay`` was computed.
    private var delays: [Duration] = []
    /// The median time from a frame's time to its arrival, in steps of 0.1 s; nil before the first frame. It is
    /// computed every ``delayFrames`` frames, so that the state does not change with each frame.
    private(set) var delay: Duration?
    private(set) var counts = HealthReport.Stream()
    private var connections = 0

    var status: StateReport.SondeHub.StreamStatus {
        switch phase {
        case .off: .off
        case .waiting, .connecting: .connecting
        case .open: .live
        }
    }

    /// The number of the open connection; nil while none is open.
    var session: Int? { if case .open = phase { connections } else { nil } }

    var deadline: MonotonicTime? {
        let attempt: MonotonicTime? = if case .waiting(let until) = phase { until } else { nil }
        return .earliest(attempt, isDelivering ? deliveryEnd : nil)
    }

    /// When the stream stops counting as delivering, if nothing comes; nil before the first frame.
    private var deliveryEnd: MonotonicTime? {
        guard let freshUntil, serial != nil else { return nil }
        return min(freshUntil, awayUntil ?? freshUntil)
    }

    // MARK: - The connection

    /// - Parameter wanted: the sonde to stream; nil for none.
    mutating func follow(_ wanted: SondeSerial?, _ turn: inout Turn) {
        let now = turn.now.monotonic
        if wanted != serial { change(to: wanted, &turn) }
        if case .waiting(let until) = phase, now >= until, let serial {
            notBefore = now.advanced(by: Self.shortestWait)
            phase = .connecting(turn.call(.stream(serial), for: .sondeHubStream))
        }
        isDelivering = deliveryEnd.map { now < $0 } ?? false
    }

    private mutating func change(to wanted: SondeSerial?, _ turn: inout Turn) {
        switch phase {
        case .connecting(let id), .open(let id): turn.cancel(id)
        case .off, .waiting: break
        }
        serial = wanted
        (freshUntil, awayUntil, delay, delays) = (nil, nil, nil, [])
        phase = wanted == nil ? .off : .waiting(until: max(turn.now.monotonic, notBefore))
    }

    /// The server has accepted the subscription.
    mutating func opened() {
        guard case .connecting(let id) = phase else { return }
        phase = .open(id)
        (awayUntil, isFirstOfConnection) = (nil, true)
        connections += 1
        counts.reconnects = connections - 1
    }

    /// The connection could not be opened, or has ended.
    mutating func ended(_ error: OnlineServiceError, _ turn: inout Turn) {
        let now = turn.now.monotonic
        if case .open = phase { awayUntil = now.advanced(by: Self.awayLimit) }
        let random = Double(now.nanoseconds / 1000 % 1000) / 1000
        let isFresh = freshUntil.map { now < $0 } ?? false
        let limit = isFresh ? Self.briefWait * (0.5 + random / 2) : Self.longestWait
        let grown = min(limit, backoff.delay(random: random))
        let wait = Self.isFinal(error.code) ? Self.refusalWait : max(Self.shortestWait, grown)
        phase = .waiting(until: now.advanced(by: max(wait, error.askedPause)))
        turn.note(
            .info, "SondeHub's live stream has ended: \(error.code.rawValue)",
            facts: ["why": error.detail, "again_in_s": "\(wait.components.seconds)"])
    }

    /// Whether the next attempt would fail, too, until somebody changes something.
    private static func isFinal(_ code: OnlineServiceError.Code) -> Bool {
        switch code {
        case .refused, .redirect: true
        case .unreachable, .timedOut, .tls, .status, .rateLimited, .tooLarge, .malformed, .cancelled: false
        }
    }

    // MARK: - The frames

    /// - Parameters:
    ///   - frames: the usable frames.
    ///   - answer: all frames that came.
    /// - Returns: whether frames before these may be missing: the connection is new, or some were dropped.
    mutating func received(_ frames: [LatestRecord], of answer: SondeHubAnswer, at now: Moment) -> Bool {
        counts.messages += answer.records.count + answer.skipped + answer.dropped
        counts.drops += answer.dropped
        guard let age = frames.map(\.age).min() else { return false }
        backoff.reset()
        let until = now.monotonic.advanced(by: Self.freshLimit - age)
        freshUntil = max(freshUntil ?? until, until)
        defer { isFirstOfConnection = false }
        return isFirstOfConnection || answer.dropped > 0
    }

    /// Measures the delay of a frame that no station had sent before.
    mutating func measure(_ age: Duration) {
        delays.append(age)
        guard delay == nil || delays.count >= Self.delayFrames else { return }
        let median = delays.sorted()[delays.count / 2]
        delay = .milliseconds(median.wholeMilliseconds / 100 * 100)
        delays = []
    }
}
