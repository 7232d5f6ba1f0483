package import FlightMath
import ReceiverProtocol

/// The header of a flight in the rocket app's recordings: 72 bytes, little-endian, then eight zero bytes.
package struct FlashHeader: Equatable, Sendable {
    package var id: UInt32
    package var startedAt: WallTime
    package var samples: Int
    /// The highest altitude in metres above mean sea level, and the largest vertical speed in m/s.
    package var highestMetres, fastest: Double
    /// The time from the start to the highest point, and to the last point.
    package var apogee, duration: Duration
    /// The place of the first point.
    package var start: Coordinate

    package init(
        id: UInt32, startedAt: WallTime, samples: Int, highestMetres: Double, fastest: Double, apogee: Duration,
        duration: Duration, start: Coordinate
    ) {
        self.id = id
        self.startedAt = startedAt
        self.samples = samples
        self.highestMetres = highestMetres
        self.fastest = fastest
        self.apogee = apogee
        self.duration = duration
        self.start = start
    }

    package var bytes: [UInt8] {
        var image = FlashImage()
        image.add(0x4647_4854 as UInt32)
        image.add(1 as UInt32)
        image.add(id)
        image.add(UInt32(clamping: startedAt.millisecondsSince1970 / 1000))
        image.add(UInt32(clamping: samples))
        image.add(Float(highestMetres).bitPattern)
        image.add(Float(fastest).bitPattern)
        image.add(UInt32(clamping: apogee.wholeMilliseconds))
        image.add(UInt32(clamping: duration.wholeMilliseconds))
        // The pressure on the ground is unknown.
        image.add(Float(0).bitPattern)
        image.add(Int32(scaling: start.latitude, by: 1_000_000))
        image.add(Int32(scaling: start.longitude, by: 1_000_000))
        image.addZeros(20)
        image.add(image.bytes.reduce(0 as UInt32) { $0 &+ UInt32($1) })
        image.addZeros(8)
        return image.bytes
    }
}
