public import FlightMath
public import ReceiverProtocol

/// The bearings that a crew has taken of the followed sonde, and where they cross.
public struct BearingsReport: Equatable, Sendable {
    /// Who took a bearing.
    public enum Source: String, Codable, Sendable {
        /// A person, by a command.
        case command
        /// A direction finder, through the Horus feed.
        case horus
    }

    /// A bearing with the id by which it is forgotten.
    public struct Entry: Equatable, Sendable {
        public var id: String
        public var bearing: Bearing
        public var source: Source
        public var at: WallTime
        /// Whether the estimate uses it; nil without an estimate.
        public var isUsed: Bool?

        public init(id: String, bearing: Bearing, source: Source, at: WallTime, isUsed: Bool?) {
            self.id = id
            self.bearing = bearing
            self.source = source
            self.at = at
            self.isUsed = isUsed
        }
    }

    /// Nil for a signal without a name.
    public var serial: SondeSerial?
    /// The oldest first.
    public var bearings: [Entry]
    public var estimate: BearingEstimate?

    public init(serial: SondeSerial?, bearings: [Entry], estimate: BearingEstimate?) {
        self.serial = serial
        self.bearings = bearings
        self.estimate = estimate
    }

    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.array("bearings", bearings[...]) { inner, entry in
            inner.object { fields in
                fields.field("id", entry.id)
                fields.field("bearing_deg", entry.bearing.degrees, decimals: 1)
                fields.field("from") { place in
                    place.field("latitude", entry.bearing.place.latitude, decimals: 6)
                    place.field("longitude", entry.bearing.place.longitude, decimals: 6)
                }
                fields.field("sigma_deg", entry.bearing.errorDegrees, decimals: 1)
                fields.field("source", entry.source.rawValue)
                fields.field("time", entry.at)
                fields.field("used", entry.isUsed)
            }
        }
        json.field("estimate", estimate) { inner, estimate in
            estimate.fields(&inner)
            inner.field("ellipse_90") { axes in
                axes.field("semi_major_m", estimate.ellipse.semiMajorMetres, decimals: 1)
                axes.field("semi_minor_m", estimate.ellipse.semiMinorMetres, decimals: 1)
                axes.field("bearing_deg", estimate.ellipse.bearingDegrees, decimals: 1)
            }
        }
        return json.object
    }
}
