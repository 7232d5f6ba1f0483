public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// Everything that can happen to the gateway. The instant comes beside it.
public enum GatewayEvent: Equatable, Sendable {
    /// Once: with what earlier runs have left, or without (nil) while the store has not opened.
    case started(GatewayMemory? = GatewayMemory())
    /// The store has opened after the start: what earlier runs have left.
    case recalled(GatewayMemory)
    case linkOpened(ReceiverPeer)
    /// An attempt to open a link failed; the next one follows by itself.
    case linkFailed(TransportError)
    case linkClosed(LinkLoss)
    case linkReport(LinkReport)
    case frame(Frame)
    case frameRejected(FrameRejection)
    case writeFinished(WriteID, succeeded: Bool)
    case timerFired(TimerID)
    case command(IncomingCommand)
    /// Time to report health, with what only the process knows.
    case healthDue(ProcessHealth)
    case policyChanged(CommandPolicy)
    /// The configuration says something else of the car and of what is said aloud; with all that it says now. Another
    /// route server needs a restart.
    case chaseChanged(ChaseOptions, [InfoReport.Setting])
    /// Whether SondeHub is told of the car, as the configuration says now.
    case carSharingChanged(CarSharingOptions)
    /// To ``GatewayAction/call(_:_:)``.
    case answered(CallID, Answer)
    /// Where the car is, as one of its sources tells.
    case carFix(CarFix)
    /// The connection to a source of the car's position opened or ended.
    case carConnection(CarSource, isOpen: Bool)
    /// A gateway has published its `bridge/info` under this one's id just now, this one or another; its machine's hash.
    case bridgeInfoHeard(machine: String)
    /// The store fails, or works again (nil).
    case storeChanged(StoreError?)
    /// A damaged store was moved aside; a sentence.
    case storeReplaced(String)
    /// The last event.
    case stopping
}

extension GatewayEvent {
    /// What earlier runs have left, if the event brings it.
    var memory: GatewayMemory? {
        switch self {
        case .started(let memory): memory
        case .recalled(let memory): memory
        case .linkOpened, .linkFailed, .linkClosed, .linkReport, .frame, .frameRejected, .writeFinished, .timerFired,
            .command, .healthDue, .policyChanged, .chaseChanged, .carSharingChanged, .answered, .carFix,
            .carConnection, .bridgeInfoHeard, .storeChanged, .storeReplaced, .stopping:
            nil
        }
    }
}

/// What the gateway decided. Actions carry ids, never continuations.
public enum GatewayAction: Equatable, Sendable {
    /// To every feed.
    case report(Report)
    /// To be kept across restarts.
    case record(FlightLogEntry)
    /// Answered by ``GatewayEvent/writeFinished(_:succeeded:)``.
    case write(WriteID, [UInt8])
    /// Closes the link of that session, counted from 1; a newer one stays open.
    case closeLink(session: Int, LinkLoss)
    /// Answered by ``GatewayEvent/answered(_:_:)``.
    case call(CallID, Request)
    /// No answer is waited for any more.
    case cancel(CallID)
    /// Replaces an earlier timer of the same id.
    case setTimer(TimerID, at: MonotonicTime)
    case cancelTimer(TimerID)
    /// Answered by ``GatewayEvent/healthDue(_:)``.
    case measureHealth
    case setLogLevel(GatewayNote.Level)
    /// Home Assistant is to forget the device.
    case forgetHomeAssistant
    /// For the log.
    case note(GatewayNote)
}

/// Names one write to the receiver.
public struct WriteID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// The machine's timers, each of one part. A late firing is inert: the part looks at its own deadline.
public enum TimerID: Hashable, CaseIterable, Sendable {
    /// The link's silence, the last position's age.
    case receiver
    /// `startup` and `waitingForAPRS` end, or SondeHub has been silent too long.
    case telemetryState
    /// The next attempt at a gap fill that failed; the followed sonde's silence.
    case sonde
    /// The source of the car's position becomes too old.
    case car
    /// The route server may be asked again.
    case routing
    /// The chase may be told again.
    case chase
    /// The car's position may be told to SondeHub again.
    case carSharing
    /// The next poll of SondeHub.
    case sondeHub
    /// Another gateway with this one's id is to be shown our `bridge/info`, or is gone.
    case otherGateway
    /// A deferred frequency proposal may be made again.
    case frequencySync
    /// Retry or give up the command in flight; ask a new link for its settings.
    case commands
}
