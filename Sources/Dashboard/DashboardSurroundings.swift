public import Gateway
public import GatewayReports

/// The parts of the gateway that the page uses.
public struct DashboardSurroundings: Sendable {
    /// The gateway's time, which a simulated flight may scale.
    public var clock: any GatewayClock
    public var archive: any FlightArchive
    /// Makes the sentences of events.
    public var phrases: any Phrasebook
    /// Hands a command to the gateway; its answers come as reports.
    public var send: @Sendable (IncomingCommand) async -> Void
    /// Returns when the gateway's loop has taken a ping from its queue.
    public var ping: @Sendable () async -> Void

    public init(
        clock: any GatewayClock, archive: any FlightArchive, phrases: any Phrasebook = English(),
        send: @escaping @Sendable (IncomingCommand) async -> Void, ping: @escaping @Sendable () async -> Void
    ) {
        self.clock = clock
        self.archive = archive
        self.phrases = phrases
        self.send = send
        self.ping = ping
    }
}
