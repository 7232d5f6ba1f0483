public import ReceiverProtocol

/// The settings of a simulation.
public struct SimulatorOptions: Equatable, Sendable {
    /// The firmware, which decides the layout of the frames.
    public enum Firmware: String, CaseIterable, Sendable {
        case two = "2.30"
        case three = "3.10"
    }

    /// The same seed gives the same flight, frame for frame.
    public var seed: UInt64
    public var firmware: Firmware
    public var sondeType: SondeType
    /// The frequency in kHz that the sonde transmits on. The receiver is tuned to it at first.
    public var frequencyKHz: Int
    /// The time on the launch pad.
    public var launchDelay: Duration
    /// Metres; nil lets the seed choose.
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

/// A fault that the simulation shows for a while.
public struct SimulatedFault: Equatable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// The receiver prints nothing.
        case silence
        /// The receiver hears no sonde and prints type 0 frames.
        case deaf
        /// The sonde says no place: the receiver prints type 2 frames.
        case placeless
        /// Random bytes replace each third frame.
        case garbage
        /// Frames come in pieces of 1 to 20 bytes.
        case split
        /// The link breaks when the fault starts. It can be opened again when the fault ends.
        case drop
    }

    public var kind: Kind
    /// The time since the simulation began.
    public var start: Duration
    public var duration: Duration

    public init(kind: Kind, start: Duration, duration: Duration) {
        self.kind = kind
        self.start = start
        self.duration = duration
    }

    /// Reads `KIND@START:SECONDS`, for example `silence@60:20`; nil for any other text.
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
