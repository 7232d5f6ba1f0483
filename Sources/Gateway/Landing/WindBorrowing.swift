import FlightMath
import GatewayReports
import ReceiverProtocol

/// Fetches the track of the newest other sonde that was launched near the followed one in the last day, once per
/// flight, for its winds.
///
///     nothing asked    the balloon climbs      asks for the sondes around
///     list             it names others         asks for the newest one's track
///     track            launched near           its winds are kept; done
///     track            launched elsewhere      asks for the next one's, three in all; then done
///     any              failed                  tried again after five minutes, five times in all
struct WindBorrowing: Equatable, Sendable {
    private static let mostAttempts = 5
    private static let mostTracks = 3
    private static let longestAge = Duration.seconds(86_400)
    /// How long a flight takes at most from the launch to the last record.
    private static let longestFlight = Duration.seconds(10_800)
    /// A sonde that drifted further than this from a near launch is not found, metres.
    private static let searchMetres = 400_000.0
    /// Winds that end below this altitude are useless, metres.
    private static let leastTopMetres = 5000.0

    private enum Phase: Equatable {
        case waiting
        case listing
        case fetching(SondeSerial, [StampedPoint])
        case done
    }

    private var phase = Phase.waiting
    private var errand = Errand<WindAnswer>(retry: .constant(.seconds(300)))
    /// Nothing may be asked now, so no attempt is due.
    private var isHeld = false
    private var attempts = 0
    /// The sondes whose tracks may still be fetched, the newest last.
    private var candidates: [SondeHubRecord] = []

    /// The next attempt; nil while none is due.
    var deadline: MonotonicTime? { phase == .waiting && !isHeld ? errand.dueAt(every: .zero) : nil }

    mutating func stop(_ turn: inout Turn) {
        errand.cancel(&turn)
        switch phase {
        case .listing, .fetching: phase = .waiting
        case .waiting, .done: break
        }
    }

    /// Asks for the sondes around, if an attempt is due.
    /// - Parameter isWanted: whether the sonde flies and SondeHub may be asked.
    mutating func follow(_ flight: Flight, isWanted: Bool, _ turn: inout Turn) {
        isHeld = !(isWanted && flight.isLetGo && !flight.hasDescentBegun)
        guard let deadline, turn.now.monotonic >= deadline, let newest = flight.newest else { return }
        guard attempts < Self.mostAttempts else {
            phase = .done
            return
        }
        attempts += 1
        phase = .listing
        errand.ask(.sondes(.dayAround(newest.coordinate, radiusMetres: Self.searchMetres)), &turn)
    }

    /// - Parameter names: the followed sonde's names.
    /// - Returns: the winds to keep; nil if there are none yet.
    mutating func answered(
        _ reply: Reply, for flight: Flight, named names: [SondeSerial], _ turn: inout Turn
    ) -> StoredWinds? {
        switch errand.take(reply, &turn) {
        case .success(.sondes(let answer)): choose(from: answer.records, besides: names, &turn)
        case .success(.track(.part(let piece))): collect(piece.records)
        case .success(.track(.end)): return trackEnded(near: flight, &turn)
        case .failure(let error):
            turn.note(.info, "no winds from SondeHub: \(error.code.rawValue)", facts: ["why": error.detail])
            phase = .waiting
        case nil: break  // The answer is another part's.
        }
        return nil
    }

    private mutating func choose(from records: [SondeHubRecord], besides names: [SondeSerial], _ turn: inout Turn) {
        candidates = records.filter { record in
            let age = turn.now.wall.duration(since: record.time)
            return !names.contains(record.serial) && age < Self.longestAge
        }.sorted { $0.time < $1.time }.suffix(Self.mostTracks)
        fetchNext(&turn)
    }

    private mutating func collect(_ records: [SondeHubRecord]) {
        guard case .fetching(let serial, var points) = phase else { return }
        phase = .done  // Drops the second reference to the points, which would copy them as they grow.
        let usable = records.filter { $0.serial == serial }
        points += usable.prefix(max(0, Track.limit - points.count)).map { StampedPoint($0) }
        phase = .fetching(serial, points)
    }

    private mutating func trackEnded(near flight: Flight, _ turn: inout Turn) -> StoredWinds? {
        guard case .fetching(let serial, let points) = phase else { return nil }
        guard let winds = Self.winds(of: serial, points, near: flight, at: turn.now.wall) else {
            fetchNext(&turn)
            return nil
        }
        phase = .done
        turn.note(.info, "winds borrowed from another sonde", facts: ["serial": serial.canonical])
        return winds
    }

    private mutating func fetchNext(_ turn: inout Turn) {
        guard let record = candidates.popLast() else {
            phase = .done
            return
        }
        let span = max(.zero, turn.now.wall.duration(since: record.time)) + Self.longestFlight
        phase = .fetching(record.serial, [])
        errand.ask(.track(record.serial, TrackDuration.covering(span)), &turn)
    }

    private static func winds(
        of serial: SondeSerial, _ points: [StampedPoint], near flight: Flight, at now: WallTime
    ) -> StoredWinds? {
        guard let here = flight.track.points.first else { return nil }
        var (other, clocks) = (Flight(), StationClocks())
        _ = other.insert(contentsOf: clocks.onOneClock(points, at: now).map(\.point))
        guard var winds = other.winds(of: serial), winds.topMetres >= leastTopMetres,
            winds.place.distanceMetres(to: here.coordinate) <= WindMemory.reachMetres
        else { return nil }
        winds.origin = .borrowed
        return winds
    }
}

/// The two answers to ``WindBorrowing``'s questions.
enum WindAnswer: AnswerValue {
    case sondes(SondeHubAnswer)
    case track(TrackNews)

    init?(_ answer: Answer) {
        if let sondes = SondeHubAnswer(answer) {
            self = .sondes(sondes)
        } else if let track = TrackNews(answer) {
            self = .track(track)
        } else {
            return nil
        }
    }
}
