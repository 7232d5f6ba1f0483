import GatewayReports
import ReceiverProtocol

/// Detects that the receiver's battery gets low, by its charge in percent, or by its voltage if the percentage is
/// unknown. Each limit is announced once on a link.
struct BatteryWatch: Equatable, Sendable {
    private static let limits: [(percent: Int, millivolts: Int)] = [(20, 3500), (10, 3300)]
    /// Frames have no checksum, so one number may be wrong.
    private static let framesToAgree = 3
    /// A lower voltage shows that no battery is connected or measured, millivolts.
    private static let leastMillivolts = 2500

    private var told = 0
    private var agreed = 0

    /// - Returns: the announcement when the battery has reached the next limit; otherwise nil.
    mutating func follow(_ frame: RadioFrame) -> Announcement? {
        let volts = frame.batteryMillivolts
        if volts.map({ $0 < Self.leastMillivolts }) ?? (frame.batteryPercent == 0) { return nil }
        let passed: Int
        if let percent = frame.batteryPercent {
            passed = Self.limits.count { percent <= $0.percent }
        } else if let volts {
            passed = Self.limits.count { volts <= $0.millivolts }
        } else {
            return nil
        }
        agreed = passed > told ? agreed + 1 : 0
        guard agreed >= Self.framesToAgree else { return nil }
        (told, agreed) = (passed, 0)
        return .receiverBatteryLow(
            percent: frame.batteryPercent, volts: frame.batteryPercent == nil ? volts.map { Double($0) / 1000 } : nil)
    }
}
