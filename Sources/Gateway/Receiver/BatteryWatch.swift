import FlightMath
import GatewayReports
import ReceiverProtocol

/// Detects that the receiver's battery gets low, by its charge in percent, or by its voltage if the percentage is
/// unknown. Each limit is announced once on a link. A receiver that restarts begins a link every few seconds, so a new link
/// says it again only after ``pause``.
struct BatteryWatch: Equatable, Sendable {
    private static let limits: [(percent: Int, millivolts: Int)] = [(20, 3500), (10, 3300)]
    /// Frames have no checksum, so one number may be wrong.
    private static let framesToAgree = 3
    /// A lower voltage shows that no battery is connected or measured, millivolts.
    private static let leastMillivolts = 2500

    private static let pause = Duration.seconds(600)

    private var told = 0
    /// From then on a new link may say all again.
    private var tellAgainAt = MonotonicTime.zero
    private var agreed = 0

    mutating func linkOpened(at now: MonotonicTime) {
        if now >= tellAgainAt { self = BatteryWatch() } else { agreed = 0 }
    }

    /// - Returns: the announcement when the battery has reached the next limit; otherwise nil.
    mutating func follow(_ frame: RadioFrame, at now: MonotonicTime) -> Announcement? {
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
        (told, agreed, tellAgainAt) = (passed, 0, now.advanced(by: Self.pause))
        return .receiverBatteryLow(
            percent: frame.batteryPercent, volts: frame.batteryPercent == nil ? volts.map { Double($0) / 1000 } : nil)
    }
}
