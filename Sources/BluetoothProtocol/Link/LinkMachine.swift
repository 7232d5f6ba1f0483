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

    /// For a device that was heard to accept a connection: a few of its advertising intervals.
    static let connectLimit = Duration.seconds(10)
    /// To go on listening for other receivers.
    static let lookAroundTime = Duration.seconds(1)
    /// For the kernel to end a link that we want ended.
    static let disconnectLimit = Duration.milliseconds(2500)
    /// For an adapter to come back after its reset.
    static let resetTime = Duration.seconds(3)
    /// Between two readings of the link's own signal strength.
    static let signalInterval = Duration.seconds(30)
    /// A link with smaller packets cuts the frames of firmware 3 (95 to 100 bytes, and the packet's head of 3).
    static let roomyMTU = 103

    enum State: Equatable, Sendable {
        case idle
        /// Finding the adapter, switching it on. To clearing.
        case settingUp(AdapterSetup)
        /// The adapter is away and comes back. To settingUp.
        case resetting(until: MonotonicTime)
        /// Asks who is connected; an old link to the receiver is ended. To pausing, connecting or discovering, or to
        /// settingUp for a repair.
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
            setUp(isReset ? .locate : isSure ? .cyclePower : .use, at: now, &actions)
        case .management(let event): handle(event, at: now, &actions)
        case .managementFailed(let why):
            end(
                TransportError(.inputOutput, "the kernel's Bluetooth interface is gone: \(why)"),
                outcome: .adapterTrouble,
                &actions)
        case .channelOpened(let id): channelOpened(id, at: now, &actions)
        case .channelFailed(let id, let fault): channelFailed(id, with: fault, &actions)
        case .received(channel, let bytes): perform(client.handle(.received(bytes), at: now), at: now, &actions)
        case .received: break  // From a channel that is closed by now.
        case .resetDone(let failure):
            if let failure { actions.append(.report(.advice("The Bluetooth adapter can't be reset: \(failure)."))) }
        case .write(let id, let bytes): perform(client.handle(.write(id, bytes), at: now), at: now, &actions)
        case .close: close(at: now, &actions)
        case .timePassed: timePassed(at: now, &actions)
        }
        return actions
    }

    // MARK: - What the kernel tells

    mutating func handle(_ event: MgmtEvent, at now: MonotonicTime, _ actions: inout [Action]) {
        if let adapter {
            if event == .adapterRemoved(adapter.index), !isResetting {
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
            // Whatever it says: in another program's discovery there is nothing of ours to stop.
            if call.answer(in: event) != nil { connectToCandidate(at: now, &actions) }
        case .open:
            guard let (status, data) = signalCall?.answer(in: event) else { break }
            signalCall = nil
            signalRead(status, data: data, at: now, &actions)
        case .disconnecting(let call, let error, let outcome):
            guard let (status, _) = call.answer(in: event) else { break }
            end(error, outcome: outcome, lingers: ![.success, .notConnected, .disconnected].contains(status), &actions)
        case .idle, .resetting, .pausing, .connecting, .preparing, .ended: break  // Nothing was asked.
        }
    }

    /// A link that served ends well whatever ended it; without frames there is nothing to repair either.
    var adapterGone: LinkOutcome { hasFrames ? .served(endedSilently: false) : .unavailable }

    var isResetting: Bool {
        if case .resetting = state { true } else { false }
    }

    var isSettingUp: Bool {
        if case .settingUp = state { true } else { isResetting }
    }

    mutating func connectToCandidate(at now: MonotonicTime, _ actions: inout [Action]) {
        guard let candidate else { return }
        connect(to: [candidate.address], until: now.advanced(by: Self.connectLimit), at: now, &actions)
    }

    // MARK: - Time

    mutating func timePassed(at now: MonotonicTime, _ actions: inout [Action]) {
        switch state {
        case .idle, .ended: break  // No deadline.
        case .settingUp(var setup):
            let action = setup.timePassed(at: now)
            state = .settingUp(setup)
            perform(action, at: now, &actions)
        case .resetting(let until):
            if now >= until { setUp(.use, at: now, &actions) }
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
            let call = MgmtCall(.readConnectionInformation(adapter.index, device), at: now)
            (signalCall, self.signalDueAt) = (call, nil)
            actions.append(.manage(call.command))
        }
    }
}
