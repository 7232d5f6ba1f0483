import Gateway
import GatewayReports
import ReceiverProtocol

// From the start to the connection: readies the adapter and finds the receiver.

extension LinkMachine {
    // MARK: - The adapter

    mutating func setUp(_ purpose: AdapterSetup.Purpose, at now: MonotonicTime, _ actions: inout [Action]) {
        if purpose != .use { isRepairDue = false }
        var setup = AdapterSetup(choice: choice, purpose: purpose, blocked: blocked)
        let action = setup.start()
        state = .settingUp(setup)
        perform(action, at: now, &actions)
    }

    mutating func perform(
        _ action: AdapterSetup.Action?, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        switch action {
        case nil: break
        case .list: actions.append(.listAdapters)
        case .send(let command): actions.append(.manage(command))
        case .failed(let error, let outcome): end(error, outcome: outcome, &actions)
        case .ready(let adapter):
            self.adapter = adapter
            let call = MgmtCall(.readConnections(adapter.index), at: now)
            state = .clearing(call, [])
            actions.append(.manage(call.command))
        }
    }

    /// Handles the list of connected devices. Ends an old link to our receiver, so that the new link starts from
    /// scratch.
    mutating func connectionsRead(
        _ status: MgmtStatus, data: [UInt8], of adapter: Adapter, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        if status == .permissionDenied { isPrivileged = false }
        var reader = LittleEndianReader(data)
        var old: [LEAddress] = []
        var others = 0
        let count = status == .success ? reader.uint16() ?? 0 : 0
        for _ in 0..<count {
            guard let bytes = reader.bytes(7) else { break }
            var entry = LittleEndianReader(bytes)
            // Another device: it uses BR/EDR (a headset, for example), or it is not our receiver.
            if let device = LEAddress(&entry), attempt.target.holds(device) { old.append(device) } else { others += 1 }
        }
        if isRepairDue, others == 0 { return setUp(.cyclePower, at: now, &actions) }
        isRepairDue = false
        endOldLinks(old, on: adapter, at: now, &actions)
    }

    mutating func endOldLinks(
        _ old: [LEAddress], on adapter: Adapter, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        if let first = old.first {
            let call = MgmtCall(.disconnect(adapter.index, first), at: now, limit: Self.disconnectLimit)
            state = .clearing(call, Array(old.dropFirst()))
            return actions.append(.manage(call.command))
        }
        if let notBefore = attempt.notBefore, now < notBefore, !isPrivileged {
            state = .pausing(until: notBefore)
        } else {
            lookForReceiver(at: now, &actions)
        }
    }

    // MARK: - Finding the receiver

    mutating func lookForReceiver(at now: MonotonicTime, _ actions: inout [Action]) {
        guard let adapter else { return }
        switch attempt.target {
        case .known(let addresses):
            connect(to: addresses, until: attempt.searchLimit.map { now.advanced(by: $0) }, at: now, &actions)
        case .discover:
            discoveryEndsAt = attempt.searchLimit.map { now.advanced(by: $0) }
            var discovery = Discovery(adapter.index)
            let action = discovery.start(at: now)
            state = .discovering(discovery)
            perform(action, at: now, &actions)
        }
    }

    mutating func perform(_ action: Discovery.Action?, at now: MonotonicTime, _ actions: inout [Action]) {
        switch action {
        case nil: break
        case .send(let command): actions.append(.manage(command))
        case .found(let device): found(device, at: now, &actions)
        case .unanswered, .refused:
            guard let action, let failure = action.failure else { break }
            end(failure, outcome: action.outcome, &actions)
        }
    }

    static let switchedOff = TransportError(.unreachable, "the Bluetooth adapter was switched off")

    mutating func found(_ device: FoundDevice, at now: MonotonicTime, _ actions: inout [Action]) {
        guard case .discover(let filter) = attempt.target, filter.accepts(device) else { return }
        if let candidate {
            guard candidate.address != device.address else {
                self.candidate?.merge(device)
                return
            }
            guard passedOver.count < 16, passedOver.insert(device.address).inserted else { return }
            let name = device.data.name ?? ReceiverFilter.unnamed
            return actions.append(.report(.passedOver(name: name, address: "\(device.address.address)")))
        }
        candidate = device
        discoveryEndsAt = nil
        if attempt.looksAround {
            lookAroundEndsAt = now.advanced(by: Self.lookAroundTime)
        } else {
            stopDiscovery(at: now, &actions)
        }
    }

    mutating func stopDiscovery(at now: MonotonicTime, _ actions: inout [Action]) {
        guard let adapter else { return }
        let call = MgmtCall(.stopDiscovery(adapter.index), at: now, limit: Self.disconnectLimit)
        state = .stoppingDiscovery(call)
        actions.append(.manage(call.command))
    }
}

extension LinkAttempt.Target {
    /// Whether this is the device that the attempt looks for. Before a scan the address of a receiver that is known
    /// only by name is unknown: false.
    fileprivate func holds(_ device: LEAddress) -> Bool {
        switch self {
        case .known(let addresses): addresses.contains(device)
        case .discover(let filter): filter.address == device.address
        }
    }
}

extension FoundDevice {
    /// Adds a later report. It may carry the name that the earlier report lacked.
    mutating func merge(_ later: FoundDevice) {
        if later.data.name != nil || data.name == nil { data = later.data }
        rssiDBm = later.rssiDBm ?? rssiDBm
    }
}
