import ReceiverProtocol

/// Where and when a flight should land, by its last prediction.
public struct LandingExpectation: Equatable, Sendable {
    public var coordinate: Coordinate
    public var at: WallTime
    /// The radius that holds 90 % of the real landings, metres.
    public var radius90: Double

    public init(_ coordinate: Coordinate, at: WallTime, radius90: Double) {
        self.coordinate = coordinate
        self.at = at
        self.radius90 = radius90
    }

    public init(_ forecast: Forecast) {
        let landing = forecast.prediction.landing
        self.init(landing.coordinate, at: landing.time, radius90: forecast.prediction.radius.metres90)
    }

    public init(_ stored: StoredPrediction) {
        let landingAt = stored.at.advanced(by: .seconds(clamping: stored.minutesToGo * 60))
        self.init(stored.landing, at: landingAt, radius90: stored.radius90)
    }
}

/// The facts that the judge of a flight needs beside the points.
struct FlightSurroundings: Equatable, Sendable {
    /// Nil without a prediction.
    var expectation: LandingExpectation?
    /// Places where sondes start; empty if none is known. Nil: a sonde that was never heard in flight does not count as
    /// landed.
    var launchSites: [Coordinate]?
    /// The landing of an earlier flight of this sonde is known.
    var hasLandedBefore = false
    /// The heights of the ground; nil if nobody knows them.
    var terrain: TerrainPatch?
    /// The ground in this area; nil if nobody knows it.
    var ground: Ground?
    /// What the sonde reports with the present point.
    var reported = ReportedSpeeds()

    /// No sonde rests higher than this above the ground, metres.
    private static let restMetres = 500.0

    /// Whether a place at which the sonde seems to rest is in the air; false if the ground is unknown.
    func isInTheAir(_ place: TrackPoint) -> Bool {
        guard let ground = terrain?.heightMetres(at: place.coordinate) else { return false }
        return place.altitudeMetres - ground > Self.restMetres
    }
}

/// How the time of a landing is known.
public enum LandingTime: Equatable, Sendable {
    /// The track shows the touch-down.
    case seen
    /// The predicted time: nobody heard the touch-down.
    case estimated
    /// The sonde was first heard at rest.
    case unknown
}
