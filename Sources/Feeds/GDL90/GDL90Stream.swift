public import Gateway

/// The bytes of a Stratux, a tablet or another program that sends its own position by GDL 90.
///
/// | message | used |
/// | --- | --- |
/// | 10 ownship report | place, speed, true track, accuracy |
/// | 11 ownship geometric altitude | from the next report on, if an ID message says that it is above the sea |
/// | 0x65 ID (ForeFlight) | whether altitudes are above the sea; without it they are above the ellipsoid, some 50 m off |
/// | others, and all messages of a gateway | nothing |
///
/// A gateway's own feed may reach this port, too: as a broadcast, or because a target is this machine.
public struct GDL90Stream: CarStream {
    /// An altitude counts for so many reports. Reports may come more often than altitudes.
    private static let altitudeLimit = 10
    private static let feet = 0.3048

    private var deframer = GDL90Deframer()
    private var isAboveSea = false
    /// The last report was a gateway's, and so is an altitude behind it.
    private var isBehindGateway = false
    /// Metres above the sea, and for how many reports it still counts.
    private var altitude: (metres: Double, reports: Int)?

    public init() {}

    public mutating func messages(in bytes: [UInt8]) -> [CarMessage] {
        deframer.messages(in: bytes).map { message in message.flatMap { follow($0) } ?? .unreadable }
    }

    /// - Returns: nil if the message is too short.
    private mutating func follow(_ message: [UInt8]) -> CarMessage? {
        switch message.first {
        case 10: return follow(ownship: message)
        case 11: return follow(altitude: message)
        case 0x65:
            // Sub-id 0; the lowest bit of the capabilities names the altitudes' datum.
            if message.count >= 39, message[1] == 0, message != GDL90Message.identity {
                isAboveSea = message[38] & 1 == 1
            }
            return .other
        default: return .other
        }
    }

    private mutating func follow(ownship message: [UInt8]) -> CarMessage? {
        guard let report = GDL90Ownship(message) else { return nil }
        isBehindGateway = report.isOfGateway
        guard !report.isOfGateway else { return .other }
        guard var fix = report.fix else { return .noFix }
        if let known = altitude {
            fix.altitudeMetres = known.metres
            altitude = known.reports > 1 ? (known.metres, known.reports - 1) : nil
        }
        return .fix(fix)
    }

    private mutating func follow(altitude message: [UInt8]) -> CarMessage? {
        guard message.count >= 5 else { return nil }
        let steps = Int16(bitPattern: UInt16(message[1]) << 8 | UInt16(message[2]))
        // The highest bit of the vertical figure of merit warns that the altitude is wrong.
        let isRight = message[3] & 0x80 == 0
        if !isBehindGateway {
            altitude = isAboveSea && isRight ? (Double(steps) * 5 * Self.feet, Self.altitudeLimit) : nil
        }
        return .other
    }
}
