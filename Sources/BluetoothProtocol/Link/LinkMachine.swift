public import GatewayCore
public import ReceiverProtocol

/// One attempt at a link, from the choice of the adapter to the end of the link: events in, actions out.
///
/// Whoever owns it opens sockets, carries packets and keeps time. A machine serves once; what the next attempt does
/// differently is ``LinkLadder``'s to say.
public struct LinkMachine: Sendable {
    public enum Event: Equatable, Sendable {
        /// The first event, once.
        case start
        case management(MgmtEvent)
        /// The mgmt socket is gone.
        case managementFailed(String)
        case channelOpened(ChannelID)
        /// It could not be opened, or ended.
        case channelFailed(ChannelID, ChannelFault)
        case received(ChannelID, [UInt8])
        /// What ``Action/reset(_:)`` came to.
        case resetDone(failure: String?)
        /// The id comes back in ``Action/writeFinished(_:_:)``.
        case write(UInt64, [UInt8])
        /// The gateway wants the link no more.
        case close
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        case manage(MgmtCommand)
        /// Opens an ATT channel from the adapter of this address. Pending until the device turns up.
        case openChannel(ChannelID, from: BluetoothAddress, to: LEAddress)
        case closeChannel(ChannelID)
        case send([UInt8])
        /// Removes the adapter from the system and adds it again.
        case reset(AdapterIndex)
        case opened(OpenedLink)
        case frames([UInt8])
        case writeFinished(UInt64, TransportError?)
        case report(LinkReport)
        /// The last action. `lingers`: the radio link may live on for a while.
        case ended(TransportError, LinkOutcome, lingers: Bool)
    }

    /// Names one of the channels of an attempt.
    public struct ChannelID: Hashable, Sendable {
        public let value: Int
    }

    /// A link that is ready for frames and commands.
    public struct OpenedLink: Equatable, Sendable {
        public var device: LEAddress
        /// As advertised; nil when the device was connected without scanning.
        public var name: String?
        public var rssiDBm: Int?
        public var session: GATTClient.Session
    }

    /// Seconds for a device that was heard to accept a connection: a few of its advertising intervals.
    static let connectLimit = 10.0
    /// Seconds to go on listening for other receivers.
    static let lookAroundTime = 1.0
    /// Seconds for the kernel to end a link that we want ended.
    static let disconnectLimit = 2.5
    /// Seconds for an adapter to come back after its reset.
    static let resetTime = 3.0
    static let signalInterval = 30.0
    /// A link with smaller packets cuts the frames of firmware 3 (95 to 100 bytes, and the packet's head of 3).
    static let roomyMTU = 103

    enum State: Equatable, Sendable {
        case idle
        /// Finding the adapter, switching it on. To clearing.
        case settingUp(AdapterSetup)
        /// The adapter is away and comes back. To settingUp.
        case resetting(until: MonotonicTime)
        /// Asks who is connected; an old link to the receiver is ended. To repairing, pausing, connecting, discovering.
        case clearing(MgmtCall, [LEAddress])
        /// Lets an old link run out. To connecting.
        case pausing(until: MonotonicTime)
        /// To stoppingDiscovery with the first receiver.
        case discovering(Discovery)
        /// To connecting.
        case stoppingDiscovery(MgmtCall)
        /// Channels are pending. To preparing with the first that opens.
        case connecting(until: MonotonicTime?)
        /// A channel is open: the GATT client sets it up. To open.
        case preparing
        case open
        /// We end the link. To ended.
        case disconnecting(MgmtCall, TransportError, LinkOutcome)
        case ended
    }

    private let attempt: LinkAttempt
    private let choice: AdapterChoice
    private let blocked: Set<AdapterIndex>
    private(set) var state = State.idle
    private var adapter: Adapter?
    private var client = GATTClient()
    private var isRepairDue: Bool
    private var discoveryEndsAt: MonotonicTime?
    private var lookAroundEndsAt: MonotonicTime?
    private var passedOver: Set<LEAddress> = []
    private var candidate: FoundDevice?
    private var pending: [ChannelID: LEAddress] = [:]
    private var channel: ChannelID?
    private var device: LEAddress?
    private var hasFrames = false
    private var isPrivileged = true
    private var signalCall: MgmtCall?
    private var signalDueAt: MonotonicTime?
    private var rssiDBm: Int?

