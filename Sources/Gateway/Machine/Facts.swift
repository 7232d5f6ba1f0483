import FlightMath
import GatewayReports
import ReceiverProtocol

/// The facts that the machine's parts share, by subject. The value is computed at each access. A part reads another
/// part's state only from here.
struct Facts: Equatable, Sendable {
    var run = RunFacts()
    var receiver = ReceiverFacts()
    var tuning = TuningFacts()
    var sonde = SondeFacts()
    var sondeHub = SondeHubFacts()
    var launches = LaunchFacts()
    var road = RoadFacts()
    var signal = SignalFacts()
    /// Which source the telemetry comes from.
    var state = TelemetryState.startup

    /// When the receiver last heard the followed sonde without a place on its open link; any sonde while none is followed.
    var placelessAt: MonotonicTime? { signal.heard.placelessAt(of: sonde.serial) }

    /// Whether the receiver hears it so now.
    func hearsNoPlace(at now: MonotonicTime) -> Bool { Silence(since: placelessAt, at: now) == .none }
}

/// The run of the gateway.
struct RunFacts: Equatable, Sendable {
    /// The store has opened, or the wait for it is over.
    var hasStarted = false
    var isStopping = false
    /// The wall clock is right, by its own synchronisation or by SondeHub.
    var isTimeKnown = false
    /// Somebody looks at the page.
    var isPageOpen = false
}

/// The link and what the receiver hears.
struct ReceiverFacts: Equatable, Sendable {
    var link = LinkState.notConnected
    /// The number of the link since the start. It changes with each session.
    var session = 0
    /// The most bytes of one write on the link.
    var maximumWriteLength = 0
    /// A frame has arrived, or the connection has failed.
    var hasAnswered = false
    /// When the first valid frame of this run arrived; nil before.
    var firstFrameAt: MonotonicTime?
    /// When the last radio frame arrived, with or without a sonde.
    var heardAt: Moment?
    /// When the receiver last heard any sonde, on any link: by a type 1 or 2.
    var sondeHeardAt: MonotonicTime?
    /// The receiver's frequency and type by its last frame; nil while it accepts no commands.
    var listening: Listening?
    /// Where the receiver is; nil if nobody knows.
    var place: ReceiverPlace?

    /// The receiver hears a sonde with its place.
    var givesPositions: Bool { link == .dataReady }
    var canReceiveCommands: Bool { link != .notConnected }
}

/// The frequencies that the gateway proposes and searches.
struct TuningFacts: Equatable, Sendable {
    /// The tuning that the frequency sync wants, with its number.
    var order: TuningOrder?
    /// A frequency proposal is open.
    var hasProposal = false
    /// The tunings that the search tries by itself.
    var searched: [Tuning] = []
    /// The tuning that the search wants, with its number.
    var searchOrder: TuningOrder?
}

/// The followed sonde.
struct SondeFacts: Equatable, Sendable {
    var names = SondeNames(nil)
    /// The number of its flight since the gateway follows it.
    var flightNumber = 0
    /// The time of this flight's first point; nil if it was never seen in the air.
    var seenInAirFrom: WallTime?
    var newestPoint: TrackPoint?
    var phase = PhaseVerdict(.unknown, nil)
    /// Smoothed, m/s; nil if unknown.
    var verticalSpeed: Double?
    /// The altitude of the newest believable point, metres above sea level.
    var altitudeMetres: Double?
    /// When the receiver last heard it, even without a position.
    var receivedAt: MonotonicTime?
    /// The type by which the receiver has decoded it; nil if it has not.
    var decodedType: SondeType?
    /// The landing point.
    var landing: LandingPoint?
    var forecasts = ForecastFacts()

    var serial: SondeSerial? { names.serial }
    /// The serial that SondeHub uses for it.
    var sondeHubSerial: SondeSerial? { names.sondeHubSerial }
    var flight: FlightKey { FlightKey(serial: serial, number: flightNumber) }
}

/// Tells a flight from other sondes' flights, and from other flights of the same sonde.
struct FlightKey: Equatable, Sendable {
    /// Nil while no sonde is followed.
    var serial: SondeSerial?
    var number = 0
}

/// The questions to the forecast servers.
struct ForecastFacts: Equatable, Sendable {
    /// The number of answers in this flight.
    var answers = 0
    /// A server is asked, or is about to be asked.
    var isAsking = false
}

/// What SondeHub says.
struct SondeHubFacts: Equatable, Sendable {
    /// SondeHub has answered, even with an error, or is never asked.
    var hasAnswered = false
    /// The present interval between polls.
    var interval = Duration.zero
    /// The number of the live stream's open connection; nil while none is open.
    var streamSession: Int?
    /// A sonde is hunted: by a command or the configuration, or because the receiver has heard it.
    var isHunting = false
    /// A command or the configuration hunts the followed sonde.
    var isPinned = false
    /// The latest answer held the followed sonde.
    var hasSonde = false
    /// When an answer last held the followed sonde.
    var lastAnswer: Moment?
    /// When SondeHub's stations last heard the followed sonde; nil if they never did.
    var sondeHeardAt: MonotonicTime?
    /// The followed sonde's frequency and type.
    var tuning: SondeTuning?
    /// The followed sonde's frequency by SondeHub's stations.
    var frequencies = StationFrequencies()
    var around: [SondesReport.Sonde] = []
    /// The centre of the list of sondes; nil if nobody looks at it.
    var lookedAround: Coordinate?
    /// The state of each sonde's newest report of recovery.
    var recoveries: [SondeSerial: RecoveryState] = [:]
}

/// Where sondes start.
struct LaunchFacts: Equatable, Sendable {
    /// The known places.
    var places: [Coordinate] = []
    /// The launch sites around.
    var sites: [LaunchSite] = []
    /// The number of the crew's own launch site; nil for none.
    var site: String?
    /// The tunings of that site.
    var siteTunings: [Tuning] = []
}

/// The car on its way.
struct RoadFacts: Equatable, Sendable {
    var car: CarPosition?
    /// The car's way to the landing point.
    var trip: Trip?
    var mode = RouteMode.car
    /// The other crew that is nearest to the landing point.
    var nearestCrew: CrewsReport.Crew?
    /// No hill is between the car and the sonde; nil while that is unknown.
    var isInSight: Bool?
}

/// The hunt for a signal.
struct SignalFacts: Equatable, Sendable {
    /// What the open link has heard on the receiver's frequency; the newest last.
    var heard: [HeardSignal] = []
    /// Where the bearings cross; nil without enough of them, or while the sonde's own place is better.
    var estimate: EstimatedPlace?
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

extension TuningOrder {
    /// - Parameter last: the order before; nil for the first.
    init(_ tuning: Tuning, after last: TuningOrder?) {
        self.init(number: (last?.number ?? 0) + 1, tuning: tuning)
    }
}

extension Facts {
    /// Whether a crew may still drive to the followed sonde: its flight is not over, and nobody has recovered it.
    func isChased(at now: WallTime) -> Bool {
        guard let newest = sonde.newestPoint, now.duration(since: newest.time) < FlightSpan.longest else {
            return false
        }
        return ![sonde.serial, sonde.sondeHubSerial].contains { $0.map { sondeHub.recoveries[$0] } == .recovered }
    }
}
