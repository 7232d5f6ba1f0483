public import FlightMath
public import ReceiverProtocol

/// The state of the telemetry, of the receiver's link and of SondeHub.
public struct StateReport: Equatable, Sendable {
    public struct Receiver: Equatable, Sendable {
        var name, address: String?
        var rssiDBm: Int?
        public var firmware: String?

        public init(name: String? = nil, address: String? = nil, rssiDBm: Int? = nil, firmware: String? = nil) {
            self.name = name
            self.address = address
            self.rssiDBm = rssiDBm
            self.firmware = firmware
        }
    }

    public struct SondeHub: Equatable, Sendable {
        var isAvailable: Bool
        var lastAnswer: Moment?
        /// Nil if SondeHub is never asked.
        var pollInterval: Duration?
        /// Why the last poll got no answer; nil if it got one.
        var error: OnlineServiceError.Code?

        public init(
            isAvailable: Bool, lastAnswer: Moment? = nil, pollInterval: Duration? = nil,
            error: OnlineServiceError.Code? = nil
        ) {
            self.isAvailable = isAvailable
            self.lastAnswer = lastAnswer
            self.pollInterval = pollInterval
            self.error = error
        }
    }

    public var state: TelemetryState
    public var since: Moment
    var reason: TelemetryState.Reason
    public var source: TelemetrySource?
    public var phase: PhaseVerdict
    var link: LinkState
    var receiver: Receiver
    public var serial: SondeSerial?
    var sondeHub: SondeHub

    public init(
        state: TelemetryState, since: Moment, reason: TelemetryState.Reason, source: TelemetrySource? = nil,
        phase: PhaseVerdict, link: LinkState, receiver: Receiver, serial: SondeSerial? = nil, sondeHub: SondeHub
    ) {
        self.state = state
        self.since = since
        self.reason = reason
        self.source = source
        self.phase = phase
        self.link = link
        self.receiver = receiver
        self.serial = serial
        self.sondeHub = sondeHub
    }

    func payload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.field("state", state.rawValue)
        json.field("since", since.wall)
        json.field("reason", reason.rawValue)
        json.field("source", source?.rawValue)
        json.field("phase", phase.phase.rawValue)
        json.field("phase_reason", phase.reason?.rawValue)
        json.field("link", link.rawValue)
        json.field("receiver") { inner in
            inner.field("name", receiver.name)
            inner.field("address", receiver.address)
            inner.field("rssi_dbm", receiver.rssiDBm)
            inner.field("firmware", receiver.firmware)
        }
        json.field("serial", serial?.canonical)
        json.field("sondehub") { inner in
            inner.field("available", sondeHub.isAvailable)
            inner.field("last_ok", sondeHub.lastAnswer?.wall)
            inner.field(
                "age_ms", sondeHub.lastAnswer.map { Int(now.duration(since: $0.monotonic).wholeMilliseconds) })
            inner.field("poll_s", sondeHub.pollInterval.map { Int($0.components.seconds) })
            inner.field("error", sondeHub.error?.rawValue)
        }
        return json.object
    }
}
