public import ReceiverProtocol

/// Where and when a flight will end, and how far off that may be.
public struct LandingPrediction: Equatable, Sendable {
    /// A point of the predicted path.
    public struct PathPoint: Equatable, Sendable {
        public var time: WallTime
        public var coordinate: Coordinate
        /// Metres above mean sea level.
        public var altitudeMetres: Double

        public init(time: WallTime, coordinate: Coordinate, altitudeMetres: Double) {
            self.time = time
            self.coordinate = coordinate
            self.altitudeMetres = altitudeMetres
        }
    }

    /// The origin of the winds.
    public struct WindSources: Equatable, Sendable {
        /// The highest altitude whose wind this flight has measured, metres above sea level; nil if it has none.
        public var ownTopMetres: Double?
        /// The origin of the winds above that; nil if they are unknown.
        public var other: StoredWinds.Origin?
        /// The sonde that measured the winds above; nil for a forecast.
        public var otherSerial: SondeSerial?
        /// The age of the winds above, seconds.
        public var otherAge: Double?

        public init(ownTopMetres: Double? = nil) {
            self.ownTopMetres = ownTopMetres
        }
    }

    /// The numbers from which the prediction was made.
    public struct Inputs: Equatable, Sendable {
        /// m/s; nil in the descent.
        public var ascentRate: Double?
        /// Metres; nil in the descent.
        public var burstAltitudeMetres: Double?
        /// Converted to air at sea level, m/s.
        public var descentRate: Double
        /// `prior`, `blended`, `measured`.
        public var descentRateOrigin: String
        /// The descent rate grows by e to this power per 10 km fallen.
        public var descentGrowth: Double
        /// Where the fall ends, metres above sea level.
        public var groundMetres: Double
        public var groundOrigin = Ground.Origin.lowest
        /// The number of layers of 250 m with measured winds.
        public var windLayers: Int
        public var winds: WindSources

        public init(
            ascentRate: Double? = nil, burstAltitudeMetres: Double? = nil, descentRate: Double,
            descentRateOrigin: String, descentGrowth: Double, groundMetres: Double, windLayers: Int,
            winds: WindSources = WindSources()
        ) {
            self.ascentRate = ascentRate
            self.burstAltitudeMetres = burstAltitudeMetres
            self.descentRate = descentRate
            self.descentRateOrigin = descentRateOrigin
            self.descentGrowth = descentGrowth
            self.groundMetres = groundMetres
            self.windLayers = windLayers
            self.winds = winds
        }
    }

    /// The radii around the landing point that hold 50 % and 90 % of the real landings.
    public struct ErrorRadius: Equatable, Sendable {
        public var metres50: Double
        public var metres90: Double
        /// Half of the real landings are at most so many seconds before or after the predicted time.
        public var seconds50 = 0.0
    }

    /// At most 200 points, from the newest position to the landing.
    public var path: [PathPoint]
    /// The predicted burst; nil in the descent.
    public var burst: PathPoint?
    public var landing: PathPoint
    public var inputs: Inputs
    public var radius: ErrorRadius
    /// What ``radius`` was computed from; nil for an online prediction.
    package var radiusBasis: RadiusBasis?
    /// From the newest position to the landing.
    public var minutesToGo: Double
    public var kilometresToGo: Double
    /// The landing point if the balloon burst now; nil in the descent.
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
