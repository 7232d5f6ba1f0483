import Gateway
import GatewayReports
import ReceiverProtocol

// The link itself, from its first channel to its end.

extension LinkMachine {
    // MARK: - The link

    mutating func connect(
        to addresses: [LEAddress], until: MonotonicTime?, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let adapter else { return }
        state = .connecting(until: until)
        for (number, address) in addresses.enumerated() {
            pending[ChannelID(value: number)] = address
            actions.append(.openChannel(ChannelID(value: number), from: adapter.address, to: address))
        }
    }

    mutating func channelOpened(_ id: ChannelID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard case .connecting = state, let address = pending.removeValue(forKey: id) else { return }
        closePending(&actions)
        channel = id
        device = address
        state = .preparing
        perform(client.handle(.opened, at: now), at: now, &actions)
    }

    mutating func closePending(_ actions: inout [Action]) {
        for id in pending.keys.sorted(by: { $0.value < $1.value }) { actions.append(.closeChannel(id)) }
        pending = [:]
    }

    mutating func channelFailed(_ id: ChannelID, with fault: ChannelFault, _ actions: inout [Action]) {
        if id == channel {
            return end(fault.loss, outcome: lossOutcome(endedSilently: false), &actions)
        }
        guard pending.removeValue(forKey: id) != nil else { return }
        actions.append(.closeChannel(id))
        guard pending.isEmpty else { return }
        let (failure, outcome) = fault.refusal(wasHeard: candidate != nil)
        end(failure, outcome: outcome, &actions)
    }

    func lossOutcome(endedSilently: Bool) -> LinkOutcome {
        hasFrames ? .served(endedSilently: endedSilently) : state == .open ? .mute : .failed
    }

    mutating func perform(
        _ clientActions: [GATTClient.Action], at now: MonotonicTime, _ actions: inout [Action]
    ) {
        for action in clientActions {
            switch action {
            case .send(let bytes): actions.append(.send(bytes))
            case .ready(let session): ready(session, at: now, &actions)
            case .frames(let bytes):
                hasFrames = true
                actions.append(.frames(bytes))
            case .writeFinished(let id, let error): actions.append(.writeFinished(id, error))
            case .failed(let error): disconnect(error, outcome: lossOutcome(endedSilently: true), at: now, &actions)
            }
        }
    }

    mutating func ready(_ session: GATTClient.Session, at now: MonotonicTime, _ actions: inout [Action]) {
        guard let device else { return }
        state = .open
        rssiDBm = candidate?.rssiDBm
        signalDueAt = now.advanced(by: rssiDBm == nil ? .zero : Self.signalInterval)
        actions.append(
            .opened(OpenedLink(device: device, name: candidate?.data.name, rssiDBm: rssiDBm, session: session)))
        if session.mtu < Self.roomyMTU { actions.append(.report(.smallMTU(session.mtu))) }
    }

    mutating func signalRead(
        _ status: MgmtStatus, data: [UInt8], at now: MonotonicTime, _ actions: inout [Action]
    ) {
        if status == .permissionDenied { isPrivileged = false }
        signalDueAt = now.advanced(by: Self.signalInterval)
        guard status == .success, data.count > 7, let rssi = FoundDevice.rssi(data[7]), rssi != rssiDBm else { return }
        rssiDBm = rssi
        actions.append(.report(.signal(dBm: rssi)))
    }

    // MARK: - The end

    mutating func close(at now: MonotonicTime, _ actions: inout [Action]) {
        let error = TransportError(.cancelled, "closed by the gateway")
        switch state {
        case .preparing: disconnect(error, outcome: .cancelled, at: now, &actions)
        case .open: disconnect(error, outcome: lossOutcome(endedSilently: true), at: now, &actions)
        case .discovering:
            if let adapter { actions.append(.manage(.stopDiscovery(adapter.index))) }
            end(error, outcome: .cancelled, &actions)
        case .disconnecting: break  // The link is already being ended.
        case .idle, .settingUp, .clearing, .pausing, .stoppingDiscovery, .connecting, .ended:
            closePending(&actions)
            end(error, outcome: .cancelled, &actions)
        }
    }

    /// Ends the radio link, so that the receiver advertises again at once.
    mutating func disconnect(
        _ error: TransportError, outcome: LinkOutcome, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard isPrivileged, let adapter, let device else {
            return end(error, outcome: outcome, lingers: true, &actions)
        }
        let call = MgmtCall(.disconnect(adapter.index, device), at: now, limit: Self.disconnectLimit)
        state = .disconnecting(call, error, outcome)
        actions.append(.manage(call.command))
    }

    mutating func end(
        _ error: TransportError, outcome: LinkOutcome, lingers: Bool = false, _ actions: inout [Action]
    ) {
        guard state != .ended else { return }
        state = .ended
        closePending(&actions)
        if let channel { actions.append(.closeChannel(channel)) }
        channel = nil
        actions.append(.ended(error, outcome, lingers: lingers))
    }
}
