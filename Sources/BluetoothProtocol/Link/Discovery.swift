import GatewayCore
import ReceiverProtocol

/// Keeps the adapter scanning, run after run, also when somebody else scans at the same time.
///
/// A discovery belongs to the adapter: Busy means that another program discovers, and everybody hears what it hears.
struct Discovery: Equatable, Sendable {
    enum Action: Equatable {
        case send(MgmtCommand)
        case found(FoundDevice)
        /// The kernel's word on a scan that it refuses.
        case refused(MgmtStatus)
        case unanswered
    }

    /// Between two starts at least: a broken adapter ends every run at once.
    private static let pace = Duration.seconds(1)
    /// Another program's run ends unheard at times; until the next try of our own.
    private static let busyPatience = Duration.seconds(5)

    private let index: AdapterIndex
    private var call: MgmtCall?
    private var startedAt: MonotonicTime?
    private var restartAt: MonotonicTime?

    init(_ index: AdapterIndex) {
        self.index = index
    }

    var deadline: MonotonicTime? { call?.dueAt ?? restartAt }

    mutating func start(at now: MonotonicTime) -> Action {
        let call = MgmtCall(.startDiscovery(index), at: now)
        self.call = call
        (startedAt, restartAt) = (now, nil)
        return .send(call.command)
    }

    mutating func timePassed(at now: MonotonicTime) -> Action? {
        if let call { return now >= call.dueAt ? .unanswered : nil }
        guard let restartAt, now >= restartAt else { return nil }
        return start(at: now)
    }

    mutating func handle(_ event: MgmtEvent, at now: MonotonicTime) -> Action? {
        if case .deviceFound(index, let device) = event { return .found(device) }
        if case .discovering(index, let isOn) = event {
            // Before the answer to our own start, this is the news of another program's run.
            if !isOn, call == nil { restartAt = startedAt.map { max(now, $0.advanced(by: Self.pace)) } }
            return timePassed(at: now)
        }
        guard let (status, _) = call?.answer(in: event) else { return nil }
        call = nil
        switch status {
        case .success: return nil
        case .busy:
            restartAt = now.advanced(by: Self.busyPatience)
            return nil
        default: return .refused(status)
        }
    }
}

extension Discovery.Action {
    /// Why there is no scan, in a sentence; nil where there is.
    var failure: TransportError? {
        switch self {
        case .send, .found: nil
        case .unanswered: TransportError(.timedOut, "the adapter does not answer (can't scan)")
        case .refused(.permissionDenied):
            TransportError(
                .permissionDenied, "scanning for a receiver needs CAP_NET_ADMIN; grant it, or set receiver.address")
        case .refused(.notPowered): TransportError(.unreachable, "the Bluetooth adapter was switched off")
        case .refused(let status): TransportError(.inputOutput, "the adapter does not scan: \(status)")
        }
    }

    /// What that means for the next attempt.
    var outcome: LinkOutcome {
        switch self {
        case .refused(.permissionDenied): .denied
        case .refused(.notPowered): .unavailable
        case .send, .found, .refused, .unanswered: .adapterTrouble
        }
    }
}
