import FlightMath
import GatewayReports

/// A place on the map: the attributes of a device tracker. Home Assistant's recorder stores each change of an
/// attribute. So they hold no time and no age; sensors hold those.
struct HomeAssistantPlace: Equatable, Sendable {
    /// The largest accuracy sent. Home Assistant subtracts the accuracy from the distance to a zone, so with some
    /// kilometres each place would be "at home".
    static let worstAccuracyMetres = 100.0

    var coordinate: Coordinate
    /// Sent as ``worstAccuracyMetres`` at most. Nil if unknown: then the map shows no circle.
    var accuracyMetres: Double?
    /// The radius that holds nine landings in ten; nil if unknown, and for places that are no prediction.
    var radius90Metres: Double?
    /// Above mean sea level.
    var altitudeMetres: Double?
    var serial: String?

    func write(to json: inout JSONText) {
        json.field("latitude", coordinate.latitude, decimals: 6)
        json.field("longitude", coordinate.longitude, decimals: 6)
        if let accuracyMetres {
            // Home Assistant accepts whole metres only.
            let metres = min(accuracyMetres, Self.worstAccuracyMetres).rounded(.up)
            json.field("gps_accuracy", Int(exactly: metres) ?? 0)
        }
        if let radius90Metres { json.field("error_radius_90_m", radius90Metres, decimals: 1) }
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.field("serial", serial)
    }
}
