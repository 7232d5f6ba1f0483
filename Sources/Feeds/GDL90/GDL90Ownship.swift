import FlightMath
import Gateway

/// Another device's ownship report (message 10) as the car's position.
///
/// Its altitude is barometric, so it is not used. The ICD says "no position" with latitude, longitude and NIC all 0.
struct GDL90Ownship: Equatable, Sendable {
    /// Nil without a position.
    var fix: CarFix?
    /// A gateway sent it, this one or another.
    var isOfGateway: Bool

    private static let length = 28
    private static let metresPerSecond = 1852.0 / 3600
    /// NACp -> the error in metres that 95 % of the positions do not exceed. 0 means "unknown". By RTCA DO-242, table
    /// 3.2.11a, and ICAO Doc 9871, appendix B (NACp).
    private static let errors: [Double?] = [nil, 18_520, 7408, 3704, 1852, 926, 555.6, 185.2, 92.6, 30, 10, 3]
    /// NIC -> the radius in metres that almost surely contains the position, where it is small enough for a car. It bounds
    /// the error if NACp is unknown. By ICAO Doc 9871, appendix B (NIC).
    private static let radii: [UInt8: Double] = [9: 75, 10: 25, 11: 7.5]

    /// - Returns: nil if the message is too short.
    init?(_ message: [UInt8]) {
        guard message.count >= Self.length else { return nil }
        isOfGateway =
            message[1] & 0xF == GDL90Message.carAddressType
            && Self.number(message[2...4]) == Int(GDL90Message.carAddress)
            && message[19...26].elementsEqual(GDL90Message.carCallSign.utf8)
        let (latitude, longitude) = (Self.degrees(message[5...7]), Self.degrees(message[8...10]))
        let (integrity, accuracy) = (message[13] >> 4, Int(message[13] & 0xF))
        guard latitude != 0 || longitude != 0 || integrity != 0 else { return }
        let knots = Int(message[14]) << 4 | Int(message[15] >> 4)
        // The lowest two bits: 1 is a true track; the others are none, and headings.
        let hasTrack = message[12] & 3 == 1
        fix = CarFix(
            source: .gdl90, coordinate: Coordinate(latitude: latitude, longitude: longitude),
            speed: knots == 0xFFF ? nil : Double(knots) * Self.metresPerSecond,
            courseDegrees: hasTrack ? Double(message[17]) * 360 / 256 : nil,
            accuracyMetres: (Self.errors.indices.contains(accuracy) ? Self.errors[accuracy] : nil)
                ?? Self.radii[integrity])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// 24 bits with a sign, in 180/2^23 degrees.
    private static func degrees(_ bytes: ArraySlice<UInt8>) -> Double {
        let value = number(bytes)
        return Double(value >= 0x80_0000 ? value - 0x100_0000 : value) * 180 / 0x80_0000
    }
}
