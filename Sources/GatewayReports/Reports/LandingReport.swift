public import FlightMath
public import ReceiverProtocol

/// The landing point, with its error radii, its history and, after the landing, the score of the predictions.
public struct LandingReport: Equatable, Sendable {
    public var serial: SondeSerial?
    public var point: LandingPoint
    var history: [EarlierLandingPoint]
    var movedMetres: Double?
    public var score: LandingScore?
    /// The town whose name tells best where it is; nil far from any.
    public var near: NearbyTown?
    /// The largest town in the sector that the crew drives towards; nil without one.
    public var towards: String?

    public init(
        serial: SondeSerial? = nil, point: LandingPoint, history: [EarlierLandingPoint], movedMetres: Double? = nil,
        score: LandingScore? = nil
    ) {
        self.serial = serial
        self.point = point
        self.history = history
        self.movedMetres = movedMetres
        self.score = score
    }

    /// Degrees, WGS84.
    public var coordinate: Coordinate { point.coordinate }
    public var source: String { point.source.rawValue }
    public var landingAt: WallTime? { point.landingAt }

    /// How many earlier points are published: the newest ones.
    private static let published = 100

    func payload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.field("latitude", point.coordinate.latitude, decimals: 6)
        json.field("longitude", point.coordinate.longitude, decimals: 6)
        json.field("altitude_m", point.altitudeMetres, decimals: 1)
        json.field("source", point.source.rawValue)
        json.field("method", point.method?.rawValue)
        json.field("age_ms", Int(now.duration(since: point.at.monotonic).wholeMilliseconds))
        json.field("time", point.at.wall)
        json.field("error_radius_50_m", point.radius50Metres, decimals: 1)
        json.field("error_radius_90_m", point.radius90Metres, decimals: 1)
        json.field("landing_at", point.landingAt)
        json.field("landing_error_50_s", point.error50Seconds.flatMap { Int(exactly: $0.rounded()) })
        json.field("time_is_estimate", point.isTimeEstimate)
        json.field("landing_in_s", point.timeToGo(at: now).map { Int($0.components.seconds) })
        json.array("history", history.suffix(Self.published)) { inner, earlier in
            inner.object { fields in
                fields.field("latitude", earlier.coordinate.latitude, decimals: 6)
                fields.field("longitude", earlier.coordinate.longitude, decimals: 6)
                fields.field("time", earlier.time)
            }
        }
        json.field("moved_m", movedMetres, decimals: 1)
        json.field("near", near) { $1.fields(&$0) }
        json.field("towards", towards) { $0.field("name", $1) }
        json.field("score", score) { $1.fields(&$0) }
        return json.object
    }
}

extension NearbyTown {
    fileprivate func fields(_ json: inout JSONText) {
        json.field("name", name)
        json.field("distance_m", metres, decimals: 1)
        json.field("bearing_deg", bearingDegrees, decimals: 1)
    }
}

extension LandingScore {
    func fields(_ json: inout JSONText) {
        for method in PredictionMethod.allCases {
            json.field(method.rawValue, errors[method]) { inner, errors in
                inner.field("now_m", errors.last, decimals: 1)
                inner.field("min_5_m", errors.at5Minutes, decimals: 1)
                inner.field("min_15_m", errors.at15Minutes, decimals: 1)
                inner.field("min_30_m", errors.at30Minutes, decimals: 1)
            }
        }
    }
}
