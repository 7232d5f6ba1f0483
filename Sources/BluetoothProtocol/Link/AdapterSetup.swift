import GatewayReports
import ReceiverProtocol

/// Finds an adapter and makes it ready for Bluetooth LE: enables LE and switches it on. As a repair it switches the
/// adapter off and on.
struct AdapterSetup: Equatable, Sendable {
    enum Action: Equatable {
        /// Asks the owner for the adapters that are present. It answers at once, with ``listed(_:at:)``.
        case list
        case send(MgmtCommand)
        case ready(Adapter)
        case failed(TransportError, LinkOutcome)
    }

    private enum State: Equatable {
        case idle
        case listing
        /// The kernel describes the first candidate. It refuses an adapter that another program holds for itself, and
        /// one that it still sets up; then the next candidate is asked for.
        case describing(ArraySlice<PresentAdapter>)
        /// The adapter is off. Another program (bluetoothd after its start) has until then to switch it on.
        case leavingToOthers(Adapter, until: MonotonicTime)
        case enablingLE(Adapter)
        case switchingOff(Adapter)
        case switchingOn(Adapter)
        case done
    }

    /// How long bluetoothd may take to switch the adapter on before we do it.
    static let othersGrace = Duration.seconds(1)

    /// How far the set-up goes.
    enum Purpose: Equatable {
        /// Only find the adapter.
        case locate
        /// Switch the adapter on if it is off.
        case use
        /// Switch the adapter off and on.
        case cyclePower
    }

    private let choice: AdapterChoice
    private let purpose: Purpose
    private let blocked: Set<AdapterIndex>
    private var state = State.idle
    private var call: MgmtCall?

    /// - Parameter blocked: the adapters that rfkill has switched off. For these the kernel itself only reports
    ///   "failed".
    init(choice: AdapterChoice, purpose: Purpose, blocked: Set<AdapterIndex>) {
        self.choice = choice
        self.purpose = purpose
        self.blocked = blocked
    }

    var deadline: MonotonicTime? {
        if case .leavingToOthers(_, let until) = state { until } else { call?.dueAt }
    }

    mutating func start() -> Action {
        state = .listing
        return .list
    }

    /// - Parameter present: the adapters of this machine, in libbluetooth's order.
    mutating func listed(_ present: [PresentAdapter], at now: MonotonicTime) -> Action? {
        guard state == .listing else { return nil }
        let candidates = choice.candidates(among: present)
        guard !candidates.isEmpty else {
            (state, call) = (.done, nil)
            return .failed(TransportError(.notFound, absence(present), isDeviceMissing: true), .unavailable)
        }
        return describe(candidates[...], at: now)
    }

    private mutating func send(_ command: MgmtCommand, at now: MonotonicTime) -> Action {
        call = MgmtCall(command, at: now)
        return .send(command)
    }

    mutating func timePassed(at now: MonotonicTime) -> Action? {
        if case .leavingToOthers(let adapter, let until) = state, now >= until { return enableLE(adapter, at: now) }
        guard let call, now >= call.dueAt else { return nil }
        return fail(.timedOut, because: "the adapter does not answer (can't \(call.command.purpose))", .adapterTrouble)
    }

    mutating func handle(_ event: MgmtEvent, at now: MonotonicTime) -> Action? {
        if case .leavingToOthers(var adapter, _) = state, case .settingsChanged(adapter.index, let settings) = event,
            settings.contains(.powered)
        {
            adapter.current = settings
            return finish(adapter)
        }
        guard let (status, data) = call?.answer(in: event) else { return nil }
        call = nil
        switch state {
        case .idle, .listing, .done: return nil  // No command is in flight.
        case .leavingToOthers(let adapter, _):
            return Adapter(adapter.index, data).flatMap { $0.isPowered ? finish($0) : nil }
        case .describing(let rest): return described(rest, status, data, at: now)
        case .enablingLE(let adapter):
            // If LE can't be enabled, it is on already, or the next command reports the fault.
            return status == .permissionDenied ? refused(status, adapter) : switchOn(adapter, at: now)
        case .switchingOff(let adapter):
            return status == .permissionDenied ? refused(status, adapter) : enableLE(adapter, at: now)
        case .switchingOn(var adapter):
            guard status == .success else { return refused(status, adapter) }
            adapter.current.insert(.powered)
            return finish(adapter)
        }
    }

