public import GatewayReports

/// Fetches the tiles of a map from a tile server.
public protocol TileSource: Sendable {
    /// - Parameters:
    ///   - url: the whole address; may hold a secret.
    ///   - limit: the longest answer, bytes.
    /// - Returns: the answer, which may be no picture; nil if the server has no tile there.
    /// - Throws: `refused` or `redirect` if the server would refuse the next tile, too; another code if it may be tried
    ///   again.
    func tile(at url: String, limit: Int) async throws(OnlineServiceError) -> FetchedTile?
}

/// The answer of a tile server.
public struct FetchedTile: Equatable, Sendable {
    public var bytes: [UInt8]
    /// The server allows to keep it.
    public var mayBeKept: Bool

    public init(_ bytes: [UInt8], mayBeKept: Bool = true) {
        self.bytes = bytes
        self.mayBeKept = mayBeKept
    }
}
