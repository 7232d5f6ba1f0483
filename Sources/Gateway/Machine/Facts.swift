import FlightMath
import GatewayReports
import ReceiverProtocol

/// What the parts know of one another: a small value, made anew whenever it is asked for. A part that needs something
/// of another finds it here and nowhere else.
struct Facts: Equatable, Sendable {
    // MARK: The receiver
    var link = LinkState.notConnected
    /// Counts the links since the start: another number is another session.
    var linkSession = 0
    /// Bytes that one write of the link can carry.
    var maximumWriteLength = 0
    /// Any frame, or the failure to reach it.
    var hasReceiverAnswered = false
    /// When the receiver last heard anything on the air.
    var heardAt: Moment?
    /// Where the receiver listens, by its last frame; nil while it can't take commands.
    var listening: Listening?

    // MARK: The sonde
    var serial: SondeSerial?
    /// Counts the flights of this sonde since it is followed.
    var flightNumber = 0
    var newestPoint: TrackPoint?
    var phase = PhaseVerdict(.unknown, nil)
    /// The latest answer of SondeHub held the followed sonde.
    var isSondeHubAvailable = false
    /// When SondeHub last had it, and how often it is asked.
    var lastSondeHubAnswer: Moment?
    /// Where SondeHub says that the sonde sends.
    var sondeTuning: SondeTuning?

    /// Where it lands, or lies.
    var landing: LandingPoint?

    // MARK: The car
    var car: CarPosition?
    /// How it gets to the landing point.
    var trip: Trip?

    // MARK: Sources
    var state = TelemetryState.startup
    /// SondeHub has answered in any way, or is never asked.
    var hasSondeHubAnswered = false
    var sondeHubInterval = Duration.zero
    /// The tuning that the frequency sync wants, by number.
    var tuningOrder: TuningOrder?
    /// The store has opened, or was waited for long enough.
    var hasStarted = false
    var isStopping = false

    var hasTelemetry: Bool { link == .dataReady }
    var canReceiveCommands: Bool { link != .notConnected }
}

/// Frequency and type as SondeHub tells them, nil where it doesn't.
struct SondeTuning: Equatable, Sendable {
    var frequencyMHz: Double?
    var sondeType: SondeType?
}

/// A tuning that is to be sent once.
struct TuningOrder: Equatable, Sendable {
    var number: Int
    var tuning: Tuning
}
