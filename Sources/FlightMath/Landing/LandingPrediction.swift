/// Where and when a flight will end, and how sure that is.
public struct LandingPrediction: Equatable, Sendable {
    /// One place of the way that the balloon is expected to take.
    public struct PathPoint: Equatable, Sendable {
        public var time: WallTime
        public var coordinate: Coordinate
        /// Above mean sea level.
        public var altitudeMetres: Double

        public init(time: WallTime, coordinate: Coordinate, altitudeMetres: Double) {
            self.time = time
            self.coordinate = coordinate
            self.altitudeMetres = altitudeMetres
        }
    }

    /// What the prediction was made of.
    public struct Inputs: Equatable, Sendable {
        /// m/s; nil in the descent.
        public var ascentRate: Double?
        /// Metres; nil in the descent.
        public var burstAltitudeMetres: Double?
        /// m/s in air as at sea level.
        public var descentRate: Double
        /// `prior`, `blended`, `measured`.
        public var descentRateOrigin: String
        /// Growth of the descent rate per 10 km, as a power of e.
        public var descentGrowth: Double
        /// Where the fall ends, metres above sea level.
        public var groundMetres: Double
        /// Layers of 250 m whose wind was met.
        public var windLayers: Int

        public init(
            ascentRate: Double? = nil, burstAltitudeMetres: Double? = nil, descentRate: Double,
            descentRateOrigin: String, descentGrowth: Double, groundMetres: Double, windLayers: Int
        ) {
            self.ascentRate = ascentRate
            self.burstAltitudeMetres = burstAltitudeMetres
            self.descentRate = descentRate
            self.descentRateOrigin = descentRateOrigin
            self.descentGrowth = descentGrowth
            self.groundMetres = groundMetres
            self.windLayers = windLayers
        }
    }

    /// Radii around the landing point within which it comes down in so many of a hundred cases.
    public struct ErrorRadius: Equatable, Sendable {
        public var metres50: Double
        public var metres90: Double
    }

    /// At most 200, from the newest position to the landing.
    public var path: [PathPoint]
    /// Only while ascending.
    public var burst: PathPoint?
    public var landing: PathPoint
    public var inputs: Inputs
    public var radius: ErrorRadius
    /// Minutes and kilometres from the newest position to the landing.
    public var minutesToGo: Double
    public var kilometresToGo: Double
    /// If it burst at this moment; only while ascending.
    public var landingIfBurstNow: PathPoint?

    public init(
        path: [PathPoint], burst: PathPoint? = nil, landing: PathPoint, inputs: Inputs, radius: ErrorRadius,
        minutesToGo: Double, kilometresToGo: Double, landingIfBurstNow: PathPoint? = nil
    ) {
        self.path = path
        self.burst = burst
        self.landing = landing
        self.inputs = inputs
        self.radius = radius
        self.minutesToGo = minutesToGo
        self.kilometresToGo = kilometresToGo
        self.landingIfBurstNow = landingIfBurstNow
    }
}
