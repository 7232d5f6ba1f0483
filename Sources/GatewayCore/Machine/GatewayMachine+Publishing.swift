import ReceiverProtocol

// What goes to the broker. Without a session nothing is sent, and the newest of each retained topic is kept.

extension GatewayMachine {
    mutating func brokerConnected(_ now: Moment, _ actions: inout [GatewayAction]) {
        isBrokerConnected = true
        publish(
            OutgoingMessage(topic: topics.bridgeState, payload: Array("online".utf8), isRetained: true), &actions)
        publishReceiverState(now, &actions)
        publishDiscovery(&actions)
        publishState(anew: true, now, &actions)
        for topic in newest.steady.keys.sorted() where topic != topics.receiverState && topic != topics.state {
            if let message = newest.steady[topic] { publish(message, &actions) }
        }
        if let position = newest.position { publish(position, anew: true, now, &actions) }
        if let radio = newest.radio { publish(radio, now, &actions) }
    }

    mutating func brokerDisconnected() {
        if isBrokerConnected { counters.brokerOutages += 1 }
        isBrokerConnected = false
    }

    /// - Parameter anew: it has been published or spooled before.
    mutating func publish(
        _ report: PositionReport, anew: Bool = false, _ now: Moment, _ actions: inout [GatewayAction]
    ) {
        newest.position = report
        guard let expiry = NewestMessages.remaining(of: report.receivedAt, at: now.monotonic) else { return }
        publish(
            OutgoingMessage(
                topic: topics.position, payload: report.payload(at: now.monotonic), isRetained: true,
                expirySeconds: expiry, historyTopic: anew ? nil : topics.history(of: topics.position)),
            &actions)
        publish(
            OutgoingMessage(
                topic: topics.tracker, payload: report.trackerPayload, isRetained: true, expirySeconds: expiry),
            &actions)
    }

    mutating func publish(_ report: RadioReport, _ now: Moment, _ actions: inout [GatewayAction]) {
        newest.radio = report
        guard let expiry = NewestMessages.remaining(of: report.receivedAt, at: now.monotonic) else { return }
        publish(
            OutgoingMessage(topic: topics.radio, payload: report.payload, isRetained: true, expirySeconds: expiry),
            &actions)
    }

    mutating func publishReceiverState(_ now: Moment, _ actions: inout [GatewayAction]) {
        let word = link.canReceiveCommands ? "online" : "offline"
        publishLive(
            OutgoingMessage(topic: topics.receiverState, payload: Array(word.utf8), isRetained: true), &actions)
    }

    /// Publishes what has changed; `anew` also what hasn't.
    mutating func publishState(anew: Bool = false, _ now: Moment, _ actions: inout [GatewayAction]) {
        var json = JSONText()
        json.field("state", telemetryState.state.rawValue)
        json.field("since", telemetryState.since.wall)
        json.field("reason", telemetryState.reason.rawValue)
        json.field("source", telemetryState.source?.rawValue)
        json.field("phase", phase.phase.rawValue)
        json.field("phase_reason", phase.reason?.rawValue)
        json.field("link", link.state.rawValue)
        json.field("receiver") { inner in
            inner.field("name", link.peer?.name)
            inner.field("address", link.peer?.address)
            inner.field("rssi_dbm", link.peer?.rssiDBm)
            inner.field("firmware", link.isOpen ? lastRadio?.firmware ?? lastConfiguration?.firmware : nil)
        }
        json.field("serial", identity.current?.canonical)
        json.field("sondehub") { inner in
            let lastOK = telemetryState.lastGoodAnswer
            inner.field("available", telemetryState.isSondeHubAvailable)
            inner.field("last_ok", lastOK?.wall)
            inner.field("age_ms", lastOK.map { Int(now.monotonic.milliseconds(since: $0.monotonic)) })
            inner.field("poll_s", poll.settings.isEnabled ? Int(poll.interval) : nil)
        }
        let message = OutgoingMessage(topic: topics.state, payload: json.object, isRetained: true)
        if anew || newest.steady[topics.state] != message { publishLive(message, &actions) }
    }

