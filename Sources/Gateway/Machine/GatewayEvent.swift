public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// All events of the gateway. Their time is passed separately.
public enum GatewayEvent: Equatable, Sendable {
    /// The gateway has started. Comes once, with the memory of earlier runs, or nil if the store has not opened yet.
    case started(GatewayMemory? = GatewayMemory())
    /// The store has opened after the start, with the memory of earlier runs.
    case recalled(GatewayMemory)
    case linkOpened(ReceiverPeer)
    /// An attempt to open a link failed. The next one follows without further action.
    case linkFailed(TransportError)
    case linkClosed(LinkLoss)
    case linkReport(LinkReport)
    case frame(Frame)
    case frameRejected(FrameRejection)
    case writeFinished(WriteID, succeeded: Bool)
    case timerFired(TimerID)
    case command(IncomingCommand)
    /// Time to report health. The value holds the part that the process measures.
    case healthDue(ProcessHealth)
    case policyChanged(CommandPolicy)
    /// The configuration of the car and of spoken events has changed; with all settings. Another route server needs a
    /// restart.
    case chaseChanged(ChaseOptions, [InfoReport.Setting])
    /// The configuration of sharing the car's position has changed.
    case carSharingChanged(CarSharingOptions)
    /// An answer to ``GatewayAction/call(_:_:)``.
    case answered(CallID, Answer)
    /// A position of the car from one of its sources.
    case carFix(CarFix)
    /// A source of the car's position has sent something without a usable one.
    case carFixRefused(CarFixRefusal, from: CarSource)
    /// The connection to a source of the car's position opened or ended.
    case carConnection(CarSource, isOpen: Bool)
    /// A bearing of a direction finder.
    case bearingHeard(HeardBearing)
    /// Somebody has opened the page, or nobody looks at it any more.
    case pageWatched(Bool)
    /// The towns around the landing point were looked up.
    case townsFound(TownsAround)
    /// A gateway with this id, perhaps this one, has published its `bridge/info`. The value is its machine's hash.
    case bridgeInfoHeard(machine: String)
    /// The store fails; nil if it works again.
    case storeChanged(StoreError?)
    /// A damaged store was moved aside. The sentence says so.
    case storeReplaced(String)
    /// The last event.
    case stopping
}

extension GatewayEvent {
    /// The memory of earlier runs, if the event holds it.
    var memory: GatewayMemory? {
        switch self {
        case .started(let memory): memory
        case .recalled(let memory): memory
        case .linkOpened, .linkFailed, .linkClosed, .linkReport, .frame, .frameRejected, .writeFinished, .timerFired,
            .command, .healthDue, .policyChanged, .chaseChanged, .carSharingChanged, .answered, .carFix,
            .carFixRefused,
            .carConnection, .bearingHeard, .pageWatched, .townsFound, .bridgeInfoHeard, .storeChanged, .storeReplaced,
            .stopping:
            nil
        }
    }
}

/// The gateway's decisions. Actions hold ids, never continuations.
public enum GatewayAction: Equatable, Sendable {
    /// A report for all feeds.
    case report(Report)
    /// An entry for the store.
    case record(FlightLogEntry)
    /// Answered by ``GatewayEvent/writeFinished(_:succeeded:)``.
    case write(WriteID, [UInt8])
    /// Closes the link with this session number. A newer link stays open.
    case closeLink(session: Int, LinkLoss)
    /// Answered by ``GatewayEvent/answered(_:_:)``.
    case call(CallID, Request)
    /// Cancels a call. Its answer is no longer needed.
    case cancel(CallID)
    /// Replaces an earlier timer of the same id.
    case setTimer(TimerID, at: MonotonicTime)
    case cancelTimer(TimerID)
    /// Answered by ``GatewayEvent/healthDue(_:)``.
    case measureHealth
    case setLogLevel(GatewayNote.Level)
    /// Removes the device from Home Assistant.
    case forgetHomeAssistant
    /// An entry for the log.
    case note(GatewayNote)
}

/// Identifies a write to the receiver.
public struct WriteID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// The machine's timers. Each belongs to one part. A late firing does no harm, because the part checks its own
/// deadline.
public enum TimerID: Hashable, CaseIterable, Sendable {
    /// The link has been silent for too long, or the last position becomes too old.
    case receiver
    /// `startup` or `waitingForAPRS` ends, or SondeHub has been silent too long.
    case telemetryState
    /// A failed gap fill is retried, or the followed sonde has been silent too long.
    case sonde
    /// The source of the car's position becomes too old.
    case car
    /// The route server may be asked again.
    case routing
    /// The chase may be published again.
    case chase
    /// The car's position may be sent to SondeHub again.
    case carSharing
    /// SondeHub may be asked for the other crews again.
    case crews
    /// The next poll of SondeHub.
    case sondeHub
    /// The report of the sondes around, or the next call for their landings.
    case sondesAround
    /// The launch sites are old, a launch may be predicted, or the hourly report is due.
    case launches
    /// The search's next tuning.
    case search
    /// The next question for reports of recovery, or the next try to send one.
    case recovery
    /// Another gateway uses this id: publish our `bridge/info`, or forget that gateway.
    case otherGateway
    /// A deferred frequency proposal may be made again.
    case frequencySync
    /// A sentence that waits may be said, or the next one of the state is due.
    case speech
    /// Retry or give up the command in flight; ask a new link for its settings.
    case commands
}
