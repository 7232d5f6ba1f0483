public import FlightMath

/// What SondeHub is told of the car.
public struct SharedCar: Equatable, Sendable {
    public var callSign: String
    /// Nil takes it back.
    public var coordinate: Coordinate?
    /// Above mean sea level.
    public var altitudeMetres: Double?

    public init(callSign: String, coordinate: Coordinate?, altitudeMetres: Double?) {
        self.callSign = callSign
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
    }
}