    /// - Parameter blocked: adapters that rfkill has switched off.
    public init(_ attempt: LinkAttempt, adapter choice: AdapterChoice, blocked: Set<AdapterIndex> = []) {
        self.attempt = attempt
        self.choice = choice
        self.blocked = blocked
        isRepairDue = attempt.rung == .powerCycle || attempt.rung == .reset
    }

    /// When ``Event/timePassed`` can next change anything.
    public var deadline: MonotonicTime? {
        switch state {
        case .idle, .ended: nil
        case .settingUp(let setup): setup.deadline
        case .resetting(let until), .pausing(let until): until
        case .clearing(let call, _), .stoppingDiscovery(let call), .disconnecting(let call, _, _): call.dueAt
        case .discovering(let discovery):
            [discovery.deadline, discoveryEndsAt, lookAroundEndsAt].compactMap(\.self).min()
        case .connecting(let until): until
        case .preparing: client.deadline
        case .open: [client.deadline, signalCall?.dueAt ?? signalDueAt].compactMap(\.self).min()
        }
    }

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        if state == .ended { return actions }
        switch event {
        case .start:
            guard state == .idle else { break }
            let isReset = attempt.rung == .reset
            let isSure = attempt.rung == .powerCycle && !attempt.sparesOthers
            setUp(isReset ? .locate : isSure ? .cyclePower : .use, now, &actions)
        case .management(let event): handle(event, now, &actions)
        case .managementFailed(let why):
            end(
                TransportError(.inputOutput, "the kernel's Bluetooth interface is gone: \(why)"), .adapterTrouble,
                &actions)
        case .channelOpened(let id): channelOpened(id, now, &actions)
        case .channelFailed(let id, let fault): channelFailed(id, fault, &actions)
        case .received(channel, let bytes): perform(client.handle(.received(bytes), at: now), now, &actions)
        case .received: break  // From a channel that is closed by now.
        case .resetDone(let failure):
            if let failure { actions.append(.report(.advice("The Bluetooth adapter can't be reset: \(failure)."))) }
        case .write(let id, let bytes): perform(client.handle(.write(id, bytes), at: now), now, &actions)
        case .close: close(now, &actions)
        case .timePassed: timePassed(now, &actions)
        }
        return actions
    }

    // MARK: - The adapter

    private mutating func setUp(_ purpose: AdapterSetup.Purpose, _ now: MonotonicTime, _ actions: inout [Action]) {
        if purpose != .use { isRepairDue = false }
        var setup = AdapterSetup(choice: choice, purpose: purpose, blocked: blocked)
        let action = setup.start(at: now)
        state = .settingUp(setup)
        perform(action, now, &actions)
    }

    private mutating func perform(
        _ action: AdapterSetup.Action?, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        switch action {
        case nil: break
        case .send(let command): actions.append(.manage(command))
        case .failed(let error, let outcome): end(error, outcome, &actions)
        case .ready(let adapter) where attempt.rung == .reset && self.adapter == nil:
            self.adapter = adapter
            state = .resetting(until: now.advanced(by: Self.resetTime))
            actions.append(.reset(adapter.index))
        case .ready(let adapter):
            self.adapter = adapter
            let call = MgmtCall(.readConnections(adapter.index), at: now)
            state = .clearing(call, [])
            actions.append(.manage(call.command))
        }
    }

    /// Who is connected: an old link to our receiver is ended, so that the new one starts from scratch.
    private mutating func connectionsRead(
        _ status: MgmtStatus, _ data: [UInt8], _ adapter: Adapter, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        if status == .permissionDenied { isPrivileged = false }
        var reader = LittleEndianReader(data)
        var connected: [LEAddress] = []
        var count = status == .success ? reader.uint16() ?? 0 : 0
        while count > 0, let device = LEAddress(&reader) {
            connected.append(device)
            count -= 1
        }
        let old = connected.filter { attempt.target.holds($0) }
        if isRepairDue, old.count == connected.count { return setUp(.cyclePower, now, &actions) }
        isRepairDue = false
        endOldLinks(old, adapter, now, &actions)
    }

    private mutating func endOldLinks(
        _ old: [LEAddress], _ adapter: Adapter, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        if let first = old.first {
            let call = MgmtCall(.disconnect(adapter.index, first), at: now, limit: Self.disconnectLimit)
            state = .clearing(call, Array(old.dropFirst()))
            return actions.append(.manage(call.command))
        }
        if let notBefore = attempt.notBefore, notBefore > now, !isPrivileged {
            state = .pausing(until: notBefore)
        } else {
            lookForReceiver(now, &actions)
        }
    }

    // MARK: - Finding the receiver

    private mutating func lookForReceiver(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard let adapter else { return }
        switch attempt.target {
        case .known(let addresses):
            connect(to: addresses, until: attempt.patience.map { now.advanced(by: $0) }, now, &actions)
        case .discover:
            discoveryEndsAt = attempt.patience.map { now.advanced(by: $0) }
            var discovery = Discovery(adapter.index)
            let action = discovery.start(at: now)
            state = .discovering(discovery)
            perform(action, now, &actions)
        }
    }

    private mutating func perform(_ action: Discovery.Action?, _ now: MonotonicTime, _ actions: inout [Action]) {
        switch action {
        case nil: break
        case .send(let command): actions.append(.manage(command))
        case .found(let device): found(device, now, &actions)
        case .unanswered, .refused:
            guard let action, let failure = action.failure else { break }
            end(failure, action.outcome, &actions)
        }
    }

    private static let switchedOff = TransportError(.unreachable, "the Bluetooth adapter was switched off")

    private mutating func found(_ device: FoundDevice, _ now: MonotonicTime, _ actions: inout [Action]) {
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
        if attempt.looksAround {
            lookAroundEndsAt = now.advanced(by: Self.lookAroundTime)
        } else {
            stopDiscovery(now, &actions)
        }
    }

    private mutating func stopDiscovery(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard let adapter else { return }
        let call = MgmtCall(.stopDiscovery(adapter.index), at: now, limit: Self.disconnectLimit)
        state = .stoppingDiscovery(call)
        actions.append(.manage(call.command))
    }

    // MARK: - The link

    private mutating func connect(
        to addresses: [LEAddress], until: MonotonicTime?, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let adapter else { return }
        state = .connecting(until: until)
        for (number, address) in addresses.enumerated() {
            pending[ChannelID(value: number)] = address
            actions.append(.openChannel(ChannelID(value: number), from: adapter.address, to: address))
        }
    }

    private mutating func channelOpened(_ id: ChannelID, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard case .connecting = state, let address = pending.removeValue(forKey: id) else { return }
        closePending(&actions)
        channel = id
        device = address
        state = .preparing
        perform(client.handle(.opened, at: now), now, &actions)
    }

    private mutating func closePending(_ actions: inout [Action]) {
        for id in pending.keys.sorted(by: { $0.value < $1.value }) { actions.append(.closeChannel(id)) }
        pending = [:]
    }

    private mutating func channelFailed(_ id: ChannelID, _ fault: ChannelFault, _ actions: inout [Action]) {
        if id == channel {
            return end(fault.loss, lossOutcome(endedSilently: false), &actions)
        }
        guard pending.removeValue(forKey: id) != nil else { return }
        actions.append(.closeChannel(id))
        guard pending.isEmpty else { return }
        let (failure, outcome) = fault.refusal(wasHeard: candidate != nil)
        end(failure, outcome, &actions)
    }

    private func lossOutcome(endedSilently: Bool) -> LinkOutcome {
        hasFrames ? .served(endedSilently: endedSilently) : state == .open ? .mute : .failed
    }

    private mutating func perform(
        _ clientActions: [GATTClient.Action], _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        for action in clientActions {
            switch action {
            case .send(let bytes): actions.append(.send(bytes))
            case .ready(let session): ready(session, now, &actions)
            case .frames(let bytes):
                hasFrames = true
                actions.append(.frames(bytes))
            case .writeFinished(let id, let error): actions.append(.writeFinished(id, error))
            case .failed(let error): disconnect(error, lossOutcome(endedSilently: true), now, &actions)
            }
        }
    }

    private mutating func ready(_ session: GATTClient.Session, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let device else { return }
        state = .open
        rssiDBm = candidate?.rssiDBm
        signalDueAt = isPrivileged ? now.advanced(by: rssiDBm == nil ? 0 : Self.signalInterval) : nil
        actions.append(
            .opened(OpenedLink(device: device, name: candidate?.data.name, rssiDBm: rssiDBm, session: session)))
        if session.mtu < Self.roomyMTU { actions.append(.report(.smallMTU(session.mtu))) }
    }

    private mutating func signalRead(
        _ status: MgmtStatus, _ data: [UInt8], _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard status != .permissionDenied else { return }
        signalDueAt = now.advanced(by: Self.signalInterval)
        guard status == .success, data.count > 7, let rssi = FoundDevice.rssi(data[7]), rssi != rssiDBm else { return }
        rssiDBm = rssi
        actions.append(.report(.signal(dBm: rssi)))
    }

    // MARK: - What the kernel tells

    private mutating func handle(_ event: MgmtEvent, _ now: MonotonicTime, _ actions: inout [Action]) {
        if let adapter {
            if event == .adapterRemoved(adapter.index), !isResetting {
                return end(
                    TransportError(.closedByPeer, "the adapter \(adapter.index) was unplugged"), adapterGone, &actions)
            }
            if case .settingsChanged(adapter.index, let settings) = event, !settings.contains(.powered), !isSettingUp {
                return end(Self.switchedOff, adapterGone, &actions)
            }
        }
        switch state {
        case .settingUp(var setup):
            let action = setup.handle(event, at: now)
            state = .settingUp(setup)
            perform(action, now, &actions)
        case .clearing(let call, let rest):
            guard let adapter, let (status, data) = call.answer(in: event) else { break }
            if call.command == .readConnections(adapter.index) {
                connectionsRead(status, data, adapter, now, &actions)
            } else {
                endOldLinks(rest, adapter, now, &actions)
            }
        case .discovering(var discovery):
            let action = discovery.handle(event, at: now)
            state = .discovering(discovery)
            perform(action, now, &actions)
        case .stoppingDiscovery(let call):
            // Whatever it says: in another program's discovery there is nothing of ours to stop.
            if call.answer(in: event) != nil { connectToCandidate(now, &actions) }
        case .open:
            guard let (status, data) = signalCall?.answer(in: event) else { break }
            signalCall = nil
            signalRead(status, data, now, &actions)
        case .disconnecting(let call, let error, let outcome):
            guard let (status, _) = call.answer(in: event) else { break }
            end(error, outcome, lingers: ![.success, .notConnected, .disconnected].contains(status), &actions)
        case .idle, .resetting, .pausing, .connecting, .preparing, .ended: break  // Nothing was asked.
        }
    }

    /// A link that served ends well whatever ended it; without frames there is nothing to repair either.
    private var adapterGone: LinkOutcome { hasFrames ? .served(endedSilently: false) : .unavailable }

    private var isResetting: Bool {
        if case .resetting = state { true } else { false }
    }

    private var isSettingUp: Bool {
        if case .settingUp = state { true } else { isResetting }
    }

    private mutating func connectToCandidate(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard let candidate else { return }
        connect(to: [candidate.address], until: now.advanced(by: Self.connectLimit), now, &actions)
    }

    // MARK: - Time

    private mutating func timePassed(_ now: MonotonicTime, _ actions: inout [Action]) {
        switch state {
        case .idle, .ended: break  // No deadline.
        case .settingUp(var setup):
            let action = setup.timePassed(at: now)
            state = .settingUp(setup)
            perform(action, now, &actions)
        case .resetting(let until):
            if now >= until { setUp(.use, now, &actions) }
        case .pausing(let until):
            if now >= until { lookForReceiver(now, &actions) }
        case .clearing(let call, let rest):
            guard now >= call.dueAt, let adapter else { break }
            endOldLinks(rest, adapter, now, &actions)
        case .discovering: discoveryTimePassed(now, &actions)
        case .stoppingDiscovery(let call):
            if now >= call.dueAt { connectToCandidate(now, &actions) }
        case .connecting(let until):
            guard let until, now >= until else { break }
            closePending(&actions)
            end(
                TransportError(
                    .timedOut,
                    candidate == nil ? "the receiver is not in range" : "the receiver is heard but takes no connection"),
                candidate == nil ? .notFound : .failed, &actions)
        case .preparing: perform(client.handle(.timePassed, at: now), now, &actions)
        case .open: openTimePassed(now, &actions)
        case .disconnecting(let call, let error, let outcome):
            if now >= call.dueAt { end(error, outcome, lingers: true, &actions) }
        }
    }

    private mutating func discoveryTimePassed(_ now: MonotonicTime, _ actions: inout [Action]) {
        if let lookAroundEndsAt, now >= lookAroundEndsAt { return stopDiscovery(now, &actions) }
        if let discoveryEndsAt, now >= discoveryEndsAt, candidate == nil, let adapter {
            actions.append(.manage(.stopDiscovery(adapter.index)))
            return end(TransportError(.timedOut, "no receiver in range"), .notFound, &actions)
        }
        guard case .discovering(var discovery) = state else { return }
        let action = discovery.timePassed(at: now)
        state = .discovering(discovery)
        perform(action, now, &actions)
    }

    private mutating func openTimePassed(_ now: MonotonicTime, _ actions: inout [Action]) {
        perform(client.handle(.timePassed, at: now), now, &actions)
        guard state == .open, let adapter, let device else { return }
        if let signalCall {
            guard now >= signalCall.dueAt else { return }
            self.signalCall = nil
            signalDueAt = now.advanced(by: Self.signalInterval)
        } else if let signalDueAt, now >= signalDueAt {
            let call = MgmtCall(.readConnectionInformation(adapter.index, device), at: now)
            (signalCall, self.signalDueAt) = (call, nil)
            actions.append(.manage(call.command))
        }
    }

    // MARK: - The end

    private mutating func close(_ now: MonotonicTime, _ actions: inout [Action]) {
        let error = TransportError(.cancelled, "closed by the gateway")
        switch state {
        case .preparing: disconnect(error, .cancelled, now, &actions)
        case .open: disconnect(error, lossOutcome(endedSilently: true), now, &actions)
        case .discovering:
            if let adapter { actions.append(.manage(.stopDiscovery(adapter.index))) }
            end(error, .cancelled, &actions)
        case .disconnecting: break  // Under way.
        case .idle, .settingUp, .resetting, .clearing, .pausing, .stoppingDiscovery, .connecting, .ended:
            closePending(&actions)
            end(error, .cancelled, &actions)
        }
    }

    /// Ends a link that stands, so that the receiver advertises again at once.
    private mutating func disconnect(
        _ error: TransportError, _ outcome: LinkOutcome, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard isPrivileged, let adapter, let device else { return end(error, outcome, lingers: true, &actions) }
        let call = MgmtCall(.disconnect(adapter.index, device), at: now, limit: Self.disconnectLimit)
        state = .disconnecting(call, error, outcome)
        actions.append(.manage(call.command))
    }

    private mutating func end(
        _ error: TransportError, _ outcome: LinkOutcome, lingers: Bool = false, _ actions: inout [Action]
    ) {
        guard state != .ended else { return }
        state = .ended
        closePending(&actions)
        if let channel { actions.append(.closeChannel(channel)) }
        channel = nil
        actions.append(.ended(error, outcome, lingers: lingers))
    }
}

extension LinkAttempt.Target {
    /// Is this device the one that is looked for? A device that only a name tells is not known by its address.
    fileprivate func holds(_ device: LEAddress) -> Bool {
        switch self {
        case .known(let addresses): addresses.contains(device)
        case .discover(let filter): filter.address == device.address
        }
    }
}

extension FoundDevice {
    /// A later report may bring the name that an earlier one lacked.
    mutating func merge(_ later: FoundDevice) {
        if later.data.name != nil || data.name == nil { data = later.data }
        rssiDBm = later.rssiDBm ?? rssiDBm
    }
}
