import FlightMath
import ReceiverProtocol

extension HealthReport {
    /// The report in Prometheus' text format, version 0.0.4: base units, counters that end in `_total`.
    public var metrics: String {
        var text = MetricsText(prefix: "sondygo2mqtt_")
        addProcess(to: &text)
        addReceiver(to: &text)
        addBroker(to: &text)
        addServices(to: &text)
        return text.text
    }

    private func addProcess(to text: inout MetricsText) {
        text.gauge("uptime_seconds", help: "Seconds since the start.", Int(uptime.components.seconds))
        if let bytes = process.residentBytes { text.gauge("memory_resident_bytes", help: "Resident memory.", bytes) }
        if let bytes = process.anonymousBytes { text.gauge("memory_anonymous_bytes", help: "Anonymous memory.", bytes) }
        text.gauge("clock_synced", help: "1 while the wall clock is synchronised.", at.isClockSynced ? 1 : 0)
        text.gauge("other_gateway", help: "1 if another box uses this id.", otherGateway == nil ? 0 : 1)
        text.counter(
            "store_rows_left_out_total", help: "Rows of the store that could not be read.", process.rowsLeftOut)
        text.gauge("store_failed", help: "1 while the store records nothing.", storeFault == nil ? 0 : 1)
    }

    private func addReceiver(to text: inout MetricsText) {
        text.counters(
            "frames_total", help: "Frames of the receiver.", by: "type",
            FrameKind.allCases.map { ("\($0.rawValue)", frames[$0] ?? 0) })
        text.counters(
            "rejects_total", help: "Frames and positions that were refused.", by: "reason",
            Self.rejectReasons.map { ($0, rejects[$0] ?? 0) } + [("sonde_unconfirmed", unconfirmed)])
        text.counter("battery_clamped_total", help: "Frames with more than 100 % of charge.", clamped)
        text.counter("reconnects_total", help: "Links opened after the first.", reconnects)
        text.counters("link_losses_total", help: "Links that were lost.", by: "reason", linkLosses)
        text.counters(
            "link_repairs_total", help: "Repairs of the link.", by: "repair",
            LinkRepair.allCases.map { ($0.rawValue, linkRepairs[$0] ?? 0) })
        text.gauge("command_queue_depth", help: "Commands that wait for the receiver.", commandQueueDepth)
        text.counters("commands_total", help: "Commands by their final answer.", by: "status", commands)
    }

    private func addBroker(to text: inout MetricsText) {
        text.counter("broker_outages_total", help: "Times that the broker went away.", process.brokerOutages)
        text.gauge("queue_depth", help: "Messages that wait for the broker in memory.", process.queueDepth)
        text.counter("superseded_total", help: "Live messages replaced by newer ones.", process.superseded)
        text.gauge("spool_depth", help: "Messages that wait on disk.", process.spoolDepth)
        text.counter("spool_replayed_total", help: "Messages replayed from disk.", process.replayed)
        text.counter("spool_dropped_total", help: "Messages dropped at the spool's bounds.", process.dropped)
        text.counter("incoming_dropped_total", help: "Messages that came too fast.", process.incomingDropped)
        text.gauge(
            "subscriptions_refused", help: "Subscriptions that the broker refuses.", process.refusedSubscriptions.count)
    }

    private func addServices(to text: inout MetricsText) {
        text.gauges("feed_clients", help: "Clients of a feed.", by: "feed", process.feeds.map { ($0.name, $0.clients) })
        text.counters(
            "feed_messages_total", help: "Messages of a feed.", by: "feed", process.feeds.map { ($0.name, $0.messages) }
        )
        text.counters(
            "feed_drops_total", help: "Messages that a feed dropped.", by: "feed",
            process.feeds.map { ($0.name, $0.drops) })
        text.counter("sondehub_calls_total", help: "Requests to SondeHub.", sondeHubCalls)
        text.counters("sondehub_errors_total", help: "Failed requests to SondeHub.", by: "reason", sondeHubErrors)
        text.counter("sondehub_stream_messages_total", help: "Frames of the live stream.", sondeHubStream.messages)
        text.counter(
            "sondehub_stream_reconnects_total", help: "Connections of the live stream after the first.",
            sondeHubStream.reconnects)
        text.counter("sondehub_stream_drops_total", help: "Frames that came too fast.", sondeHubStream.drops)
        text.counters(
            "predictions_total", help: "Questions to the forecast server.", by: "outcome",
            Counter.allCases.map { ($0.rawValue, counted[$0] ?? 0) })
        text.gauge("gpsd_connected", help: "1 while gpsd is connected.", car.connected.contains(.gpsd) ? 1 : 0)
        text.counters(
            "car_fixes_total", help: "Fixes of the car that were used.", by: "source",
            CarSource.allCases.map { ($0.rawValue, car.used[$0] ?? 0) })
        text.counters(
            "car_fixes_refused_total", help: "Fixes of the car that were refused.", by: "reason",
            CarFixRefusal.allCases.map { ($0.rawValue, car.refused[$0] ?? 0) })
        text.counter("route_calls_total", help: "Requests to the route server.", car.routesAsked)
        text.counter("route_failures_total", help: "Failed requests to the route server.", car.routesFailed)
    }
}
