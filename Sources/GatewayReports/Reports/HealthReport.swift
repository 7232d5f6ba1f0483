public import FlightMath
public import ReceiverProtocol

/// The gateway's health: counters since its start.
public struct HealthReport: Equatable, Sendable {
    var at: Moment
    var uptime: Duration
    var process: ProcessHealth
    var frames: [FrameKind: Int]
    /// The refused frames and positions, counted by reason.
    public var rejects: [String: Int]
    /// The frames of new sondes that no second frame confirmed.
    var unconfirmed: Int
    /// The frames with more than 100 % of charge, which is shown as 100 %.
    var clamped: Int
    /// The number of links opened after the first.
    var reconnects: Int
    var linkLosses: [String: Int]
    var linkRepairs: [LinkRepair: Int]
    var adapter: AdapterCounters?
    public var commandQueueDepth: Int
    var commands: [String: Int]
    var sondeHubCalls: Int
    var sondeHubErrors: [String: Int]
    var sondeHubStream: Stream
    /// The hash of another machine that uses this gateway's id; nil if there is none.
    var otherGateway: String?
    /// Why the store records nothing now; nil while it works.
    var storeFault: StoreError.Code?
    public var car: Car
    var counted: [Counter: Int]

    public init(
        at: Moment, uptime: Duration, process: ProcessHealth, frames: [FrameKind: Int], rejects: [String: Int],
        unconfirmed: Int, clamped: Int = 0, reconnects: Int, linkLosses: [String: Int], linkRepairs: [LinkRepair: Int],
        adapter: AdapterCounters? = nil, commandQueueDepth: Int, commands: [String: Int], sondeHubCalls: Int,
        sondeHubErrors: [String: Int],
        sondeHubStream: Stream = Stream(), otherGateway: String? = nil,
        storeFault: StoreError.Code? = nil, car: Car, counted: [Counter: Int]
    ) {
        self.at = at
        self.uptime = uptime
        self.process = process
        self.frames = frames
        self.rejects = rejects
        self.unconfirmed = unconfirmed
        self.clamped = clamped
        self.reconnects = reconnects
        self.linkLosses = linkLosses
        self.linkRepairs = linkRepairs
        self.adapter = adapter
        self.commandQueueDepth = commandQueueDepth
        self.commands = commands
        self.sondeHubCalls = sondeHubCalls
        self.sondeHubErrors = sondeHubErrors
        self.sondeHubStream = sondeHubStream
        self.otherGateway = otherGateway
        self.storeFault = storeFault
        self.car = car
        self.counted = counted
    }

    /// SondeHub's live stream.
    public struct Stream: Equatable, Sendable {
        /// The frames that arrived, also unusable ones and those of several stations.
        public var messages = 0
        /// The number of connections opened after the first.
        public var reconnects = 0
        /// The frames that came too fast.
        public var drops = 0

        public init() {}
    }

    /// The sources of the car's position, and the requests to the route server.
    public struct Car: Equatable, Sendable {
        public var source: CarSource?
        public var connected: Set<CarSource>
        public var used: [CarSource: Int]
        public var refused: [CarFixRefusal: Int]
        var routesAsked: Int
        var routesFailed: Int

        public init(
            source: CarSource? = nil, connected: Set<CarSource>, used: [CarSource: Int], refused: [CarFixRefusal: Int],
            routesAsked: Int, routesFailed: Int
        ) {
            self.source = source
            self.connected = connected
            self.used = used
            self.refused = refused
            self.routesAsked = routesAsked
            self.routesFailed = routesFailed
        }
    }

    /// The keys of ``rejects``.
    static let rejectReasons: [String] =
        FrameRejection.allCases.map(\.rawValue) + PositionFault.allCases.map(\.rawValue)
        + PositionRefusal.allCases.map(\.rawValue)

