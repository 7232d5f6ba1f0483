/// Where and when a flight will end, and how sure that is.
package struct LandingPrediction: Equatable, Sendable {
    /// One place of the way that the balloon is expected to take.
    package struct PathPoint: Equatable, Sendable {
        package var time: WallTime
        package var coordinate: Coordinate
        /// Above mean sea level.
        package var altitudeMetres: Double
    }

    /// What the prediction was made of.
    package struct Inputs: Equatable, Sendable {
        /// m/s; nil in the descent.
        package var ascentRate: Double?
        /// Metres; nil in the descent.
        package var burstAltitudeMetres: Double?
        /// m/s in air as at sea level.
        package var descentRate: Double
        /// `prior`, `blended`, `measured`.
        package var descentRateOrigin: String
        /// Growth of the descent rate per 10 km, as a power of e.
        package var descentGrowth: Double
        /// Where the fall ends, metres above sea level.
        package var groundMetres: Double
        /// Layers of 250 m whose wind was met.
        package var windLayers: Int
    }

    /// Radii around the landing point within which it comes down in so many of a hundred cases.
    package struct ErrorRadius: Equatable, Sendable {
        package var metres50: Double
        package var metres90: Double
    }

    /// At most 200, from the newest position to the landing.
    package var path: [PathPoint]
    /// Only while ascending.
    package var burst: PathPoint?
    package var landing: PathPoint
    package var inputs: Inputs
    package var radius: ErrorRadius
    /// Minutes and kilometres from the newest position to the landing.
    package var minutesToGo: Double
    package var kilometresToGo: Double
    /// If it burst at this moment; only while ascending.
    package var landingIfBurstNow: PathPoint?
}
