import FlightMath

/// Where the receiver is: the car, else the configured place, else the launch site.
struct ReceiverPlace: Equatable, Sendable {
    var coordinate: Coordinate
    /// Metres above sea level; 0 if unknown.
    var altitudeMetres = 0.0

    /// Whether the receiver could hear a sonde there, if no hill is between them.
    func canHear(_ sonde: Coordinate, at sondeMetres: Double) -> Bool {
        let reach = RadioHorizon.reachMetres(sondeMetres: sondeMetres, receiverMetres: altitudeMetres)
        return coordinate.distanceMetres(to: sonde) <= reach
    }
}
