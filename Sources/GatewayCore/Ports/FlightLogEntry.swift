public import ReceiverProtocol

/// One thing to remember.
public enum FlightLogEntry: Equatable, Sendable {
    /// Points of a sonde's flight in any order. One per whole second stays, as in ``TrackPoint``'s track: the receiver's
    /// beats SondeHub's, of one source the first stays.
    case points(SondeSerial, SondeType, [TrackPoint])
    /// The wall clock was set: the receiver's points from `since` on were stamped wrong by as much.
    case clockSet(since: WallTime, byMilliseconds: Int64)
    /// The landing point has moved.
    case landingPoint(SondeSerial, EarlierLandingPoint)
    /// To be judged when the sonde was seen to land.
    case prediction(SondeSerial, StoredPrediction)
    /// The sonde was seen to land.
    case lesson(SondeSerial, FlightLesson)
    /// Nil forgets it.
    case setting(StoredSetting, String?)
}

/// What commands set and the store keeps.
public enum StoredSetting: String, CaseIterable, Sendable {
    /// ``FrequencySyncPolicy``.
    case frequencySync = "frequency_sync"
    /// The hunted serial and, behind a space, when the command came, milliseconds since 1970.
    case hunt
    /// Metres.
    case burstAltitude = "burst_altitude_m"
}

/// What a gateway that starts knows from before.
public struct GatewayMemory: Equatable, Sendable {
    /// The flight whose newest point is the newest of all.
    public var flight: RecordedFlight?
    /// When the latest sondes were last heard of.
    public var lastHeard: [SondeSerial: WallTime]
    public var settings: [StoredSetting: String]
    /// Of flights whose landing was seen, the newest first.
    public var lessons: [FlightLesson] = []

    public init(
        flight: RecordedFlight? = nil, lastHeard: [SondeSerial: WallTime] = [:],
        settings: [StoredSetting: String] = [:]
    ) {
        self.flight = flight
        self.lastHeard = lastHeard
        self.settings = settings
    }

    /// No clock that is right shows an earlier time.
    var newestTime: WallTime? { lastHeard.values.max() }
}

/// A flight as it was recorded.
public struct RecordedFlight: Equatable, Sendable {
    public var serial: SondeSerial
    public var sondeType: SondeType
    /// By time.
    public var points: [TrackPoint]
    /// By time.
    public var landingPoints: [EarlierLandingPoint]

    public init(
        serial: SondeSerial, sondeType: SondeType, points: [TrackPoint], landingPoints: [EarlierLandingPoint] = []
    ) {
        self.landingPoints = landingPoints
        self.serial = serial
        self.sondeType = sondeType
        self.points = points
    }
}
