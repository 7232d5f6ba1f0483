public import FlightMath
public import ReceiverProtocol

/// From how far a car hears the sonde, by the heights of the ground: a ring of places around it.
public struct HorizonReport: Equatable, Sendable {
    public var serial: SondeSerial
    public var sonde: Coordinate
    /// The sonde's, above sea level.
    public var altitudeMetres: Double
    /// Clockwise from north.
    public var ring: [Coordinate]
    public var computedAt: WallTime

    public init(
        serial: SondeSerial, sonde: Coordinate, altitudeMetres: Double, ring: [Coordinate], computedAt: WallTime
    ) {
        self.serial = serial
        self.sonde = sonde
        self.altitudeMetres = altitudeMetres
        self.ring = ring
        self.computedAt = computedAt
    }

    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial.canonical)
        json.field("latitude", sonde.latitude, decimals: 6)
        json.field("longitude", sonde.longitude, decimals: 6)
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.array("ring", ring[...]) { inner, place in
            inner.values { numbers in
                numbers.value(place.latitude, decimals: 4)
                numbers.value(place.longitude, decimals: 4)
            }
        }
        json.field("computed_at", computedAt)
        return json.object
    }
}
