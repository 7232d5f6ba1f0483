package import FlightMath

/// The contents of a GDL 90 traffic or ownship report, in its units.
package struct GDL90Target: Equatable, Sendable {
    /// The message's number. Both messages have the same layout.
    package enum Kind: UInt8, Sendable {
        case ownship = 10
        case traffic = 20
    }

    /// The category of the aircraft.
    package enum Emitter: UInt8, Sendable {
        /// A balloon.
        case lighterThanAir = 10
        /// A sonde under its parachute.
        case parachutist = 11
        /// A car.
        case surfaceVehicle = 18
    }

    package var kind = Kind.traffic
    /// 0 means that the ICAO assigned the address; 1 means self-assigned.
    package var addressType: UInt8 = 1
    /// 24 bits.
    package var address: UInt32
    package var coordinate: Coordinate
    /// Nil if unknown.
    package var altitudeFeet: Double?
    /// The bits: 8 for airborne, 4 for extrapolated, and the kind of track in the lowest two (1 is a true track).
    package var flags: UInt8
    package var integrity: UInt8 = 8
    package var accuracy: UInt8 = 8
    /// Nil if unknown.
    package var knots, feetPerMinute: Double?
    package var trackDegrees: Double?
    package var emitter: UInt8
    /// At most eight characters.
    package var callSign: String

    package init(address: UInt32, coordinate: Coordinate, flags: UInt8, emitter: UInt8, callSign: String) {
        self.address = address
        self.coordinate = coordinate
        self.flags = flags
        self.emitter = emitter
        self.callSign = callSign
    }

    /// The 28 bytes of the message, without framing.
    package var message: [UInt8] {
        let altitude = altitudeFeet.map { Self.clamped(($0 + 1000) / 25, rounded: .down, to: 0...0xFFE) } ?? 0xFFF
        let speed = knots.map { Self.clamped($0, rounded: .toNearestOrAwayFromZero, to: 0...0xFFE) } ?? 0xFFF
        let climb =
            feetPerMinute.map { Self.clamped($0 / 64, rounded: .toNearestOrAwayFromZero, to: -510...510) & 0xFFF }
            ?? 0x800
        let track = Self.clamped((trackDegrees ?? 0) * 256 / 360, rounded: .toNearestOrAwayFromZero, to: 0...256) & 0xFF
        var bytes: [UInt8] = [kind.rawValue, addressType]
        bytes += Self.threeBytes(Int(address & 0xFF_FFFF))
        bytes += Self.threeBytes(Self.semicircles(coordinate.latitude))
        bytes += Self.threeBytes(Self.semicircles(coordinate.longitude))
        bytes += [
            Self.byte(altitude >> 4), Self.byte(altitude << 4) | flags & 0xF, integrity << 4 | accuracy & 0xF,
            Self.byte(speed >> 4), Self.byte(speed << 4) | Self.byte(climb >> 8), Self.byte(climb), Self.byte(track),
            emitter,
        ]
        let letters = Array(callSign.utf8.prefix(8))
        return bytes + letters + [UInt8](repeating: 0x20, count: 8 - letters.count) + [0]
    }

    /// Truncates. Only truncation reproduces the ICD's example.
    private static func semicircles(_ degrees: Double) -> Int {
        clamped(degrees * 0x80_0000 / 180, rounded: .towardZero, to: -0x80_0000...0x7F_FFFF)
    }

    private static func clamped(
        _ value: Double, rounded rule: FloatingPointRoundingRule, to range: ClosedRange<Int>
    ) -> Int {
        guard value.isFinite else { return range.lowerBound }
        let bounded = min(Double(range.upperBound), max(Double(range.lowerBound), value.rounded(rule)))
        return Int(exactly: bounded) ?? range.lowerBound
    }

    private static func byte(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: value) }

    private static func threeBytes(_ value: Int) -> [UInt8] { [byte(value >> 16), byte(value >> 8), byte(value)] }
}
