public import FlightMath
public import Gateway

/// The parts of the gateway that the page uses.
public struct DashboardSurroundings: Sendable {
    /// The time that the reports have. A simulated flight may scale it.
    public var clock: any GatewayClock
    public var archive: any FlightArchive
    /// Fetches tiles if the options name a tile server.
    public var tiles: any TileSource
    /// Hands a command to the gateway; its answers come as reports.
    public var send: @Sendable (IncomingCommand) async -> Void
    /// Returns when the gateway's loop has taken a ping from its queue.
    public var ping: @Sendable () async -> Void
    /// Learns whether a page is open. It must return at once.
    public var watched: @Sendable (Bool) -> Void

    /// Checks the services around the gateway. The texts hold no paths.
    public var diagnose: @Sendable () async -> [DiagnosisLine]

    /// The heights of the ground; nil if there are none.
    public var terrain: (any TerrainSource)?
    /// The receiver's place while no car has a position; nil if nobody knows it.
    public var home: Coordinate?

    /// Asks the questions of `setup`; nil for a simulated flight.
    public var setup: (any SetupDesk)?

    public init(
        clock: any GatewayClock, archive: any FlightArchive, tiles: any TileSource,
        send: @escaping @Sendable (IncomingCommand) async -> Void, ping: @escaping @Sendable () async -> Void,
        diagnose: @escaping @Sendable () async -> [DiagnosisLine] = { [] },
        watched: @escaping @Sendable (Bool) -> Void = { _ in }, setup: (any SetupDesk)? = nil,
        terrain: (any TerrainSource)? = nil, home: Coordinate? = nil
    ) {
        self.clock = clock
        self.archive = archive
        self.tiles = tiles
        self.send = send
        self.ping = ping
        self.diagnose = diagnose
        self.watched = watched
        self.setup = setup
        self.terrain = terrain
        self.home = home
    }
}
