import FlightMath
import GatewayReports
import ReceiverProtocol

/// SondeHub's live stream of one sonde: when to connect, and whether it delivers.
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

    private var errand = Errand<SondeHubStreamNews>()
    /// The server has accepted the subscription of the call that is out.
    private var isOpen = false
    /// The sonde of the connection, by SondeHub's name; nil if none is wanted.
    private(set) var serial: SondeSerial?
    private var backoff = Backoff(first: firstWait, limit: longestWait)
    /// Until then the newest frame is younger than ``freshLimit``.
    private var freshUntil = MonotonicTime.zero
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
        if serial == nil { .off } else { isOpen ? .live : .connecting }
    }

    /// The number of the open connection; nil while none is open.
    var session: Int? { isOpen ? connections : nil }

    var deadline: MonotonicTime? {
        let attempt = serial == nil ? nil : errand.dueAt(every: Self.shortestWait)
        return .earliest(attempt, isDelivering ? deliveryEnd : nil)
    }

    /// When the stream stops counting as delivering, if nothing comes; nil while no sonde is wanted.
    private var deliveryEnd: MonotonicTime? { serial == nil ? nil : .earliest(freshUntil, awayUntil) }

    // MARK: - The connection

    /// - Parameter wanted: the sonde to stream; nil for none.
    mutating func follow(_ wanted: SondeSerial?, _ turn: inout Turn) {
        let now = turn.now.monotonic
        if wanted != serial { change(to: wanted, &turn) }
        if let serial, let due = errand.dueAt(every: Self.shortestWait), now >= due {
            errand.ask(.stream(serial), &turn)
        }
        isDelivering = serial != nil && !now.hasReached(deliveryEnd)
    }

    private mutating func change(to wanted: SondeSerial?, _ turn: inout Turn) {
        errand.cancel(&turn)
        errand.wait(until: turn.now.monotonic)
        (serial, isOpen) = (wanted, false)
        (freshUntil, awayUntil, delay, delays) = (.zero, nil, nil, [])
    }

    /// - Returns: the news, if it is this stream's; else nil.
    mutating func take(_ reply: Reply, _ turn: inout Turn) -> Result<SondeHubStreamNews, OnlineServiceError>? {
        errand.take(reply, &turn)
    }

    /// The server has accepted the subscription.
    mutating func opened() {
        guard !isOpen else { return }
        isOpen = true
        (awayUntil, isFirstOfConnection) = (nil, true)
        connections += 1
        counts.reconnects = connections - 1
    }

    /// The connection could not be opened, or has ended.
    mutating func ended(_ error: OnlineServiceError, _ turn: inout Turn) {
        let now = turn.now.monotonic
        if isOpen { awayUntil = now.advanced(by: Self.awayLimit) }
        isOpen = false
        let random = Double(now.nanoseconds / 1000 % 1000) / 1000
        let grown = backoff.delay(random: random, atMost: now < freshUntil ? Self.briefWait : nil)
        let wait = error.code.isFinal ? Self.refusalWait : max(Self.shortestWait, grown)
        errand.wait(until: now.advanced(by: wait))
        turn.note(
            .info, "SondeHub's live stream has ended: \(error.code.rawValue)",
            facts: ["why": error.detail, "again_in_s": "\(wait.components.seconds)"])
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
        freshUntil = max(freshUntil, now.monotonic.advanced(by: Self.freshLimit - age))
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
