public import FlightMath
public import ReceiverProtocol

/// Where another crew's car was.
public struct CrewPosition: Equatable, Sendable {
    public var callSign: String
    public var coordinate: Coordinate
    public var time: WallTime

    public init(callSign: String, coordinate: Coordinate, time: WallTime) {
        self.callSign = callSign
        self.coordinate = coordinate
        self.time = time
    }
}

/// The other crews near the landing point or the car, by SondeHub; the nearest first.
public struct CrewsReport: Equatable, Sendable {
    /// The most crews in a report.
    public static let limit = 50

    public struct Crew: Equatable, Sendable {
        public var position: CrewPosition
        /// The position's time on the monotonic clock, for the age.
        var heardAt: MonotonicTime
        /// The distance to the landing point; nil without one.
        public var landingMetres: Double?

        public init(_ position: CrewPosition, heardAt: MonotonicTime, landingMetres: Double?) {
            self.position = position
            self.heardAt = heardAt
            self.landingMetres = landingMetres
        }
    }

    /// At most ``limit``.
    public var crews: [Crew]

    public init(_ crews: [Crew] = []) {
        self.crews = crews
    }

    func payload(at now: MonotonicTime) -> [UInt8] {
        var whole = JSONText()
        whole.array("crews", crews[...]) { list, crew in
            list.object { json in
                json.field("callsign", crew.position.callSign)
                json.field("latitude", crew.position.coordinate.latitude, decimals: 6)
                json.field("longitude", crew.position.coordinate.longitude, decimals: 6)
                json.field("time", crew.position.time)
                json.field("age_ms", Int(clamping: max(0, now.duration(since: crew.heardAt).wholeMilliseconds)))
                json.field("distance_to_landing_m", crew.landingMetres, decimals: 1)
            }
        }
        return whole.object
    }
}
