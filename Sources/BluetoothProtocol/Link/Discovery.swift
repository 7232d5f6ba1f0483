import GatewayReports
import ReceiverProtocol

/// Keeps the adapter scanning, run after run, even while another program scans.
///
/// The kernel has one discovery per adapter. Its answer Busy means that another program discovers; we then receive the
/// devices of that discovery.
struct Discovery: Equatable, Sendable {
    enum Action: Equatable {
        case send(MgmtCommand)
        case found(FoundDevice)
        /// The kernel refuses to scan, with this status.
        case refused(MgmtStatus)
        case unanswered
    }

    /// The shortest time between two starts, because a broken adapter ends each run at once.
    private static let pace = Duration.seconds(1)
    /// The time to our next try while another program scans. The kernel does not always report the end of its run.
    private static let busyRetryInterval = Duration.seconds(5)

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
            // Before the answer to our own start, this event is about another program's run.
            if !isOn, call == nil { restartAt = startedAt.map { max(now, $0.advanced(by: Self.pace)) } }
            return timePassed(at: now)
        }
        guard let (status, _) = call?.answer(in: event) else { return nil }
        call = nil
        switch status {
        case .success: return nil
        case .busy:
            restartAt = now.advanced(by: Self.busyRetryInterval)
            return nil
        default: return .refused(status)
        }
    }
}

extension Discovery.Action {
    /// Why the adapter does not scan, as a sentence for people; nil if it scans.
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

    /// The outcome of the attempt that ends with this failure.
    var outcome: LinkOutcome {
        switch self {
        case .refused(.permissionDenied): .denied
        case .refused(.notPowered): .unavailable
        case .send, .found, .refused, .unanswered: .adapterTrouble
        }
    }
}
