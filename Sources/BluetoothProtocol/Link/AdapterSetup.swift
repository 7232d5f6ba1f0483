import GatewayReports
import ReceiverProtocol

/// Finds an adapter and makes it ready for Bluetooth LE: enables LE and switches it on. As a repair it switches the
/// adapter off and on.
struct AdapterSetup: Equatable, Sendable {
    enum Action: Equatable {
        case send(MgmtCommand)
        case ready(Adapter)
        case failed(TransportError, LinkOutcome)
    }

    private enum State: Equatable {
        case idle
        case listing
        case describing(ArraySlice<AdapterIndex>, known: [Adapter])
        /// The adapter is off. Another program (bluetoothd after its start) has until then to switch it on.
        case leavingToOthers(Adapter, until: MonotonicTime)
        case enablingLE(Adapter)
        case switchingOff(Adapter)
        case switchingOn(Adapter)
        case done
    }

    /// How long bluetoothd may take to switch the adapter on before we do it.
    static let othersGrace = Duration.seconds(1)
    /// The most adapters that we read from the kernel's list.
    private static let adaptersLimit = 32

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

    mutating func start(at now: MonotonicTime) -> Action {
        state = .listing
        return send(.readIndexList, at: now)
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
        case .idle, .done: return nil  // No command is in flight.
        case .leavingToOthers(let adapter, _):
            return Adapter(adapter.index, data).flatMap { $0.isPowered ? finish($0) : nil }
        case .listing: return listed(data, status, at: now)
        case .describing(let rest, var known):
            if status == .success, let index = rest.first, let adapter = Adapter(index, data) { known.append(adapter) }
            return describe(rest.dropFirst(), known: known, at: now)
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

    private mutating func listed(_ data: [UInt8], _ status: MgmtStatus, at now: MonotonicTime) -> Action {
        guard status == .success else {
            return fail(.inputOutput, because: "can't look at the adapters: \(status)", .adapterTrouble)
        }
        var reader = LittleEndianReader(data)
        var indexes: [AdapterIndex] = []
        _ = reader.uint16()  // The count. The length of the bytes implies it.
        while let index = reader.uint16(), indexes.count < Self.adaptersLimit {
            indexes.append(AdapterIndex(rawValue: index))
        }
        return describe(indexes.sorted { $0.rawValue < $1.rawValue }[...], known: [], at: now)
    }

    private mutating func describe(
        _ rest: ArraySlice<AdapterIndex>, known: [Adapter], at now: MonotonicTime
    ) -> Action {
        if let next = rest.first {
            state = .describing(rest, known: known)
            return send(.readInformation(next), at: now)
        }
        guard let adapter = choice.pick(from: known) else {
            return fail(.notFound, because: absence(known), .unavailable)
        }
        guard adapter.hasLowEnergy else {
            return fail(
                .notFound, because: "the adapter \(adapter.index) has no Bluetooth LE; use another", .unavailable)
        }
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

    private func absence(_ known: [Adapter]) -> String {
        switch choice {
        case .any where known.isEmpty: "no Bluetooth adapter; plug one in"
        case .any: "no adapter with Bluetooth LE; plug one in"
        case .index, .address:
            "no Bluetooth adapter \(choice); there \(known.count == 1 ? "is" : "are") "
                + (known.isEmpty
                    ? "none" : known.map { "\($0.index) (\($0.address))" }.joined(separator: ", "))
        }
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
