public import ReceiverProtocol

/// Everything that can happen to the gateway. The instant comes beside it.
public enum GatewayEvent: Equatable, Sendable {
    /// The first event, once, with what earlier runs have left.
    case started(GatewayMemory = GatewayMemory())
    case linkOpened(ReceiverPeer)
    /// An attempt to open a link failed; the next one follows by itself.
    case linkFailed(TransportError)
    case linkClosed(LinkLoss)
    case linkReport(LinkReport)
    case frame(Frame)
    case frameRejected(FrameRejection)
    case writeFinished(WriteID, succeeded: Bool)
    case timerFired(TimerID)
    case brokerConnected
    case brokerDisconnected
    case message(IncomingMessage)
    /// Time to publish health, with what only the process knows.
    case healthDue(ProcessHealth)
    case policyChanged(CommandPolicy)
    case sondeHubAnswered(CallID, Result<SondeHubAnswer, SondeHubError>)
    /// Some points of the track that ``GatewayAction/fetchTrack(_:_:_:)`` asked for.
    case trackReceived(CallID, [SondeHubRecord])
    /// The last of that track; nil when it is whole.
    case trackEnded(CallID, SondeHubError?)
    /// The store fails, or works again (nil).
    case storeChanged(StoreError?)
    /// A damaged store was moved aside; a sentence.
    case storeReplaced(String)
    /// The last event: says good-bye on the broker.
    case stopping
}

/// What the gateway decided. Actions carry ids, never continuations.
public enum GatewayAction: Equatable, Sendable {
    case publish(OutgoingMessage)
    /// There is no broker session: the message waits for the next one, and is replayed to its history topic.
    case spool(OutgoingMessage)
    /// To be kept across restarts.
    case record(FlightLogEntry)
    /// Answered by ``GatewayEvent/writeFinished(_:succeeded:)``.
    case write(WriteID, [UInt8])
    case closeLink(LinkLoss)
    /// Replaces an earlier timer of the same id.
    case setTimer(TimerID, at: MonotonicTime)
    /// Answered by ``GatewayEvent/sondeHubAnswered(_:_:)``.
    case pollSondeHub(CallID, SondeHubQuery)
    /// Answered by ``GatewayEvent/trackReceived(_:_:)`` and ``GatewayEvent/trackEnded(_:_:)``.
    case fetchTrack(CallID, SondeSerial, TrackDuration)
    case cancelTrack(CallID)
    case cancelTimer(TimerID)
    /// For the log; the same text may also go to the broker as an event.
    case note(GatewayNote)
}

/// Names one write to the receiver.
public struct WriteID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// Names one call to SondeHub.
public struct CallID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// The machine's timers. A late firing is inert: the machine looks at its own deadlines.
public enum TimerID: String, Hashable, CaseIterable, Sendable {
    /// The link's silence.
    case liveness
    /// The last position's age.
    case positionAge
    /// `startup` and `waitingForAPRS` end, or SondeHub has been silent too long.
    case telemetryState
    /// The next poll of SondeHub.
    case sondeHubPoll
    /// The next attempt at a gap fill that failed.
    case gapFill
    /// A deferred frequency proposal may be made again.
    case frequencySync
    /// 0.5 s after the first frame of a link: ask for the settings.
    case settingsRequest
    /// Retry or give up the command in flight.
    case command
    /// Home Assistant has started: introduce the gateway again.
    case discovery
}

/// Something worth a line in the log.
public struct GatewayNote: Equatable, Sendable {
    /// By audience: a user reads notice and above.
    public enum Level: String, Sendable {
        case debug, info, notice, warning, error
    }

    public var level: Level
    /// Static text.
    public var message: String
    /// The facts, in the order to print them.
    public var facts: [Fact]

    public struct Fact: Equatable, Sendable {
        public var key: String
        public var value: String
    }

    init(_ level: Level, _ message: String, _ facts: KeyValuePairs<String, String> = [:]) {
        self.level = level
        self.message = message
        self.facts = facts.map { Fact(key: $0.key, value: $0.value) }
    }
}

/// What only the process around the machine can measure, for health.
public struct ProcessHealth: Equatable, Sendable {
    /// Resident and anonymous memory, bytes; nil where the system doesn't tell.
    public var residentBytes, anonymousBytes: Int?
    /// Messages that wait for the broker.
    public var queueDepth: Int
    /// Live messages replaced by newer ones, because the broker took none.
    public var superseded: Int
    /// Messages that wait in the spool, that were replayed from it, and that were dropped from it at its bounds.
    public var spoolDepth, replayed, dropped: Int
    /// Messages from the broker that came too fast to be taken.
    public var incomingDropped: Int

    public init(
        residentBytes: Int? = nil, anonymousBytes: Int? = nil, queueDepth: Int = 0, superseded: Int = 0,
        spoolDepth: Int = 0, replayed: Int = 0, dropped: Int = 0, incomingDropped: Int = 0
    ) {
        self.residentBytes = residentBytes
        self.anonymousBytes = anonymousBytes
        self.queueDepth = queueDepth
        self.superseded = superseded
        self.spoolDepth = spoolDepth
        self.replayed = replayed
        self.dropped = dropped
        self.incomingDropped = incomingDropped
    }
}
