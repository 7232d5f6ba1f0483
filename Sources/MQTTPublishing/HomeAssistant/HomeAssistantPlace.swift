import FlightMath
import GatewayReports

/// A place on the map: the attributes of a device tracker. A recorder keeps each change of them, so they hold no time and
/// no age; sensors have those.
struct HomeAssistantPlace: Equatable, Sendable {
    /// Home Assistant subtracts the accuracy from the distance to a zone. With a radius of some kilometres each place
    /// would be at home.
    static let worstAccuracyMetres = 100.0

    var coordinate: Coordinate
    /// Sent as ``worstAccuracyMetres`` at most; nil if unknown, then no circle is drawn.
    var accuracyMetres: Double?
    /// Of nine landings in ten; nil if unknown, and for places that are no prediction.
    var radius90Metres: Double?
    /// Above mean sea level.
    var altitudeMetres: Double?
    var serial: String?

    func write(to json: inout JSONText) {
        json.field("latitude", coordinate.latitude, decimals: 6)
        json.field("longitude", coordinate.longitude, decimals: 6)
        if let accuracyMetres {
            // Home Assistant takes whole metres only.
            let metres = min(accuracyMetres, Self.worstAccuracyMetres).rounded(.up)
            json.field("gps_accuracy", Int(exactly: metres) ?? 0)
        }
        if let radius90Metres { json.field("error_radius_90_m", radius90Metres, decimals: 1) }
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.field("serial", serial)
    }
}
