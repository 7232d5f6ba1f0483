package import FlightMath

/// What a traffic or an ownship report of GDL 90 says, in its own units.
package struct GDL90Target: Equatable, Sendable {
    /// The message's number; both have one layout.
    package enum Kind: UInt8, Sendable {
        case ownship = 10
        case traffic = 20
    }

    /// What flies.
    package enum Emitter: UInt8, Sendable {
        /// Balloon.
        case lighterThanAir = 10
        /// Under a parachute.
        case parachutist = 11
        /// A car.
        case surfaceVehicle = 18
    }

    package var kind = Kind.traffic
    /// 0 is an address of the ICAO, 1 one that it gave itself.
    package var addressType: UInt8 = 1
    /// 24 bits.
    package var address: UInt32
    package var coordinate: Coordinate
    /// Nil is unknown.
    package var altitudeFeet: Double?
    /// Bits: airborne 8, extrapolated 4, and which track it is (1 true).
    package var flags: UInt8
    package var integrity: UInt8 = 8
    package var accuracy: UInt8 = 8
    /// Nil is unknown.
    package var knots, feetPerMinute: Double?
    package var trackDegrees: Double?
    package var emitter: UInt8
    /// Eight characters at most.
    package var callSign: String

    package init(address: UInt32, coordinate: Coordinate, flags: UInt8, emitter: UInt8, callSign: String) {
        self.address = address
        self.coordinate = coordinate
        self.flags = flags
        self.emitter = emitter
        self.callSign = callSign
    }

    /// The 28 bytes, without frame.
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

    /// Cut, not rounded: only so the ICD's own example comes out.
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
