import FlightMath
import Foundation
import Gateway
import GatewayReports
import GatewayTestSupport

/// Counts what the machine says when its receiver hears whole flights, and flights that it loses shortly before the
/// landing. The machine predicts by the own winds only.
struct SpokenFigures {
    /// The sonde is lost at this height above its landing, metres.
    private static let cuts = [1500.0, 1000, 500]
    /// A landing that is said earlier is wrong, seconds.
    private static let early = 30.0
    private static let longestWait = 7200.0
    private static let leastMove = 300.0
    /// The longest times that the rules keep a large move back, before and after the burst; seconds.
    private static let keptBack = (ascent: 300.0, descent: 90.0)
    /// A sentence may wait for others.
    private static let speechSeconds = 10.0

    private let flights: OtherFlights
    private var moves: [Double] = []
    private var movesInDescent: [Double] = []
    private var published: [Double] = []
    private var unsaid: [String] = []
    /// By the cut: the time from the true landing to its announcement, seconds.
    private var delays: [Double: [Double]] = [:]
    private var falseOnes: [Double: [String]] = [:]
    private var neverSaid: [Double: Int] = [:]

    init(_ tracks: [RecordedTrack], _ flights: OtherFlights) {
        self.flights = flights
        for track in tracks where track.reachesGround { measure(track) }
    }

    private mutating func measure(_ track: RecordedTrack) {
        guard let first = track.points.first, let last = track.points.last, let landing = track.touchDown else {
            return
        }
        var chase = HeardFlight(first, flights.options(track))
        var (spoken, falling, told, worst) = (0, 0, 0, 0.0)
        var said: Coordinate?
        var farSince: Double?
        var wasFalling = false
        var cuts = Self.cuts[...]
        for point in track.resampled(everySeconds: HeardFlight.spacing) {
            let outcome = chase.hear(point)
            spoken += outcome.spoken(.landingMoved).count
            if wasFalling { falling += outcome.spoken(.landingMoved).count }
            told += outcome.told(.landingMoved).count
            for report in outcome.spoken {
                if case .firstPrediction(let landing) = report.announcement { said = landing.place }
                if case .landingMoved(let landing, _, _) = report.announcement { said = landing.place }
                if case .burst(_, let landing?) = report.announcement { said = landing.place }
            }
            let isFalling = chase.script.flight?.hasDescended ?? false
            // From the burst on the shorter time counts.
            if isFalling, !wasFalling, farSince != nil { farSince = chase.seconds }
            wasFalling = isFalling
            if case .landing(let report?) = chase.script.newest[.landing], let said,
                said.distanceMetres(to: report.coordinate) > max(Self.leastMove, report.point.radius50Metres ?? 0)
            {
                let since = farSince ?? chase.seconds
                farSince = since
                let keptBack = isFalling ? Self.keptBack.descent : Self.keptBack.ascent
                worst = max(worst, chase.seconds - since - keptBack)
            } else {
                farSince = nil
            }
            let height = point.altitudeMetres - last.altitudeMetres
            while let cut = cuts.first, height <= cut, !track.isAscent(point) {
                cuts.removeFirst()
                loseSonde(chase, landing: chase.elapsed(at: landing), cut, track.name)
            }
        }
        moves.append(Double(spoken))
        movesInDescent.append(Double(falling))
        published.append(Double(told))
        if worst > Self.speechSeconds { unsaid.append("\(track.name) \(decimal(worst, 0)) s") }
    }

    private mutating func loseSonde(_ heard: HeardFlight, landing: Double, _ cut: Double, _ name: String) {
        var chase = heard
        while chase.seconds < landing + Self.longestWait {
            guard chase.search(until: chase.seconds + 5).told(.landed).isEmpty else {
                let delay = chase.seconds - landing
                delays[cut, default: []].append(delay)
                if delay < -Self.early { falseOnes[cut, default: []].append("\(name) \(decimal(-delay, 0)) s") }
                return
            }
        }
        neverSaid[cut, default: 0] += 1
    }

    func report() {
        print("Said on \(moves.count) whole flights, heard every \(HeardFlight.spacing) s, predicted by the own winds")
        print(
            "  moves of the landing point: median \(decimal(moves.percentile(50), 1)) (limit 8), most "
                + "\(decimal(moves.max() ?? .nan, 0)); in the descent: median "
                + "\(decimal(movesInDescent.percentile(50), 1)); published: median \(decimal(published.percentile(50), 0))"
        )
        print("  a move of more than R50 kept back for too long: \(unsaid.count) (limit 0) \(unsaid)")
        print("\nLost above the landing, at rest by silence\nheight  flights  too early  never  delay s min/p50/max")
        for cut in Self.cuts {
            let delays = delays[cut] ?? []
            let columns = [
                "\(decimal(cut, 0)) m", "\(delays.count)", "\(falseOnes[cut]?.count ?? 0)", "\(neverSaid[cut] ?? 0)",
                [delays.min() ?? .nan, delays.percentile(50), delays.max() ?? .nan].map { decimal($0, 0) }
                    .joined(separator: " / "),
            ]
            print(zip(columns, [8, 9, 11, 7, 0]).map { padded($0, $1) }.joined())
            for early in falseOnes[cut] ?? [] { print("  too early: \(early)") }
        }
        print("")
    }
}
