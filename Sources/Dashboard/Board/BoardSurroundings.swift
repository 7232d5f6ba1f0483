public import Gateway

/// An event of the board's stream.
public struct BoardEvent: Equatable, Sendable {
    public var name: String
    /// JSON without line breaks.
    public var data: [UInt8]

    public init(name: String, data: [UInt8]) {
        self.name = name
        self.data = data
    }
}

/// The parts of the board that its page uses.
public struct BoardSurroundings: Sendable {
    /// How a command ended.
    public enum Outcome: Sendable {
        /// The car's final answer, JSON.
        case answered([UInt8])
        /// Why there is none.
        case unreachable(String)
        /// What is wrong with the request.
        case refused(String)
    }

    /// Everything that the page shows, for a new stream.
    public var everything: @Sendable () -> [BoardEvent]
    /// Sends a command to a car and waits for its answer.
    public var send: @Sendable ([UInt8]) async -> Outcome

    /// Fetches tiles if the options name a tile server.
    public var tiles: any TileSource

    public init(
        tiles: any TileSource, everything: @escaping @Sendable () -> [BoardEvent],
        send: @escaping @Sendable ([UInt8]) async -> Outcome
    ) {
        self.tiles = tiles
        self.everything = everything
        self.send = send
    }
}
