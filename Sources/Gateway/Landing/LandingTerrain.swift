import FlightMath
import GatewayReports
import ReceiverProtocol

/// The heights of the ground around the landing point. The gateway asks for more heights when the landing point comes
/// near the edge of the known ones. Only one call runs.
struct LandingTerrain: Sendable {
    /// If the landing point is nearer to the edge than this, the next heights are asked for, degrees.
    private static let marginDegrees = 0.03
    /// A place without heights is asked for again after this time.
    private static let retryInterval = Duration.seconds(60)

    private(set) var patch: TerrainPatch?
    private var errand = Errand<TerrainAnswer>()

    /// - Parameter place: the landing point; nil if it is unknown.
    mutating func follow(_ place: Coordinate?, _ turn: inout Turn) {
        var deadline: MonotonicTime?
        guard let place, place.isOnEarth, !(patch?.covers(place, marginDegrees: Self.marginDegrees) ?? false),
            errand.isDue(every: Self.retryInterval, at: turn.now.monotonic, &deadline)
        else { return }
        errand.ask(.terrain(around: place), &turn)
    }

    /// - Returns: whether other heights are known now.
    mutating func answered(_ reply: Reply, _ turn: inout Turn) -> Bool {
        guard case .success(let answer)? = errand.take(reply, &turn), let patch = answer.patch, patch != self.patch
        else { return false }
        self.patch = patch
        errand.hurry()
        return true
    }

    mutating func stop(_ turn: inout Turn) {
        errand.cancel(&turn)
    }

    /// The ground by the first source that knows it; nil if none does.
    /// - Parameter place: the landing point, or the sonde's place.
    func ground(
        _ options: PredictionOptions, at place: Coordinate?, forecastMetres: Double?, learned: Double?,
        carMetres: Double?, siteMetres: Double?
    ) -> Ground? {
        let sources: KeyValuePairs<Ground.Origin, Double?> = [
            .config: options.groundAltitudeMetres, .terrain: place.flatMap { patch?.heightMetres(at: $0) },
            .forecast: forecastMetres, .landing: learned, .car: carMetres, .site: siteMetres,
        ]
        for (origin, metres) in sources {
            if let metres { return Ground(metres: metres, origin: origin) }
        }
        return nil
    }
}
