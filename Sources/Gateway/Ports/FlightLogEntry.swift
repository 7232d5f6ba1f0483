public import FlightMath
public import GatewayReports
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
    /// After its landing the sonde was launched anew: what was recorded of it from then on is another flight.
    case newFlight(SondeSerial, since: WallTime)
    /// What was recorded of the sonde's newest flight from the one time through the other was wrong.
    case forgotten(SondeSerial, from: WallTime, through: WallTime)
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
    /// The ``RouteMode`` of a command and, behind a space, the configured one that it went over.
    case routeMode = "route_mode"
    /// ``StoredPlaces``: the landing points that were set by hand, until they are taken back.
    case landingPoint = "landing_point"
    /// ``SilentLanding``: the last one that was said.
    case silentLanding = "silent_landing"
    /// The call sign under which the car's position is public on SondeHub.
    case sharedCar = "shared_car"
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

    /// A machine's clock that shows less was never set.
    private static let longAgo = WallTime(millisecondsSince1970: 1_767_225_600_000)  // 2026-01-01
    /// A box without clock battery starts with the time of its last shutdown, or of an hour before a power cut.
    private static let furthestBehind = Duration.seconds(43_200)

    /// What is recorded as later than this was recorded by a clock that was wrong: it is not gone on with.
    /// - Parameter now: the machine's clock; behind, perhaps, but not ahead.
    public static func latestBelievable(at now: WallTime) -> WallTime {
        now < longAgo ? WallTime(millisecondsSince1970: .max) : now.advanced(by: furthestBehind)
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
    /// By time.
    public var predictions: [StoredPrediction]

    public init(
        serial: SondeSerial, sondeType: SondeType, points: [TrackPoint], landingPoints: [EarlierLandingPoint] = [],
        predictions: [StoredPrediction] = []
    ) {
        self.landingPoints = landingPoints
        self.predictions = predictions
        self.serial = serial
        self.sondeType = sondeType
        self.points = points
    }
}
