package import FlightMath

/// One point of a flight in the rocket app's recordings: 52 bytes, little-endian.
///
/// `u32` ms, `i32` cm, `i16` cm/s up, `u32` Pa, `i16` tenths of °C, `i32` and `i32` millionths of a degree, `i16` cm/s
/// over ground, `u16` tenths of a degree, `u8` satellites, nine `i16` of sensors that a sonde doesn't have, `u8` state;
/// then four zero bytes, because each reader expects 52. Unknown values are 0, because the format has no other mark.
package struct FlashSample: Equatable, Sendable {
    package static let length = 52

    /// The time since the flight's first point, ms.
    package var milliseconds: Int64
    /// Metres above mean sea level.
    package var altitudeMetres: Double
    /// m/s, positive up.
    package var verticalSpeed = 0.0
    package var pascal = 0.0
    package var celsius = 0.0
    package var coordinate: Coordinate
    /// m/s over ground.
    package var speed = 0.0
    package var courseDegrees = 0.0
    package var satellites: UInt8 = 0
    package var state: RocketState

    package init(milliseconds: Int64, altitudeMetres: Double, coordinate: Coordinate, state: RocketState) {
        self.milliseconds = milliseconds
        self.altitudeMetres = altitudeMetres
        self.coordinate = coordinate
        self.state = state
    }

    package var bytes: [UInt8] {
        var image = FlashImage()
        image.add(UInt32(clamping: milliseconds))
        image.add(Int32(scaling: altitudeMetres, by: 100))
        image.add(Int16(scaling: verticalSpeed, by: 100))
        image.add(UInt32(scaling: pascal, by: 1))
        image.add(Int16(scaling: celsius, by: 10))
        image.add(Int32(scaling: coordinate.latitude, by: 1_000_000))
        image.add(Int32(scaling: coordinate.longitude, by: 1_000_000))
        image.add(Int16(scaling: speed, by: 100))
        image.add(UInt16(scaling: courseDegrees, by: 10))
        image.add(satellites)
        image.addZeros(18)
        image.add(state.rawValue)
        image.addZeros(4)
        return image.bytes
    }
}
