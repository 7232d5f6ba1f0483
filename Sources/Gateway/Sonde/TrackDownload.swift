import FlightMath
import GatewayReports
import ReceiverProtocol

/// One download of a track at a time. One that fails is tried again after 10, 20, 40, 80 s, or when the network is back.
struct TrackDownload: Sendable {
    static let mostAttempts = 5
    /// The durations for a sonde without any known point, the shortest first.
    private static let wholeFlight: [TrackDuration] = [.threeHours, .sixHours, .halfDay, .day, .threeDays]

    private var errand = Errand<TrackNews>(
        retry: RetryPauses(first: .seconds(10), longest: .seconds(80)), isSpread: true)
    /// The last attempt has failed, and another one follows.
    private var isWaiting = false
    /// The track reaches this much further back than it is asked for.
    var overlap = Duration.zero
    /// The duration for the whole flight, an index of ``wholeFlight``.
    private var width = 0
    /// The serial of the last call.
    private var serial: SondeSerial?
    /// The last attempt did not reach SondeHub.
    private var isUnreachable = false
    private var records: [StampedPoint] = []
    /// When the call that runs was made, and how much later SondeHub may answer it: its track ends with the answer, so a
    /// late one begins after the gap's beginning.
    private var askedAt = MonotonicTime.zero
    private var slack = Duration.zero
    /// Whether the last download brought its whole track.
    private var isComplete = false

    var calls: Int { errand.count }

    /// A call is under way, or waits for its next attempt.
    var isRunning: Bool { errand.isOut || isWaiting }

    var retryAt: MonotonicTime? { isWaiting ? errand.dueAt(every: .zero) : nil }

    /// - Parameter start: nil for the whole flight.
    mutating func begin(_ serial: SondeSerial, since start: WallTime?, _ turn: inout Turn) {
        width = 0
        errand.beginAnew()
        ask(serial, since: start, &turn)
    }

    /// Downloads the whole flight once more with a longer duration, if there is one.
    mutating func widen(_ serial: SondeSerial, _ turn: inout Turn) {
        guard !isRunning, isComplete, width + 1 < Self.wholeFlight.count else { return }
        width += 1
        ask(serial, since: nil, &turn)
    }

    mutating func timePassed(_ serial: SondeSerial, since start: WallTime?, _ turn: inout Turn) {
        if let retryAt, turn.now.monotonic >= retryAt { ask(serial, since: start, &turn) }
    }

    mutating func networkIsBack(at now: MonotonicTime) {
        if isWaiting, isUnreachable { errand.hurry() }
    }

    mutating func stop(_ turn: inout Turn) {
        errand.cancel(&turn)
        isWaiting = false
        records = []
    }

    /// - Returns: the answer, if it answers this download's call; else nil.
    mutating func take(_ reply: Reply, _ turn: inout Turn) -> Result<TrackNews, OnlineServiceError>? {
        errand.take(reply, &turn)
    }

    mutating func collect(_ records: [SondeHubRecord]) {
        for record in records where record.serial == serial && self.records.count < Track.limit {
            self.records.append(StampedPoint(record))
        }
    }

    /// Ends the call. After an error another attempt follows, unless ``isGivenUp(_:)``.
    /// - Parameter error: nil if the track is whole.
    /// - Returns: what came.
    mutating func ended(_ error: OnlineServiceError?, _ turn: inout Turn) -> [StampedPoint] {
        isComplete = error == nil
        if let error {
            turn.note(.warning, "track download incomplete: \(error.code.rawValue)", facts: ["why": error.detail])
            isUnreachable = error.code == .unreachable || error.code == .timedOut
            isWaiting = error.code != .cancelled && !isGivenUp(error)
        }
        defer { records = [] }
        return records
    }

    /// Whether no further attempt follows.
    func isGivenUp(_ error: OnlineServiceError) -> Bool {
        switch error.code {
        case .cancelled: false
        // The sign-in page of a Wi-Fi answers like this. SondeHub may be there later.
        case .refused, .redirect, .tooLarge: true
        case .unreachable, .timedOut, .tls, .status, .rateLimited, .malformed: errand.failures >= Self.mostAttempts
        }
    }

    /// Whether an answer that comes now may lack the gap's first points.
    func isLate(at now: MonotonicTime) -> Bool { now.duration(since: askedAt) > slack }

    private mutating func ask(_ serial: SondeSerial, since start: WallTime?, _ turn: inout Turn) {
        (isWaiting, records) = (false, [])
        self.serial = serial
        let span = start.map { turn.now.wall.duration(since: $0) }
        let duration = span.map { TrackDuration.covering($0 + overlap) } ?? Self.wholeFlight[width]
        (askedAt, slack) = (turn.now.monotonic, duration.duration - (span ?? .zero))
        errand.ask(.track(serial, duration), &turn)
    }
}
