public import ReceiverProtocol

/// What to simulate.
public struct SimulatorOptions: Equatable, Sendable {
    /// Which frame layout the receiver prints.
    public enum Firmware: String, CaseIterable, Sendable {
        case two = "2.30"
        case three = "3.10"
    }

    /// The same seed gives the same flight, frame for frame.
    public var seed: UInt64
    public var firmware: Firmware
    public var sondeType: SondeType
    /// What the sonde transmits on and the receiver is tuned to at first, kHz.
    public var frequencyKHz: Int
    /// Time on the launch pad.
    public var launchDelay: Duration
    /// Nil lets the seed choose.
    public var burstAltitudeMetres: Double?
    public var faults: [SimulatedFault]

    public init(
        seed: UInt64 = 1, firmware: Firmware = .three, sondeType: SondeType = .rs41, frequencyKHz: Int = 403_500,
        launchDelay: Duration = .seconds(30), burstAltitudeMetres: Double? = nil, faults: [SimulatedFault] = []
    ) {
        self.seed = seed
        self.firmware = firmware
        self.sondeType = sondeType
        self.frequencyKHz = frequencyKHz
        self.launchDelay = launchDelay
        self.burstAltitudeMetres = burstAltitudeMetres
        self.faults = faults
    }
}

/// A fault on request.
public struct SimulatedFault: Equatable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// The receiver prints nothing.
        case silence
        /// The receiver hears no sonde and says so.
        case deaf
        /// Random bytes instead of every third frame.
        case garbage
        /// Frames come in pieces of a few bytes.
        case split
        /// The link breaks at the start, and can be opened again at the end.
        case drop
    }

    public var kind: Kind
    /// Since the simulation began.
    public var start: Duration
    public var duration: Duration

    public init(kind: Kind, start: Duration, duration: Duration) {
        self.kind = kind
        self.start = start
        self.duration = duration
    }

    /// Reads `KIND@START:SECONDS`, for example `silence@60:20`; nil if it is anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else { return nil }
        let times = parts[1].split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard times.count == 2, let start = times[0], let duration = times[1], start >= 0, duration > 0,
            start.isFinite, duration.isFinite
        else { return nil }
        self.init(kind: kind, start: .seconds(clamping: start), duration: .seconds(clamping: duration))
    }
}
