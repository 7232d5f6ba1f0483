public import Gateway
public import GatewayReports
public import ReceiverProtocol

/// One attempt at a link, from the choice of the adapter to the end of the link: events in, actions out.
///
/// Its owner opens sockets, carries packets and keeps the time. A machine serves one attempt; ``LinkLadder`` decides
/// what the next attempt does differently.
public struct LinkMachine: Sendable {
    public enum Event: Equatable, Sendable {
        /// Always the first event; later ones change nothing.
        case start
        /// The answer to ``Action/listAdapters``.
        case adapters([PresentAdapter])
        case management(MgmtEvent)
        /// The mgmt socket failed, for the given reason.
        case managementFailed(String)
        case channelOpened(ChannelID)
        /// The channel could not be opened, or it ended.
        case channelFailed(ChannelID, ChannelFault)
        case received(ChannelID, [UInt8])
        /// A write with its id, which comes back in ``Action/writeFinished(_:_:)``.
        case write(UInt64, [UInt8])
        /// The gateway no longer wants the link.
        case close
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        /// Asks for the adapters that are present; the owner answers with ``Event/adapters(_:)``.
        case listAdapters
        case manage(MgmtCommand)
        /// Opens an ATT channel from the adapter with this address. The channel stays pending until the device appears.
        case openChannel(ChannelID, from: BluetoothAddress, to: LEAddress)
        case closeChannel(ChannelID)
        case send([UInt8])
        /// Reads the adapter's error counters and reports them.
        case readCounters(AdapterIndex)
        case opened(OpenedLink)
        case frames([UInt8])
        case writeFinished(UInt64, TransportError?)
        case report(LinkReport)
        /// The last action. `lingers`: whether the radio link may live on for a while.
        case ended(TransportError, LinkOutcome, lingers: Bool)
    }

    /// Identifies a channel within an attempt.
    public struct ChannelID: Hashable, Sendable {
        public let value: Int
    }

    /// A link that is ready for frames and commands.
    public struct OpenedLink: Equatable, Sendable {
        public var device: LEAddress
        /// The advertised name; nil if the device was connected without a scan.
        public var name: String?
        public var rssiDBm: Int?
        public var session: GATTClient.Session
    }

    /// How long a device that was heard may take to accept a connection: a few of its advertising intervals.
    static let connectLimit = Duration.seconds(10)
    /// How long to listen for other receivers after the first.
    static let lookAroundTime = Duration.seconds(1)
    /// How long the kernel may take to end a link at our request.
    static let disconnectLimit = Duration.milliseconds(2500)
    /// The time between two readings of the link's signal strength and the adapter's counters.
    static let signalInterval = Duration.seconds(30)
    /// The smallest MTU that carries the frames of firmware 3 whole: 95 to 100 bytes and the packet's header of 3.
    static let roomyMTU = 103

    enum State: Equatable, Sendable {
        case idle
        /// Finds the adapter and switches it on. Next: clearing.
        case settingUp(AdapterSetup)
        /// Asks for the connected devices and ends an old link to the receiver. Next: pausing, connecting or
        /// discovering; settingUp if a repair is due.
        case clearing(MgmtCall, [LEAddress])
        /// Waits for the end of an old link. Next: connecting or discovering.
        case pausing(until: MonotonicTime)
        /// Scans. Next: stoppingDiscovery after the first receiver.
        case discovering(Discovery)
        /// Next: connecting.
        case stoppingDiscovery(MgmtCall)
        /// Waits for one of the pending channels to open. Next: preparing.
        case connecting(until: MonotonicTime?)
        /// A channel is open, and the GATT client prepares it. Next: open.
        case preparing
        case open
        /// We end the link. Next: ended.
        case disconnecting(MgmtCall, TransportError, LinkOutcome)
        case ended
    }

    let attempt: LinkAttempt
    let choice: AdapterChoice
    let blocked: Set<AdapterIndex>
    var state = State.idle
    var adapter: Adapter?
    var client = GATTClient()
    var isRepairDue: Bool
    var discoveryEndsAt: MonotonicTime?
    var lookAroundEndsAt: MonotonicTime?
    var passedOver: Set<LEAddress> = []
    var candidate: FoundDevice?
    var pending: [ChannelID: LEAddress] = [:]
    var channel: ChannelID?
    var device: LEAddress?
    var hasFrames = false
    var isPrivileged = true
    var signalCall: MgmtCall?
    var signalDueAt: MonotonicTime?
    var rssiDBm: Int?

    /// - Parameter blocked: the adapters that rfkill has switched off.
    public init(_ attempt: LinkAttempt, adapter choice: AdapterChoice, blocked: Set<AdapterIndex> = []) {
        self.attempt = attempt
        self.choice = choice
        self.blocked = blocked
        isRepairDue = attempt.rung == .powerCycle
    }

    /// The next instant at which ``Event/timePassed`` has an effect; nil if it has none.
    public var deadline: MonotonicTime? {
        switch state {
        case .idle, .ended: nil
        case .settingUp(let setup): setup.deadline
        case .pausing(let until): until
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
            let isSure = attempt.rung == .powerCycle && !attempt.sparesOthers
            setUp(isSure ? .cyclePower : .use, at: now, &actions)
        case .adapters(let present):
            guard case .settingUp(var setup) = state else { break }
            let action = setup.listed(present, at: now)
            state = .settingUp(setup)
            perform(action, at: now, &actions)
        case .management(let event): handle(event, at: now, &actions)
        case .managementFailed(let why):
            end(
                TransportError(.inputOutput, "the kernel's Bluetooth interface is gone: \(why)"),
                outcome: .adapterTrouble,
                &actions)
        case .channelOpened(let id): channelOpened(id, at: now, &actions)
        case .channelFailed(let id, let fault): channelFailed(id, with: fault, &actions)
        case .received(channel, let bytes): perform(client.handle(.received(bytes), at: now), at: now, &actions)
        case .received: break  // The channel is closed by now.
        case .write(let id, let bytes): perform(client.handle(.write(id, bytes), at: now), at: now, &actions)
        case .close: close(at: now, &actions)
        case .timePassed: timePassed(at: now, &actions)
        }
        return actions
    }

