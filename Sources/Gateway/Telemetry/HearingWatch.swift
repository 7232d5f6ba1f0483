import GatewayReports
import ReceiverProtocol

/// Decides which losses and returns of the sonde are said. Behind each hill the receiver loses the sonde for some
/// seconds. A crew would switch off a voice that says this each time.
///
///     the receiver loses it for 59 s       nothing is said
///     it hears the sonde without a place   nothing is said
///     the receiver sends no valid frame    nothing is said: nobody knows whether it hears a sonde
///     it loses the sonde for longer        "The receiver lost the sonde."; the return is said, too
struct HearingWatch: Equatable, Sendable {
    /// A loss is said after this time.
    private static let lossLimit = Duration.seconds(60)

    /// The best source that hears the sonde.
    fileprivate enum Level: Int, Comparable {
        case nobody, sondeHub, receiver

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The level of the last sentence; nil before the first sentence.
    private var told: Level?
    private var now: Level?
    private var lostAt: MonotonicTime?

    /// When the receiver sent its first valid frame.
    private var answeredAt: MonotonicTime?

    /// When a loss is due to be said.
    var deadline: MonotonicTime? {
        guard let lostAt, told != nil || answeredAt != nil else { return nil }
        let since = told == nil ? answeredAt.map { max($0, lostAt) } ?? lostAt : lostAt
        return since.advanced(by: Self.lossLimit)
    }

    /// The state has changed.
    /// - Returns: whether that is said at once.
    mutating func changed(to state: TelemetryState, at time: MonotonicTime) -> Bool {
        guard let level = Level(state) else { return false }
        now = level
        if level == .nobody || level < told ?? .nobody {
            if level != told { lostAt = lostAt ?? time }
            return false
        }
        lostAt = nil
        let before = told
        told = level
        // The first time, the event of the new sonde already says that the receiver hears it.
        return level != before && !(before == nil && level == .receiver)
    }

    /// Tells when the receiver sent its first valid frame; nil if it has not.
    mutating func receiverAnswered(at time: MonotonicTime?) { answeredAt = time }

    /// Tells when the receiver last heard the sonde, even without a plausible place. Such a sonde is not lost.
    mutating func heard(at time: MonotonicTime?) {
        if let time, let lostAt { self.lostAt = max(lostAt, time) }
    }

    /// - Returns: the state to say when a loss has lasted for ``lossLimit``, once for each loss; otherwise nil.
    mutating func lost(at time: MonotonicTime) -> TelemetryState? {
        guard let deadline, time >= deadline, let now else { return nil }
        let before = told
        (told, lostAt) = (now, nil)
        return before == .receiver ? .waitingForAPRS : .noTelemetry
    }
}

extension HearingWatch.Level {
    /// Nil while the gateway starts.
    fileprivate init?(_ state: TelemetryState) {
        switch state {
        case .startup: return nil
        case .liveBLEFlying, .liveBLELanded: self = .receiver
        case .aprsFlying, .aprsLanded: self = .sondeHub
        case .waitingForAPRS, .noTelemetry: self = .nobody
        }
    }
}
