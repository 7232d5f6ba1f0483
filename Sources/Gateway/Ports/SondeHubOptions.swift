public import FlightMath
public import ReceiverProtocol

/// The configuration of SondeHub.
public struct SondeHubOptions: Equatable, Sendable {
    /// If false, SondeHub is never asked.
    public var isEnabled = true
    /// Whether the hunted sonde's frames come over SondeHub's live stream; polls then only fill in.
    public var streams = false
    /// Whether the other crews are asked for.
    public var showsCrews = false
    /// The WMO number of the launch site; nil for none.
    public var site: String?
    /// Where the receiver is while no car's position is known; nil if not configured.
    public var place: Coordinate?
    public var radiusMetres = 400_000.0
    /// The time between polls while the sonde's data is fresh.
    public var pollInterval = Duration.seconds(15)
    public var frequencySync = FrequencySyncPolicy.propose
    /// The sonde to follow; nil follows the one that the receiver heard, else the newest.
    public var hunt: SondeSerial?
    /// The name under which reports of recovery are public; nil makes none.
    public var callSign: String?
    /// A launch whose sonde should land within this distance is announced, metres; nil announces none.
    public var alarmMetres: Double?
    /// The landings of the sondes around are asked for even if nobody looks at the page.
    public var looksAround = false

    public init() {}

    /// Whether a text can be SondeHub's number of a launch site.
    public static func isSite(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        return 1...16 ~= digits.utf8.count && digits.utf8.allSatisfy { "0123456789".utf8.contains($0) }
    }

    /// SondeHub is never asked.
    public static var off: SondeHubOptions {
        var options = SondeHubOptions()
        options.isEnabled = false
        return options
    }
}

/// What to do when SondeHub's frequency for the sonde differs from the receiver's.
public enum FrequencySyncPolicy: String, CaseIterable, Sendable {
    /// Proposes a tuning, and tunes after a command.
    case propose
    /// Tunes automatically, at most once a minute.
    case auto
    case off
}
