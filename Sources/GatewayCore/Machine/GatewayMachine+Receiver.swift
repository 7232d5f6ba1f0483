import ReceiverProtocol

// The receiver's side: its link and its frames.

extension GatewayMachine {
    /// Seconds from a link's first valid frame to the request for its settings.
    private static let settingsDelay = 0.5

    mutating func linkOpened(_ peer: ReceiverPeer, _ now: Moment, _ actions: inout [GatewayAction]) {
        let before = link.state
        link.opened(peer, at: now.monotonic)
        channels.linkOpened()
        frequencySync.linkOpened()
        if hasHadLink { counters.reconnects += 1 }
        hasHadLink = true
        actions.append(.note(GatewayNote(.info, "link open, waiting for frames", ["receiver": peer.name])))
        linkMayHaveChanged(from: before, now, &actions)
    }

    mutating func linkFailed(_ error: TransportError, _ now: Moment, _ actions: inout [GatewayAction]) {
        counters.linkLosses[error.code.rawValue, default: 0] += 1
        telemetry(.receiverAnswered, now, &actions)
    }

    mutating func linkClosed(_ loss: LinkLoss, _ now: Moment, _ actions: inout [GatewayAction]) {
        if loss == .stopping { isStopping = true }
        guard link.isOpen else { return }
        let before = link.state
        link.closed()
        settingsRequestAt = nil
        counters.linkLosses[loss.code, default: 0] += 1
        identity.giveUp()
        commands.linkOffline()
        if before == .notConnected {
            actions.append(.note(GatewayNote(.info, "link ended without a frame", ["why": loss.explanation])))
        } else {
            announce(
                "receiver_lost", "Receiver lost: \(loss.explanation).", reason: loss.code,
                level: loss == .stopping ? .info : .warning, now, &actions)
        }
        linkMayHaveChanged(from: before, now, &actions)
    }

    mutating func linkReported(_ report: LinkReport, _ now: Moment, _ actions: inout [GatewayAction]) {
        switch report {
        case .signal(let rssi):
            link.measured(rssiDBm: rssi)
            publishState(now, &actions)
        case .repairing(let repair, let seconds):
            counters.linkRepairs[repair, default: 0] += 1
            let facts: KeyValuePairs = ["repair": repair.rawValue, "without_link_s": "\(Int(seconds))"]
            // Once per outage is news; a broken adapter is repaired every few seconds.
            guard repair.isOfAdapter, announcedRepairs.insert(repair).inserted else {
                return actions.append(.note(GatewayNote(.info, "looking for the receiver", facts)))
            }
            let what = repair == .powerCycle ? "switched off and on" : "reset"
            announce(
                "adapter_repaired", "No receiver for \(Int(seconds)) seconds: the Bluetooth adapter is \(what).",
                reason: repair.rawValue, level: .warning, now, &actions)
        case .advice(let text): announce("advice", text, level: .error, now, &actions)
        case .passedOver(let name, let address):
            let facts: KeyValuePairs = ["name": name, "address": address]
            actions.append(
                .note(GatewayNote(.notice, "another receiver is in range; receiver.address would choose it", facts)))
        case .smallMTU(let mtu):
            announce(
                "small_packets",
                "The receiver's Bluetooth packets hold \(mtu - 3) bytes only: long frames come in pieces or cut.",
                level: .warning, now, &actions)
        }
    }

    /// The liveness timer: tears down a link on which no valid frame came in time.
    mutating func checkSilence(_ now: Moment, _ actions: inout [GatewayAction]) {
        guard let deadline = link.silenceDeadline, now.monotonic >= deadline else { return }
        actions.append(.closeLink(.silent))
        linkClosed(.silent, now, &actions)
    }

    mutating func received(_ frame: Frame, _ now: Moment, _ actions: inout [GatewayAction]) {
        // A frame that was still on its way when its link was torn down.
        guard link.isOpen else { return }
        counters.frames[frame.kind, default: 0] += 1
        switch frame {
        case .radio(let radio): received(radio, now, &actions)
        case .configuration(let configuration): received(configuration, now, &actions)
        case .rawPacket: linkHeard(hasPlausiblePosition: false, now, &actions)
        }
        perform(commands.received(frame, at: now.monotonic), now, &actions)
    }

