import GatewayReports
import ReceiverProtocol

/// Decides which loss and which return of the sonde is said. Behind each hill the receiver loses it for some seconds; a
/// crew switches off a voice that says so.
///
///     the receiver loses it for 59 s       nothing is said
///     it hears the sonde without a place   nothing is said
///     for longer                           "The receiver lost the sonde."; when it hears it again, that is said, too
struct HearingWatch: Equatable, Sendable {
    /// A loss is said after this time.
    private static let lossLimit = Duration.seconds(60)

    /// Who hears it.
    fileprivate enum Level: Int, Comparable {
        case nobody, sondeHub, receiver

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What a listener has been told; nil before anything.
    private var told: Level?
    private var now: Level?
    private var lostAt: MonotonicTime?

    /// When a loss is due to be said.
    var deadline: MonotonicTime? { lostAt?.advanced(by: Self.lossLimit) }

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
        // At first the sonde's own event tells that the receiver hears it.
        return level != before && !(before == nil && level == .receiver)
    }

    /// When the receiver last heard the sonde, with or without a place that can be right. That is no loss.
    mutating func heard(at time: MonotonicTime?) {
        if let time, let lostAt { self.lostAt = max(lostAt, time) }
    }

    /// - Returns: the state to say if a loss has lasted; once.
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
