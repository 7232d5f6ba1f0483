public import FlightMath
public import ReceiverProtocol

/// A ring of places around the sonde: how far away a car still hears it in each direction, by the heights of the
/// ground.
public struct HorizonReport: Equatable, Sendable {
    public var serial: SondeSerial
    public var sonde: Coordinate
    /// The sonde's altitude above sea level.
    public var altitudeMetres: Double
    /// The places, clockwise from north.
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
