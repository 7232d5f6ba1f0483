import FlightMath
import GatewayReports

/// A place for the map.
struct HomeAssistantPlace: Equatable, Sendable {
    var coordinate: Coordinate
    /// Home Assistant draws this circle; nil where nobody knows, and none is drawn.
    var accuracyMetres: Double?
    var altitudeMetres: Double?
    var serial: String?
    var time: WallTime?

    func write(to json: inout JSONText) {
        json.field("latitude", coordinate.latitude, decimals: 6)
        json.field("longitude", coordinate.longitude, decimals: 6)
        // Home Assistant takes whole metres only.
        if let accuracyMetres { json.field("gps_accuracy", Int(exactly: accuracyMetres.rounded(.up)) ?? 0) }
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.field("serial", serial)
        json.field("time", time)
    }
}
