import FlightMath
import GatewayReports
import ReceiverProtocol

/// A bearing of a sonde's signal, in its stored form.
struct StoredBearing: Equatable, Codable, Sendable {
    /// Nil for a signal without a name.
    var serial: SondeSerial?
    var number: Int
    var place: Coordinate
    /// Clockwise from true north.
    var degrees: Double
    var errorDegrees: Double
    var source: BearingsReport.Source
    var at: WallTime

    var bearing: Bearing {
        Bearing(from: place, degrees: degrees, errorDegrees: errorDegrees, isByFinder: source == .horus)
    }

    /// Whether its numbers can be used; false after damage of the store.
    var isPlausible: Bool {
        place.isOnEarth && 0..<360 ~= degrees && BearingOrder.errors.contains(errorDegrees) && number > 0
    }
}

extension StoredBearing: HoldsTimes {
    mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) { at = replacement(at) }
}

/// The bearings in their stored form, the newest last.
struct StoredBearings: StoredValue {
    var bearings: ReadableList<StoredBearing>
}
