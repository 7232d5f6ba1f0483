public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// A command as a user sends it, understood but not yet weighed against the receiver's state.
public enum UserCommand: Equatable, Sendable {
    /// For the receiver: answered when it shows the new value.
    case receiver(ReceiverOrder)
    /// For the gateway itself: done at once.
    case gateway(GatewayOrder)
}

/// What the receiver is to do.
public enum ReceiverOrder: Equatable, Sendable {
    /// Either part may be missing: the newest command's stays, else the receiver's own.
    case tune(frequencyMHz: Double?, sondeType: SondeType?)
    case mute(Bool)
    case requestSettings
    case settings([SettingChange])
    /// The mean of the last AFC values becomes the receiver's frequency offset.
    case saveFrequencyOffset
    /// Hz.
    case setFrequencyOffset(Int)
    /// Tunes to what SondeHub says of the sonde.
    case acceptProposal
}

/// What the gateway is to do.
public enum GatewayOrder: Equatable, Sendable {
    /// Nil lets go of the hunted sonde.
    case hunt(SondeSerial?)
    case deferProposal
    /// Nil returns to the configuration's.
    case frequencySync(FrequencySyncPolicy?)
    /// Nil takes it back.
    case landingPoint(Coordinate?)
    /// Metres; nil returns to the configuration's.
    case burstAltitude(Double?)
    case predict
    case routeMode(RouteMode)
    case reportHealth
    case reportInfo
    case logLevel(GatewayNote.Level)
    case forgetHomeAssistant
}

/// What the configuration lets commands do.
public struct CommandPolicy: Equatable, Sendable {
    /// MHz.
    public var frequencyRange: ClosedRange<Double>
    /// Settings that can cut the gateway off or brick the board are let through.
    public var allowsDangerousSettings: Bool

    public init(frequencyRange: ClosedRange<Double> = 400...406, allowsDangerousSettings: Bool = false) {
        self.frequencyRange = frequencyRange
        self.allowsDangerousSettings = allowsDangerousSettings
    }
}
