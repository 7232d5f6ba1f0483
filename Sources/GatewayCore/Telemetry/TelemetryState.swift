import ReceiverProtocol

/// Whether anything live can be shown, as `<p>/state` tells it: the states that the receiver alone can reach.
struct TelemetryState: Equatable, Sendable {
    enum State: String, CaseIterable, Sendable {
        /// Until the receiver's first frame, 15 s at most.
        case startup
        /// The receiver has telemetry. To waitingForAPRS when it has none.
        case liveBLEFlying
        /// Telemetry stopped a moment ago. Back with the next position, to noTelemetry after 15 s.
        case waitingForAPRS
        /// Nothing is heard. To liveBLEFlying with the next position.
        case noTelemetry
    }

    /// How long startup and waitingForAPRS last at most, seconds.
    static let waitLimit = 15.0

    private(set) var state = State.startup
    private(set) var since: Moment
    /// Why the state is what it is, a word from a closed set.
    private(set) var reason = "started"

    init(at now: Moment) {
        since = now
    }

    /// When ``timedOut(at:)`` is due; nil in states that wait for nothing.
    var deadline: MonotonicTime? {
        switch state {
        case .startup, .waitingForAPRS: since.monotonic.advanced(by: Self.waitLimit)
        case .liveBLEFlying, .noTelemetry: nil
        }
    }

    /// The link's verdict changed, or a frame arrived. Returns true when the state changed.
    mutating func linkChanged(hasTelemetry: Bool, hasAnswered: Bool, at now: Moment) -> Bool {
        switch state {
        case .startup where hasTelemetry, .waitingForAPRS where hasTelemetry, .noTelemetry where hasTelemetry:
            enter(.liveBLEFlying, "receiver_telemetry", now)
        case .startup where hasAnswered: enter(.noTelemetry, "receiver_without_telemetry", now)
        case .liveBLEFlying where !hasTelemetry: enter(.waitingForAPRS, "receiver_telemetry_lost", now)
        case .startup, .waitingForAPRS, .noTelemetry, .liveBLEFlying: return false
        }
        return true
    }

    /// The deadline passed. Returns true when the state changed; a late firing changes nothing.
    mutating func timedOut(at now: Moment) -> Bool {
        guard let deadline, now.monotonic >= deadline else { return false }
        enter(.noTelemetry, "timed_out", now)
        return true
    }

    private mutating func enter(_ next: State, _ reason: String, _ now: Moment) {
        state = next
        since = now
        self.reason = reason
    }
}
