public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// A decoded command of a user, not yet checked against the receiver's state.
public enum UserCommand: Equatable, Sendable {
    /// A command for the receiver. It is answered when a frame shows the new value.
    case receiver(ReceiverOrder)
    /// A command for the gateway itself, carried out at once.
    case gateway(GatewayOrder)
}

/// An order for the receiver.
public enum ReceiverOrder: Equatable, Sendable {
    /// One part may be missing. It then comes from the newest command, or from the receiver.
    case tune(frequencyMHz: Double?, sondeType: SondeType?)
    case mute(Bool)
    case requestSettings
    case settings([SettingChange])
    /// Sets the receiver's frequency offset to the mean of the last AFC values.
    case saveFrequencyOffset
    /// Sets the frequency offset, Hz.
    case setFrequencyOffset(Int)
    /// Tunes to the sonde's frequency and type by SondeHub.
    case acceptProposal
}

/// An order for the gateway.
public enum GatewayOrder: Equatable, Sendable {
    /// Hunts a sonde; nil ends the hunt.
    case hunt(SondeSerial?)
    case deferProposal
    /// Changes options, all or none of them.
    case options([GatewayOption])
    /// Sets the landing point; nil removes it.
    case landingPoint(Coordinate?)
    case predict
    case routeMode(RouteMode)
    /// Reports a recovery; nil cancels the reports that were not sent yet.
    case recovery(RecoveryOrder?)
    /// Takes or forgets bearings of the signal.
    case bearing(BearingOrder)
    /// Begins or ends the search for a sonde.
    case search(Bool)
    case reportHealth
    case reportInfo
    /// Predicts and reports the next launches.
    case reportLaunches
    /// Says what the sonde does, and where and when it lands.
    case reportStatus
    case logLevel(GatewayNote.Level)
    case forgetHomeAssistant
    /// Forgets what earlier flights have taught.
    case forgetLessons
}

/// A value of the configuration that a command changes at run time. Nil restores the configured one.
public enum GatewayOption: Equatable, Sendable {
    case frequencySync(FrequencySyncPolicy?)
    case language(Language?)
    /// SondeHub's number of the launch site.
    case site(String?)
    /// In the choice's unit.
    case prediction(PredictionChoice, Double?)
}

/// Bearings of the followed sonde's signal.
public enum BearingOrder: Equatable, Sendable {
    /// With a standard deviation in degrees.
    case take(HeardBearing, errorDegrees: Double)
    /// Nil forgets all.
    case forget(Int?)

    /// The standard deviations that a bearing may have, degrees.
    static let errors = 1.0...90
}

/// A report of a sonde's recovery.
public struct RecoveryOrder: Equatable, Sendable {
    public var state: RecoveryState
    /// Empty for none.
    public var note: String
    /// Nil for the followed sonde.
    public var serial: SondeSerial?
}

/// The configured limits of commands.
public struct CommandPolicy: Equatable, Sendable {
    /// The allowed frequencies, MHz.
    public var frequencyRange: ClosedRange<Double>
    /// Whether commands may change settings that can cut off the gateway or make the board unusable.
    public var allowsDangerousSettings: Bool

    /// The tunings that the receiver tries while no source hears a sonde.
    public var search = SearchPlan.off

    public init(frequencyRange: ClosedRange<Double> = 400...406, allowsDangerousSettings: Bool = false) {
        self.frequencyRange = frequencyRange
        self.allowsDangerousSettings = allowsDangerousSettings
    }
}
