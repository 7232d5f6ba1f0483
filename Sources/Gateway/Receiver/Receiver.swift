import FlightMath
import GatewayReports
import ReceiverProtocol

/// The receiver's state: its link, the sonde that it hears, its last frame and settings.
struct Receiver: Sendable {
    private(set) var link = ReceiverLink()
    private var identity = SondeIdentity()
    /// The last radio frame on this link.
    private(set) var lastHeard: HeardFrame?
    /// When the last radio frame arrived, on any link.
    private(set) var heardAt: Moment?
    /// When the last frame of any sonde arrived, on any link: a type 1 or 2.
    private(set) var sondeHeardAt: MonotonicTime?
    private(set) var settings: SettingsReport?
    private(set) var frames: [FrameKind: Int] = [:]
    /// The frames with more than 100 % of charge.
    private(set) var clamped = 0
    private(set) var linkLosses: [String: Int] = [:]
    /// The number of attempts after the first, by their repair.
    private(set) var linkRepairs: [LinkRepair: Int] = [:]
    /// The Bluetooth adapter's counters as last reported; nil over a cable.
    private(set) var adapterCounters: AdapterCounters?
    /// The number of links since the start.
    private(set) var session = 0
    private(set) var hasAnswered = false
    /// When the first valid frame of this run arrived.
    private(set) var firstFrameAt: MonotonicTime?
    private var told = Told()
    private var battery = BatteryWatch()
    private var restarts = RestartWatch()
    private var log = ReceiverLog()
    /// The newest link is one of Bluetooth.
    private var isByRadio = false
    private var absence = DeviceAbsence()

    /// What people were told, and need not be told again.
    private struct Told: Sendable {
        /// The sonde's names are those of APRS.
        var aprsNames = false
        /// The adapter was repaired, since the receiver was last online.
        var repair = false
        var firmware: String?
    }

    var unconfirmed: Int { identity.unconfirmed }
    var deadline: MonotonicTime? { .earliest(link.deadline, restarts.deadline) }
    /// The firmware by the frames of the open link; nil if unknown.
    var firmware: String? { link.isOpen ? lastHeard?.frame.firmware ?? settings?.configuration.firmware : nil }

    /// The receiver's frequency and type; nil while it accepts no commands.
    var listening: Listening? {
        guard link.state != .notConnected, let frame = lastHeard?.frame, let frequency = frame.frequencyMHz else {
            return nil
        }
        return Listening(frequencyMHz: frequency, sondeType: frame.sondeType)
    }

    // MARK: - The link

    mutating func linkOpened(_ peer: ReceiverPeer, _ turn: inout Turn) {
        if link.isOpen { linkClosed(.transport(TransportError(.closedByPeer, "a new link began")), &turn) }
        link.opened(peer, at: turn.now.monotonic)
        isByRadio = peer.address != nil
        absence = DeviceAbsence()
        lastHeard = nil
        battery.linkOpened(at: turn.now.monotonic)
        session += 1
        turn.note(.info, "link open, waiting for frames", facts: ["receiver": peer.name])
    }

    mutating func linkFailed(_ error: TransportError, _ turn: inout Turn) {
        linkLosses[error.code.rawValue, default: 0] += 1
        hasAnswered = true
        if absence.attemptFailed(error, at: turn.now.monotonic) { turn.announce(.advice(.plugIn)) }
    }

    mutating func linkClosed(_ loss: LinkLoss, _ turn: inout Turn) {
        guard link.isOpen else { return }
        let hadFrames = link.state != .notConnected
        if hadFrames, loss != .stopping { note(.lost, &turn) }
        link.closed()
        identity.giveUp()
        hasAnswered = true
        if loss != .stopping { linkLosses[loss.code, default: 0] += 1 }
        if loss == .stopping {
            turn.note(.info, "link closed", facts: ["why": loss.explanation])
        } else if hadFrames {
            announce(.receiverLost(loss), loss, &turn)
        } else {
            turn.note(.info, "link ended without a frame", facts: ["why": loss.explanation])
        }
    }

