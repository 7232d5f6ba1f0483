public import FlightMath
import ReceiverProtocol

/// The sonde and its landing point as seen from the car. All fields are nil while the car's position is unknown.
public struct ChaseReport: Equatable, Sendable {
    public var car: CarPosition?
    public var sonde: RelativePosition?
    public var landing: RelativePosition?
    public var trip: Trip?
    /// How long before the sonde the car is there; negative if the car comes later.
    public var margin: Duration?
    /// The other crew that is nearest to the landing point; nil if SondeHub is not asked for crews, or shows none.
    public var nearestCrew: CrewsReport.Crew?
    /// The car has moved 10 m since the last report with this flag.
    public var isSignificantMove: Bool
    /// When the report was made; nil if the car's position was never known.
    public var at: Moment?

    public init(
        car: CarPosition? = nil, sonde: RelativePosition? = nil, landing: RelativePosition? = nil, trip: Trip? = nil,
        margin: Duration? = nil, nearestCrew: CrewsReport.Crew? = nil, isSignificantMove: Bool, at: Moment? = nil
    ) {
        self.car = car
        self.sonde = sonde
        self.landing = landing
        self.trip = trip
        self.margin = margin
        self.nearestCrew = nearestCrew
        self.isSignificantMove = isSignificantMove
        self.at = at
    }

    /// The report while the car's position is unknown.
    public static func unknown(at now: Moment?) -> ChaseReport { ChaseReport(isSignificantMove: false, at: now) }

    func payload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.field("car", car) { inner, car in
            inner.field("latitude", car.coordinate.latitude, decimals: 6)
            inner.field("longitude", car.coordinate.longitude, decimals: 6)
            inner.field("altitude_m", car.altitudeMetres, decimals: 1)
            inner.field("speed_mps", car.speed, decimals: 2)
            inner.field("course_deg", car.courseDegrees, decimals: 1)
            inner.field("course_held", car.isCourseHeld)
            inner.field("accuracy_m", car.accuracyMetres, decimals: 1)
            inner.field("source", car.source.rawValue)
            inner.field("time", car.time)
            inner.field("age_ms", Int(now.duration(since: car.heardAt).wholeMilliseconds))
        }
        for (key, relative) in [("sonde", sonde), ("landing", landing)] {
            json.field(key, relative) { inner, relative in
                inner.field("distance_m", relative.distanceMetres, decimals: 1)
                inner.field("bearing_deg", relative.bearingDegrees, decimals: 1)
                inner.field("relative_bearing_deg", relative.relativeBearingDegrees, decimals: 1)
                inner.field("elevation_deg", relative.elevationDegrees, decimals: 1)
                inner.field("closing_speed_mps", relative.closingSpeed, decimals: 2)
                inner.field("within_200m", relative.isWithin200Metres)
                if key == "sonde" { inner.field("line_of_sight", relative.isInSight) }
            }
        }
        json.field("route", trip) { inner, trip in trip.fields(&inner) }
        json.field("margin_s", margin.map { Int(clamping: $0.components.seconds) })
        json.field("nearest_crew", nearestCrew) { inner, crew in
            inner.field("callsign", crew.position.callSign)
            inner.field("distance_to_landing_m", crew.landingMetres, decimals: 1)
        }
        json.field("significant_move", isSignificantMove)
        return json.object
    }
}

extension Trip {
    func fields(_ json: inout JSONText) {
        json.field("method", method.rawValue)
        json.field("reason", reason?.name)
        json.field("mode", mode.rawValue)
        json.field("distance_m", distanceMetres, decimals: 1)
        json.field("duration_s", Int(clamping: duration.components.seconds))
        json.field("arrival_at", arrivalAt)
        json.field("start_gap_m", startGapMetres, decimals: 1)
        json.field("end_gap_m", endGapMetres, decimals: 1)
        json.field("no_road_near", isNoRoadNear)
        json.field("computed_at", computedAt)
    }
}
