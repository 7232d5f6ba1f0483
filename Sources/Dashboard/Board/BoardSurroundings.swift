public import Gateway

/// One thing that the board's page shows.
public struct BoardItem: Equatable, Sendable {
    /// The name of the event that brings it: `cars`, `sondes` or `lines`.
    public var name: String
    /// Unique among those of this name.
    public var id: String
    /// JSON without line breaks; nil if the thing no longer exists.
    public var data: [UInt8]?

    public init(name: String, id: String, data: [UInt8]?) {
        self.name = name
        self.id = id
        self.data = data
    }
}

/// The parts of the board that its page uses.
public struct BoardSurroundings: Sendable {
    /// How a command ended.
    public enum Outcome: Sendable {
        /// The car's final answer, JSON.
        case answered([UInt8])
        /// Why the car has not answered.
        case unreachable(String)
        /// Why the request is refused.
        case refused(String)
    }

    /// Sends a command to a car and waits for its answer.
    public var send: @Sendable ([UInt8]) async -> Outcome

    /// Fetches tiles if the options name a tile server.
    public var tiles: any TileSource

    public init(
        tiles: any TileSource, send: @escaping @Sendable ([UInt8]) async -> Outcome
    ) {
        self.tiles = tiles
        self.send = send
    }
}