    var payload: [UInt8] {
        var json = JSONText()
        json.field("at", at.wall)
        json.field("uptime_s", Int(uptime.components.seconds))
        json.field("memory_rss_bytes", process.residentBytes)
        json.field("memory_anonymous_bytes", process.anonymousBytes)
        json.field("clock_synced", at.isClockSynced)
        json.field("frames") { inner in
            for kind in FrameKind.allCases { inner.field("type_\(kind.rawValue)", frames[kind] ?? 0) }
        }
        json.field("rejects") { inner in
            for reason in Self.rejectReasons { inner.field(reason, rejects[reason] ?? 0) }
            inner.field("sonde_unconfirmed", unconfirmed)
        }
        json.field("clamped", clamped)
        json.field("reconnects", reconnects)
        json.field("link_losses", counts: linkLosses)
        json.field("link_repairs") { inner in
            for repair in LinkRepair.allCases { inner.field(repair.rawValue, linkRepairs[repair] ?? 0) }
        }
        json.field("adapter", adapter) { inner, adapter in
            inner.field("name", adapter.name)
            inner.field("receive_errors", adapter.receiveErrors)
            inner.field("send_errors", adapter.sendErrors)
        }
        json.field("broker_outages", process.brokerOutages)
        json.field("broker") { inner in
            let line = process.brokerLine
            inner.field("away_s", process.brokerAway.map { Int($0.components.seconds) })
            inner.field("line", line.map { $0.isThin ? "thin" : "ok" })
            inner.field("bytes_per_second", line?.bytesPerSecond.map { Int(clamping: Int64($0.rounded())) })
            inner.field("round_trip_ms", line?.roundTrip.map { Int(clamping: Int64($0 / .milliseconds(1))) })
            inner.field("left_out", .array((line?.leftOut ?? []).map { .string($0) }))
            inner.field("keeps_retained", line?.keepsRetained)
            inner.field("other_server", process.otherBroker)
        }
        json.field("queue_depth", process.queueDepth)
        json.field("superseded", process.superseded)
        json.field("spool") { inner in
            inner.field("depth", process.spoolDepth)
            inner.field("replayed", process.replayed)
            inner.field("dropped", process.dropped)
        }
        json.field("incoming_dropped", process.incomingDropped)
        json.field("subscriptions_refused", .array(process.refusedSubscriptions.map { .string($0) }))
        json.field("feeds") { inner in
            for feed in process.feeds {
                inner.field(feed.name) { counts in
                    counts.field("clients", feed.clients)
                    counts.field("messages", feed.messages)
                    counts.field("drops", feed.drops)
                }
            }
        }
        json.field("command_queue_depth", commandQueueDepth)
        json.field("commands", counts: commands)
        json.field("sondehub_calls", sondeHubCalls)
        json.field("sondehub_errors", counts: sondeHubErrors)
        json.field("sondehub_stream") { inner in
            inner.field("messages", sondeHubStream.messages)
            inner.field("reconnects", sondeHubStream.reconnects)
            inner.field("drops", sondeHubStream.drops)
        }
        json.field("other_gateway", otherGateway)
        json.field("store_fault", storeFault?.rawValue)
        json.field("store_rows_left_out", process.rowsLeftOut)
        json.field("predictions") { inner in
            for counter in Counter.allCases { inner.field(counter.rawValue, counted[counter] ?? 0) }
        }
        json.field("car") { inner in
            inner.field("source", car.source?.rawValue)
            inner.field("gpsd_connected", car.connected.contains(.gpsd))
            inner.field("fixes") { counts in
                for source in CarSource.allCases { counts.field(source.rawValue, car.used[source] ?? 0) }
            }
            inner.field("refused") { counts in
                for refusal in CarFixRefusal.allCases { counts.field(refusal.rawValue, car.refused[refusal] ?? 0) }
            }
            inner.field("routes") { counts in
                counts.field("calls", car.routesAsked)
                counts.field("failures", car.routesFailed)
            }
        }
        return json.object
    }
}
