public import FlightMath
public import ReceiverProtocol

/// The state of a sonde's recovery, as somebody reports it.
public enum RecoveryState: String, CaseIterable, Sendable {
    /// Somebody intends to fetch the sonde.
    case planned
    case recovered
    case notFound = "not_found"
}

/// A report of a sonde's recovery as SondeHub holds it.
public struct Recovery: Equatable, Sendable {
    /// The longest note and the longest name that are accepted, bytes.
    public static let longestNote = 500
    public static let longestName = 60

    /// The serial as SondeHub writes it.
    public var serial: SondeSerial
    public var state: RecoveryState
    /// The name of whoever reports it.
    public var by: String
    /// Empty if the report has no note.
    public var note: String
    /// The time of the report.
    public var time: WallTime
    /// Nil if the report names no place.
    public var coordinate: Coordinate?
    /// Metres above mean sea level.
    public var altitudeMetres: Double

    public init(
        _ serial: SondeSerial, _ state: RecoveryState, by name: String, note: String = "", at time: WallTime,
        coordinate: Coordinate?, altitudeMetres: Double
    ) {
        self.serial = serial
        self.state = state
        by = name
        self.note = note
        self.time = time
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
    }

    /// Whether both are the same report. SondeHub keeps times to the second at least.
    public func isSame(as other: Recovery) -> Bool {
        serial == other.serial && state == other.state && by == other.by
            && abs(time.millisecondsSince1970 - other.time.millisecondsSince1970) < 2000
    }
}