    // MARK: - Events of the kernel

    mutating func handle(_ event: MgmtEvent, at now: MonotonicTime, _ actions: inout [Action]) {
        if let adapter {
            if event == .adapterRemoved(adapter.index) {
                return end(
                    TransportError(.closedByPeer, "the adapter \(adapter.index) was unplugged"), outcome: adapterGone,
                    &actions)
            }
            if case .settingsChanged(adapter.index, let settings) = event, !settings.contains(.powered), !isSettingUp {
                return end(Self.switchedOff, outcome: adapterGone, &actions)
            }
        }
        switch state {
        case .settingUp(var setup):
            let action = setup.handle(event, at: now)
            state = .settingUp(setup)
            perform(action, at: now, &actions)
        case .clearing(let call, let rest):
            guard let adapter, let (status, data) = call.answer(in: event) else { break }
            if call.command == .readConnections(adapter.index) {
                connectionsRead(status, data: data, of: adapter, at: now, &actions)
            } else {
                endOldLinks(rest, on: adapter, at: now, &actions)
            }
        case .discovering(var discovery):
            let action = discovery.handle(event, at: now)
            state = .discovering(discovery)
            perform(action, at: now, &actions)
        case .stoppingDiscovery(let call):
            // The status does not matter: the kernel refuses if another program runs the discovery.
            if call.answer(in: event) != nil { connectToCandidate(at: now, &actions) }
        case .open:
            guard let (status, data) = signalCall?.answer(in: event) else { break }
            signalCall = nil
            signalRead(status, data: data, at: now, &actions)
        case .disconnecting(let call, let error, let outcome):
            guard let (status, _) = call.answer(in: event) else { break }
            end(error, outcome: outcome, lingers: ![.success, .notConnected, .disconnected].contains(status), &actions)
        case .idle, .pausing, .connecting, .preparing, .ended: break  // No command is in flight.
        }
    }

    /// The outcome if the adapter disappears: a link that carried frames counts as served, any other as `unavailable`.
    /// Neither asks for a repair.
    var adapterGone: LinkOutcome { hasFrames ? .served(endedSilently: false) : .unavailable }

    var isSettingUp: Bool {
        if case .settingUp = state { true } else { false }
    }

    mutating func connectToCandidate(at now: MonotonicTime, _ actions: inout [Action]) {
        guard let candidate else { return }
        connect(to: [candidate.address], until: now.advanced(by: Self.connectLimit), at: now, &actions)
    }

    // MARK: - Time

    mutating func timePassed(at now: MonotonicTime, _ actions: inout [Action]) {
        switch state {
        case .idle, .ended: break  // These states have no deadline.
        case .settingUp(var setup):
            let action = setup.timePassed(at: now)
            state = .settingUp(setup)
            perform(action, at: now, &actions)
        case .pausing(let until):
            if now >= until { lookForReceiver(at: now, &actions) }
        case .clearing(let call, let rest):
            guard now >= call.dueAt, let adapter else { break }
            endOldLinks(rest, on: adapter, at: now, &actions)
        case .discovering: discoveryTimePassed(at: now, &actions)
        case .stoppingDiscovery(let call):
            if now >= call.dueAt { connectToCandidate(at: now, &actions) }
        case .connecting(let until):
            guard let until, now >= until else { break }
            closePending(&actions)
            end(
                TransportError(
                    .timedOut,
                    candidate == nil ? "the receiver is not in range" : "the receiver is heard but takes no connection"),
                outcome: candidate == nil ? .notFound : .failed, &actions)
        case .preparing: perform(client.handle(.timePassed, at: now), at: now, &actions)
        case .open: openTimePassed(at: now, &actions)
        case .disconnecting(let call, let error, let outcome):
            if now >= call.dueAt { end(error, outcome: outcome, lingers: true, &actions) }
        }
    }

    mutating func discoveryTimePassed(at now: MonotonicTime, _ actions: inout [Action]) {
        if let lookAroundEndsAt, now >= lookAroundEndsAt { return stopDiscovery(at: now, &actions) }
        if let discoveryEndsAt, now >= discoveryEndsAt, let adapter {
            actions.append(.manage(.stopDiscovery(adapter.index)))
            return end(TransportError(.timedOut, "no receiver in range"), outcome: .notFound, &actions)
        }
        guard case .discovering(var discovery) = state else { return }
        let action = discovery.timePassed(at: now)
        state = .discovering(discovery)
        perform(action, at: now, &actions)
    }

    mutating func openTimePassed(at now: MonotonicTime, _ actions: inout [Action]) {
        perform(client.handle(.timePassed, at: now), at: now, &actions)
        guard state == .open, let adapter, let device else { return }
        if let signalCall {
            guard now >= signalCall.dueAt else { return }
            self.signalCall = nil
            signalDueAt = now.advanced(by: Self.signalInterval)
        } else if let signalDueAt, now >= signalDueAt {
            actions.append(.readCounters(adapter.index))
            guard isPrivileged else { return self.signalDueAt = now.advanced(by: Self.signalInterval) }
            let call = MgmtCall(.readConnectionInformation(adapter.index, device), at: now)
            (signalCall, self.signalDueAt) = (call, nil)
            actions.append(.manage(call.command))
        }
    }
}
