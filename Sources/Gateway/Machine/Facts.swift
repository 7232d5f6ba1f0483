import FlightMath
import GatewayReports
import ReceiverProtocol

/// The facts that the machine's parts share. The value is computed at each access. A part reads another part's state
/// only from here.
struct Facts: Equatable, Sendable {
    // MARK: The receiver
    var link = LinkState.notConnected
    /// The number of the link since the start. It changes with each session.
    var linkSession = 0
    /// The most bytes of one write on the link.
    var maximumWriteLength = 0
    /// A frame has arrived, or the connection has failed.
    var hasReceiverAnswered = false
    /// When the last radio frame arrived, with or without a sonde.
    var heardAt: Moment?
    /// When the receiver last heard a sonde: by a type 1 or 2.
    var sondeHeardAt: MonotonicTime?
    /// When the receiver last heard the followed sonde, even without a position.
    var followedHeardAt: MonotonicTime?
    /// The receiver's frequency and type by its last frame; nil while it accepts no commands.
    var listening: Listening?

    // MARK: The sonde
    var serial: SondeSerial?
    /// The serial that SondeHub uses for the followed sonde.
    var sondeHubSerial: SondeSerial?
    /// The number of the sonde's flight since the gateway follows it.
    var flightNumber = 0
    /// The time of this flight's first point; nil if the sonde was never seen in the air.
    var seenInAirFrom: WallTime?
    var newestPoint: TrackPoint?
    var phase = PhaseVerdict(.unknown, nil)
    /// Smoothed, m/s; nil if unknown.
    var verticalSpeed: Double?
    /// The altitude of the newest believable point, metres above sea level.
    var altitudeMetres: Double?
    /// SondeHub's latest answer held the followed sonde.
    var isSondeHubAvailable = false
    /// When an answer of SondeHub last held the followed sonde.
    var lastSondeHubAnswer: Moment?
    /// When SondeHub's stations last heard the followed sonde; nil if they never did.
    var sondeHubHeardAt: MonotonicTime?
    /// The sonde's frequency and type by SondeHub.
    var sondeTuning: SondeTuning?
    /// The type by which the receiver has decoded the followed sonde; nil if it has not.
    var decodedType: SondeType?

    /// The landing point.
    var landing: LandingPoint?
    /// The known places where sondes start.
    var launchSites: [Coordinate] = []

    // MARK: The car
    var car: CarPosition?
    /// The car's way to the landing point.
    var trip: Trip?
    /// The other crew that is nearest to the landing point.
    var nearestCrew: CrewsReport.Crew?

    // MARK: Sources
    var state = TelemetryState.startup
    /// SondeHub has answered, even with an error, or is never asked.
    var hasSondeHubAnswered = false
    /// The present interval between polls of SondeHub.
    var sondeHubInterval = Duration.zero
    /// The number of the live stream's open connection; nil while none is open.
    var streamSession: Int?
    /// The tuning that the frequency sync wants, with its number.
    var tuningOrder: TuningOrder?
    /// The store has opened, or the wait for it is over.
    var hasStarted = false
    var isStopping = false
    /// The wall clock is right, by its own synchronisation or by SondeHub.
    var isTimeKnown = false
    /// The centre of the list of sondes; nil if nobody looks at it.
    var lookedAround: Coordinate?
    /// Somebody looks at the page.
    var isPageOpen = false
    var routeMode = RouteMode.car
    var sondesAround: [SondesReport.Sonde] = []
    /// Where the receiver is; nil if nobody knows.
    var receiverPlace: ReceiverPlace?
    /// The launch site's number; nil for none.
    var site: String?
    /// A command or the configuration hunts the followed sonde.
    var isPinned = false
    /// The followed sonde's frequency by SondeHub's stations.
    var stationFrequencies = StationFrequencies()
    /// The tunings of the launch site.
    var siteTunings: [Tuning] = []
    /// A frequency proposal is open.
    var hasProposal = false
    /// A sonde is hunted: by a command or the configuration, or because the receiver has heard it.
    var isHunting = false
    /// The tunings that the search tries by itself.
    var searched: [Tuning] = []
    /// The tuning that the search wants, with its number.
    var searchOrder: TuningOrder?
    /// The state of each sonde's newest report of recovery.
    var recoveries: [SondeSerial: RecoveryState] = [:]
    /// No hill is between the car and the sonde; nil while that is unknown.
    var isInSight: Bool?
    /// The launch sites around.
    var sites: [LaunchSite] = []

    var hasTelemetry: Bool { link == .dataReady }
    var canReceiveCommands: Bool { link != .notConnected }
}

/// Frequency and type by SondeHub; nil if unknown.
struct SondeTuning: Equatable, Sendable {
    var frequencyMHz: Double?
    var sondeType: SondeType?
}

/// A tuning that must be sent once.
struct TuningOrder: Equatable, Sendable {
    var number: Int
    var tuning: Tuning
}
