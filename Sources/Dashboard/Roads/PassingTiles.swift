/// Tiles that their server forbids to keep: they stay in memory for a minute, until the page has asked again.
struct PassingTiles {
    static let lifetime = Duration.seconds(60)
    /// The most tiles, and their bytes together. Beyond, the oldest are forgotten.
    static let most = (tiles: 64, bytes: 8_000_000)

    private var tiles: [(place: TilePlace, bytes: [UInt8], at: ContinuousClock.Instant)] = []

    mutating func hold(_ bytes: [UInt8], at place: TilePlace, _ now: ContinuousClock.Instant) {
        tiles.removeAll { $0.place == place }
        tiles.append((place, bytes, now))
        while tiles.count > Self.most.tiles || tiles.reduce(0, { $0 + $1.bytes.count }) > Self.most.bytes {
            tiles.removeFirst()
        }
    }

    mutating func tile(_ place: TilePlace, at now: ContinuousClock.Instant) -> [UInt8]? {
        tiles.removeAll { now - $0.at > Self.lifetime }
        return tiles.first { $0.place == place }?.bytes
    }
}
