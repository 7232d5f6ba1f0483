public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// An entry for the store.
public enum FlightLogEntry: Equatable, Sendable {
    /// Points of a sonde's flight in any order. One point per whole second stays: the receiver's replaces SondeHub's;
    /// of one source the first stays.
    case points(SondeSerial, SondeType, [TrackPoint])
    /// The wall clock was set: this run's times in the store are wrong.
    case clockSet(ClockStep)
    /// A new landing point.
    case landingPoint(SondeSerial, EarlierLandingPoint)
    /// A prediction. Its error is computed after the landing.
    case prediction(SondeSerial, StoredPrediction)
    /// The lesson of a flight, which replaces the flight's earlier one. Nil deletes it, because the landing was taken
    /// back.
    case lesson(SondeSerial, FlightLesson?)
    /// All lessons must be deleted.
    case lessonsForgotten
    /// The winds of a flight or a forecast. They replace earlier ones of the same flight.
    case winds(StoredWinds)
    /// The sonde was launched again after its landing. Entries from this time on belong to another flight.
    case newFlight(SondeSerial, since: WallTime)
    /// The points of the sonde's newest flight between these times were wrong and must be deleted.
    case forgotten(SondeSerial, from: WallTime, through: WallTime)
    /// Where the car was while the sonde's newest flight was followed.
    case carPoint(SondeSerial, CarPoint)
    /// How the sonde was heard during its newest flight; of one instant the first stays.
    case sample(SondeSerial, HeardSample)
    /// What happened to the receiver during the sonde's newest flight.
    case receiver(SondeSerial, ReceiverEvent)
    /// Somebody's report of the recovery of the sonde's newest flight.
    case recovery(SondeSerial, Recovery)
    /// A new value of a setting; nil deletes it.
    case setting(StoredSetting, String?)
}

/// The settings that commands change and the store keeps. Each has the type of ``StoredValue`` that stands here.
public enum StoredSetting: String, CaseIterable, Sendable {
    /// ``StoredPolicy``.
    case frequencySync = "frequency_sync"
    /// ``StoredHunt``.
    case hunt
    /// The values of ``PredictionChoice``: ``StoredNumber``.
    case burstAltitude = "burst_altitude_m"
    case ascentRate = "ascent_rate_mps"
    case descentRate = "descent_rate_mps"
    /// ``StoredChoice`` of a ``RouteMode``.
    case routeMode = "route_mode"
    /// ``StoredPlaceList``: the landing points that commands have set and not yet removed.
    case landingPoint = "landing_point"
    /// ``StoredBearings``: the bearings of the followed sonde and of those before.
    case bearings
    /// ``SilentLanding``: the last one that was announced.
    case silentLanding = "silent_landing"
    /// ``StoredSwitchOff``: the end of the followed sonde's timer.
    case switchOff = "switch_off"
    /// The call sign under which the car's position is public on SondeHub: ``StoredCallSign``.
    case sharedCar = "shared_car"
    /// ``StoredChoice`` of a ``Language``.
    case language
    /// ``StoredChoice`` of a launch site's number.
    case site
    /// ``StoredNames`` of the followed sonde, if SondeHub has another one for it.
    case otherName = "other_name"
    /// ``AnnouncedCrews``.
    case crewsAtSonde = "crews_at_sonde"
    /// ``LaunchBook``.
    case launchSites = "launch_sites"
    /// ``StoredRecoveries``.
    case recoveries
    /// ``StoredTunings``: the search's tunings of the day.
    case searchTunings = "search_tunings"
}

/// The gateway's knowledge from earlier runs, for its start.
public struct GatewayMemory: Equatable, Sendable {
    /// The flight with the newest point of all.
    public var flight: RecordedFlight?
    /// The flights of other sondes that were heard shortly before, the newest first.
    public var others: [RecordedFlight] = []
    /// When each of the latest sondes was last heard.
    public var lastHeard: [SondeSerial: WallTime]
    public var settings: [StoredSetting: String]
    /// The lessons of flights, the newest first.
    public var lessons: [FlightLesson] = []
    /// The winds of the last month's flights and forecasts.
    public var winds: [StoredWinds] = []
    /// The newest time of what was recorded beside the points: the car's way, how a sonde was heard, what happened to the
    /// receiver. Nil if there is none.
    public var newestSideRecord: WallTime?

    public init(
        flight: RecordedFlight? = nil, lastHeard: [SondeSerial: WallTime] = [:],
        settings: [StoredSetting: String] = [:]
    ) {
        self.flight = flight
        self.lastHeard = lastHeard
        self.settings = settings
    }

    /// The most flights of ``flight`` and ``others`` together.
    public static let mostFlights = 4

    /// A machine's clock before this time was never set.
    private static let longAgo = WallTime(millisecondsSince1970: 1_767_225_600_000)  // 2026-01-01
    /// How far a machine's clock may be behind. Without a clock battery it starts with the time of the last shutdown,
    /// or of an hour before a power cut.
    private static let furthestBehind = Duration.seconds(43_200)

    /// The latest believable time of a record. A later record was made with a wrong clock, so the gateway does not
    /// continue its flight.
    /// - Parameter now: the machine's clock, which may be behind, but not ahead.
    public static func latestBelievable(at now: WallTime) -> WallTime {
        now < longAgo ? WallTime(millisecondsSince1970: .max) : now.advanced(by: furthestBehind)
    }
}

/// A recorded flight.
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
