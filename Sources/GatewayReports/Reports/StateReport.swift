public import FlightMath
public import ReceiverProtocol

/// The state of the telemetry, of the receiver's link and of SondeHub.
public struct StateReport: Equatable, Sendable {
    public struct Receiver: Equatable, Sendable {
        public var name, address: String?
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
        var stream: StreamStatus
        /// The usual time from a frame's own time to its arrival over the live stream; nil if unknown.
        var streamDelay: Duration?

        /// The live stream's connection.
        public enum StreamStatus: String, CaseIterable, Sendable {
            /// The server has accepted the subscription.
            case live
            case connecting
            /// Not wanted, or switched off.
            case off
        }

        public init(
            isAvailable: Bool, lastAnswer: Moment? = nil, pollInterval: Duration? = nil,
            error: OnlineServiceError.Code? = nil, stream: StreamStatus = .off, streamDelay: Duration? = nil
        ) {
            self.isAvailable = isAvailable
            self.lastAnswer = lastAnswer
            self.pollInterval = pollInterval
            self.error = error
            self.stream = stream
            self.streamDelay = streamDelay
        }
    }

    /// The search for a sonde, see the command `search`.
    public struct Search: Equatable, Sendable {
        var isOn: Bool
        /// Nil between two rounds.
        var tuning: Tuning?
        /// The tuning's number in the round, from 1, and their count.
        var index, count: Int

        public init(isOn: Bool = false, tuning: Tuning? = nil, index: Int = 0, count: Int = 0) {
            self.isOn = isOn
            self.tuning = tuning
            self.index = index
            self.count = count
        }
    }

    public var state: TelemetryState
    public var since: Moment
    public var reason: TelemetryState.Reason
    public var source: TelemetrySource?
    public var phase: PhaseVerdict
    public var link: LinkState
    public var receiver: Receiver
    public var serial: SondeSerial?
    var sondeHub: SondeHub
    public var search: Search

    public init(
        state: TelemetryState, since: Moment, reason: TelemetryState.Reason, source: TelemetrySource? = nil,
        phase: PhaseVerdict, link: LinkState, receiver: Receiver, serial: SondeSerial? = nil, sondeHub: SondeHub,
        search: Search = Search()
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
        self.search = search
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
            inner.field("newer_firmware", receiver.firmware.flatMap { Firmware.newest(after: $0) })
            inner.field("sends_vertical_speed", receiver.firmware.flatMap { Firmware.sendsVerticalSpeed($0) })
        }
        json.field("serial", serial?.canonical)
        json.field("sondehub") { inner in
            inner.field("available", sondeHub.isAvailable)
            inner.field("last_ok", sondeHub.lastAnswer?.wall)
            inner.field(
                "age_ms", sondeHub.lastAnswer.map { Int(now.duration(since: $0.monotonic).wholeMilliseconds) })
            inner.field("poll_s", sondeHub.pollInterval.map { Int($0.components.seconds) })
            inner.field("error", sondeHub.error?.rawValue)
            inner.field("stream", sondeHub.stream.rawValue)
            inner.field("delay_ms", sondeHub.streamDelay.map { Int($0.wholeMilliseconds) })
        }
        json.field("search") { inner in
            inner.field("on", search.isOn)
            inner.field("tuning", search.tuning) { $0.fields(of: $1) }
            inner.field("index", search.index)
            inner.field("of", search.count)
        }
        return json.object
    }
}