    mutating func linkReported(_ report: LinkReport, _ turn: inout Turn) {
        switch report {
        case .signal(let rssi): link.measured(rssiDBm: rssi)
        case .adapter(let counters): adapterCounters = counters
        case .repairing(let repair, let time):
            linkRepairs[repair, default: 0] += 1
            // Announce a repair once per outage: a broken adapter is repaired every few seconds.
            guard repair == .powerCycle, !told.repair else {
                let facts: KeyValuePairs = ["repair": repair.rawValue, "without_link_s": "\(time.components.seconds)"]
                return turn.note(.info, "looking for the receiver", facts: facts)
            }
            told.repair = true
            turn.announce(.adapterRepaired(withoutLink: time))
        case .advice(let advice): turn.announce(.advice(advice))
        case .passedOver(let name, let address):
            turn.note(
                .notice, "another receiver is in range; receiver.address would choose it",
                facts: ["name": name, "address": address])
        case .unreadable: linkLosses["unreadable", default: 0] += 1
        case .smallMTU(let mtu): turn.announce(.smallPackets(mtu: mtu))
        }
    }

    /// Closes a link without a valid frame in time. A position that is too old no longer counts as telemetry.
    mutating func timePassed(_ turn: inout Turn) {
        if link.checkFrameAge(at: turn.now.monotonic) {
            turn.closeLink(session, .silent)
            linkClosed(.silent, &turn)
        }
        link.checkPositionAge(at: turn.now.monotonic)
        if let loss = restarts.timePassed(turn.now.monotonic) { turn.say(.receiverLost(loss)) }
    }

    /// Announces that the receiver is away or back.
    private mutating func announce(_ change: Announcement, _ loss: LinkLoss?, _ turn: inout Turn) {
        let verdict = restarts.changed(loss, at: turn.now.monotonic)
        turn.announce(change, isSpoken: verdict == .said)
        if verdict == .advised { advise(&turn) }
    }

    /// The receiver's own text says that it has restarted.
    mutating func restarted(_ turn: inout Turn) {
        let now = turn.now.monotonic
        guard !link.isOpening(at: now), let verdict = restarts.booted(at: now) else { return }
        note(.restarted, &turn)
        if verdict == .advised { advise(&turn) }
    }

    private func advise(_ turn: inout Turn) {
        turn.announce(.advice(isByRadio ? .checkBattery : restarts.hasBootText ? .checkPower : .checkConnection))
    }

    // MARK: - Frames

    /// Decides to which sonde the frame belongs. The caller drops frames that arrive after their link was closed.
    mutating func identify(_ heard: HeardFrame) -> SondeIdentity.Verdict {
        lastHeard = heard
        heardAt = heard.at
        if heard.frame.kind != .noSonde { sondeHeardAt = heard.at.monotonic }
        return identity.offer(heard)
    }

    /// A valid frame of any kind arrived on the open link.
    /// - Parameter hasPosition: whether the frame counts as telemetry.
    mutating func received(_ frame: Frame, hasPosition: Bool, _ turn: inout Turn) {
        frames[frame.kind, default: 0] += 1
        firstFrameAt = firstFrameAt ?? turn.now.monotonic
        hasAnswered = true
        if case .configuration(let configuration) = frame { received(configuration, &turn) }
        if case .radio(let radio) = frame {
            if radio.battery?.isClamped == true { clamped += 1 }
            if let news = battery.follow(radio, at: turn.now.monotonic) { turn.announce(news) }
        }
        let wasConnected = link.state != .notConnected
        link.received(hasPlausiblePosition: hasPosition, at: turn.now.monotonic)
        if !wasConnected, let peer = link.peer {
            told.repair = false
            announce(.receiverOnline(name: peer.name, firmware: firmware), nil, &turn)
            note(.connected, &turn)
            if let firmware, firmware != told.firmware {
                told.firmware = firmware
                turn.note(.info, "the receiver's firmware", facts: ["known": Firmware.summary(of: firmware)])
            }
        }
    }

    private mutating func note(_ event: ReceiverEvent.Kind, _ turn: inout Turn) {
        log.note(event, lastHeard?.frame, firmware: firmware, at: turn.now.monotonic)
    }

    /// Records what has happened to the receiver.
    /// - Parameter serial: of the followed sonde; nil if it has no flight yet.
    mutating func record(inFlightOf serial: SondeSerial?, _ turn: inout Turn) {
        guard let serial else { return }
        if log.isNew(serial) {
            log.begin(serial)
            // The flight begins with the firmware, also if the link is older.
            if link.state != .notConnected { note(.connected, &turn) }
        }
        log.record(serial, &turn)
    }

    private mutating func received(_ configuration: ReceiverConfiguration, _ turn: inout Turn) {
        settings = SettingsReport(configuration: configuration, receivedAt: turn.now)
        if configuration[.nameType] == .integer(1), !told.aprsNames {
            told.aprsNames = true
            turn.announce(.aprsNames)
        }
    }
}
