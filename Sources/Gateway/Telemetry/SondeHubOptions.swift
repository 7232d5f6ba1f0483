public import FlightMath
public import ReceiverProtocol

/// What the configuration says of SondeHub.
public struct SondeHubOptions: Equatable, Sendable {
    /// Off means that SondeHub is never asked anything.
    public var isEnabled = true
    /// WMO number of the launch site.
    public var site = "06610"
    /// Around where to look when the site knows no sonde and none has been seen.
    public var place: Coordinate?
    public var radiusMetres = 400_000.0
    /// Between polls while the sonde is fresh.
    public var pollInterval = Duration.seconds(15)
    public var frequencySync = FrequencySyncPolicy.propose
    /// The sonde to follow, whatever else flies; nil follows what the receiver heard, else the newest.
    public var hunt: SondeSerial?

    public init() {}

    /// SondeHub is left alone.
    public static var off: SondeHubOptions {
        var options = SondeHubOptions()
        options.isEnabled = false
        return options
    }
}

/// What to do when SondeHub's frequency for the sonde differs from the receiver's.
public enum FrequencySyncPolicy: String, CaseIterable, Sendable {
    /// Asks, and tunes when told to.
    case propose
    /// Tunes by itself, at most once a minute.
    case auto
    case off
}