    private mutating func describe(_ candidates: ArraySlice<PresentAdapter>, at now: MonotonicTime) -> Action? {
        guard let first = candidates.first else { return nil }
        state = .describing(candidates)
        return send(.readInformation(first.index), at: now)
    }

    private mutating func described(
        _ candidates: ArraySlice<PresentAdapter>, _ status: MgmtStatus, _ data: [UInt8], at now: MonotonicTime
    ) -> Action? {
        guard let asked = candidates.first else { return nil }
        let adapter = status == .success ? Adapter(asked.index, data) : nil
        if let adapter, adapter.hasLowEnergy { return chosen(adapter, at: now) }
        if let next = describe(candidates.dropFirst(), at: now) { return next }
        guard adapter != nil else {
            return fail(
                .notFound, because: "another program holds the adapter \(asked.index), or it is not ready: \(status)",
                .unavailable)
        }
        return fail(
            .notFound,
            because: choice == .any
                ? "no adapter with Bluetooth LE; plug one in"
                : "the adapter \(asked.index) has no Bluetooth LE; use another", .unavailable)
    }

    private mutating func chosen(_ adapter: Adapter, at now: MonotonicTime) -> Action {
        guard !blocked.contains(adapter.index) else { return refused(.rfkilled, adapter) }
        switch purpose {
        case .locate: return finish(adapter)
        case .use where adapter.isPowered: return finish(adapter)
        case .use:
            state = .leavingToOthers(adapter, until: now.advanced(by: Self.othersGrace))
            // Another program may have switched the adapter on since we read its state: read it once more.
            return send(.readInformation(adapter.index), at: now)
        case .cyclePower where adapter.isPowered:
            state = .switchingOff(adapter)
            return send(.setPowered(adapter.index, false), at: now)
        case .cyclePower: return enableLE(adapter, at: now)
        }
    }

    private func absence(_ present: [PresentAdapter]) -> String {
        guard choice != .any else { return "no Bluetooth adapter; plug one in" }
        let others = present.map { "\($0.index) (\($0.address))" }.joined(separator: ", ")
        return "no Bluetooth adapter \(choice); there \(present.count == 1 ? "is" : "are") "
            + (present.isEmpty ? "none" : others)
    }

    private mutating func enableLE(_ adapter: Adapter, at now: MonotonicTime) -> Action {
        guard !adapter.current.contains(.lowEnergy) else { return switchOn(adapter, at: now) }
        state = .enablingLE(adapter)
        return send(.enableLE(adapter.index), at: now)
    }

    private mutating func switchOn(_ adapter: Adapter, at now: MonotonicTime) -> Action {
        state = .switchingOn(adapter)
        return send(.setPowered(adapter.index, true), at: now)
    }

    private mutating func refused(_ status: MgmtStatus, _ adapter: Adapter) -> Action {
        switch status {
        case .permissionDenied where purpose == .cyclePower:
            fail(
                .permissionDenied, because: "the adapter may not be switched off and on without CAP_NET_ADMIN", .denied)
        case .permissionDenied:
            fail(
                .permissionDenied,
                because:
                    "the adapter \(adapter.index) is off, and switching it on needs CAP_NET_ADMIN; run: bluetoothctl power on",
                .denied)
        case .rfkilled:
            fail(
                .unreachable, because: "the adapter \(adapter.index) is blocked; run: rfkill unblock bluetooth",
                .unavailable)
        default:
            fail(.inputOutput, because: "the adapter \(adapter.index) can't be switched on: \(status)", .adapterTrouble)
        }
    }

    private mutating func finish(_ adapter: Adapter) -> Action {
        (state, call) = (.done, nil)
        return .ready(adapter)
    }

    private mutating func fail(
        _ code: TransportError.Code, because detail: String, _ outcome: LinkOutcome
    ) -> Action {
        (state, call) = (.done, nil)
        return .failed(TransportError(code, detail), outcome)
    }
}
