public import FlightMath

/// The car's position for SondeHub.
public struct SharedCar: Equatable, Sendable {
    public var callSign: String
    /// Nil removes the position from SondeHub.
    public var coordinate: Coordinate?
    /// Metres above mean sea level; nil if unknown.
    public var altitudeMetres: Double?

    public init(callSign: String, coordinate: Coordinate?, altitudeMetres: Double?) {
        self.callSign = callSign
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
    }
}