    /// An event: one of the documented set, with a text fit to be read aloud.
    mutating func announce(
        _ event: String, _ text: String, reason: String? = nil, level: GatewayNote.Level, _ now: Moment,
        _ actions: inout [GatewayAction], _ details: (inout JSONText) -> Void = { _ in }
    ) {
        var json = JSONText()
        json.field("event", event)
        json.field("at", now.wall)
        json.field("text", text)
        if let reason { json.field("reason", reason) }
        details(&json)
        actions.append(.note(GatewayNote(level, text)))
        publish(
            OutgoingMessage(topic: topics.event, payload: json.object, historyTopic: topics.history(of: topics.event)),
            &actions)
    }

    mutating func publishHealth(_ health: ProcessHealth, _ now: Moment, _ actions: inout [GatewayAction]) {
        var json = JSONText()
        json.field("at", now.wall)
        json.field("uptime_s", Int(now.monotonic.milliseconds(since: startedAt.monotonic) / 1000))
        json.field("memory_rss_bytes", health.residentBytes)
        json.field("memory_anonymous_bytes", health.anonymousBytes)
        json.field("clock_synced", now.isClockSynced)
        json.field("frames") { inner in
            for kind in FrameKind.allCases { inner.field("type_\(kind.rawValue)", counters.frames[kind] ?? 0) }
        }
        json.field("rejects") { inner in
            for reason in GatewayCounters.rejectReasons { inner.field(reason, counters.rejects[reason] ?? 0) }
            inner.field(GatewayCounters.unconfirmedSonde, identity.unconfirmed)
        }
        json.field("reconnects", counters.reconnects)
        json.field("link_losses") { inner in
            for (reason, count) in counters.linkLosses.sorted(by: { $0.key < $1.key }) { inner.field(reason, count) }
        }
        json.field("link_repairs") { inner in
            for repair in LinkRepair.allCases { inner.field(repair.rawValue, counters.linkRepairs[repair] ?? 0) }
        }
        json.field("broker_outages", counters.brokerOutages)
        json.field("queue_depth", health.queueDepth)
        json.field("superseded", health.superseded)
        json.field("spool") { inner in
            inner.field("depth", health.spoolDepth)
            inner.field("replayed", health.replayed)
            inner.field("dropped", health.dropped)
        }
        json.field("incoming_dropped", health.incomingDropped)
        json.field("command_queue_depth", commands.depth)
        json.field("commands") { inner in
            for (status, count) in counters.commands.sorted(by: { $0.key < $1.key }) { inner.field(status, count) }
        }
        json.field("sondehub_calls", poll.calls)
        json.field("sondehub_errors") { inner in
            for (reason, count) in counters.sondeHubErrors.sorted(by: { $0.key < $1.key }) {
                inner.field(reason, count)
            }
        }
        publishLive(
            OutgoingMessage(topic: topics.health, payload: json.object, qos: 0, isRetained: true), &actions)
    }

    /// Publishes a retained message and keeps it for the next session.
    mutating func publishLive(_ message: OutgoingMessage, _ actions: inout [GatewayAction]) {
        newest.keep(message)
        publish(message, &actions)
    }

    /// Without a session the newest of each retained topic is kept for the next one, and what has a history is spooled.
    mutating func publish(_ message: OutgoingMessage, _ actions: inout [GatewayAction]) {
        if isBrokerConnected {
            actions.append(.publish(message))
        } else if message.historyTopic != nil {
            actions.append(.spool(message))
        }
    }

    mutating func publishDiscovery(_ actions: inout [GatewayAction]) {
        guard let discovery else { return }
        publish(discovery.message(frequencies: decoder.policy.frequencyRange), &actions)
    }

    mutating func storeChanged(_ failure: StoreError?, _ now: Moment, _ actions: inout [GatewayAction]) {
        guard let failure else {
            return announce("store_recovered", "The store works again.", level: .notice, now, &actions)
        }
        announce(
            "store_failed",
            "The store does not work (\(failure.detail)): recording stops, live data goes on.",
            reason: failure.code.rawValue, level: .error, now, &actions)
    }
}