    private mutating func received(_ radio: RadioFrame, _ now: Moment, _ actions: inout [GatewayAction]) {
        let firmwareChanged = lastRadio?.firmware != radio.firmware
        lastHeard = HeardFrame(radio, at: now)
        var hasPosition = false
        switch radio.position {
        case .plausible:
            let heard = HeardFrame(radio, at: now)
            switch identity.offer(heard) {
            case .deliver: hasPosition = deliver(heard, now, &actions)
            case .hold: break  // Delivered with the frame that confirms the sonde.
            case .change(let old, let new, let frames):
                sondeChanged(from: old, to: new, radio.sondeType, now, &actions)
                for heard in frames { hasPosition = deliver(heard, now, &actions) || hasPosition }
            }
        case .implausible(let fault):
            refusePosition(fault.rawValue, &actions)
            deliver(HeardFrame(radio, at: now), now, &actions)
        case nil: deliver(HeardFrame(radio, at: now), now, &actions)
        }
        linkHeard(hasPlausiblePosition: hasPosition, now, &actions)
        if firmwareChanged { publishState(now, &actions) }
    }

    private mutating func received(
        _ configuration: ReceiverConfiguration, _ now: Moment, _ actions: inout [GatewayAction]
    ) {
        lastConfiguration = configuration
        publishLive(
            OutgoingMessage(
                topic: topics.settings, payload: SettingsReport(configuration: configuration, receivedAt: now).payload,
                isRetained: true),
            &actions)
        if configuration.nameType == 1, !hasWarnedOfAPRSNames {
            hasWarnedOfAPRSNames = true
            announce(
                "aprs_names",
                "The receiver shows APRS names; set aprsName to 0 for serials that match SondeHub's.",
                level: .warning, now, &actions)
        }
        linkHeard(hasPlausiblePosition: false, now, &actions)
    }

    /// Publishes a frame's reports. Returns true when it gave a position.
    @discardableResult
    private mutating func deliver(_ heard: HeardFrame, _ now: Moment, _ actions: inout [GatewayAction]) -> Bool {
        let reports = channels.reports(for: heard)
        if reports.isJump { refusePosition(GatewayCounters.jump, &actions) }
        if let position = reports.position {
            publish(position, now, &actions)
            record(position, now, &actions)
        }
        publish(reports.radio, now, &actions)
        return reports.position != nil
    }

    private mutating func refusePosition(_ reason: String, _ actions: inout [GatewayAction]) {
        counters.reject(reason)
        actions.append(.note(GatewayNote(.info, "position refused: \(reason)")))
    }

    /// A valid frame of any kind came on the open link.
    private mutating func linkHeard(hasPlausiblePosition: Bool, _ now: Moment, _ actions: inout [GatewayAction]) {
        let before = link.state
        if link.lastFrameAt == nil { settingsRequestAt = now.monotonic.advanced(by: Self.settingsDelay) }
        link.received(hasPlausiblePosition: hasPlausiblePosition, at: now.monotonic)
        linkMayHaveChanged(from: before, now, &actions)
    }

    /// Everything that hangs on the link's state.
    mutating func linkMayHaveChanged(
        from before: ReceiverLink.State, _ now: Moment, _ actions: inout [GatewayAction]
    ) {
        guard link.state != before else { return }
        if before == .notConnected, let peer = link.peer {
            announcedRepairs = []
            announce(
                "receiver_online", "Receiver \(peer.name) online\(firmwareText).", level: .notice, now, &actions)
            perform(
                commands.linkOnline(maximumWriteLength: peer.maximumWriteLength, at: now.monotonic), now, &actions)
        }
        if (before == .notConnected) != (link.state == .notConnected) { publishReceiverState(now, &actions) }
        if before == .dataReady { receiverSilentSince = lastPositionAt }
        if link.canReceiveCommands, !link.hasTelemetry { telemetry(.receiverAnswered, now, &actions) }
        telemetry(.receiverTelemetry(link.hasTelemetry), now, &actions)
        publishState(now, &actions)
    }

    private var firmwareText: String { lastRadio?.firmware.map { ", firmware \($0)" } ?? "" }
}
