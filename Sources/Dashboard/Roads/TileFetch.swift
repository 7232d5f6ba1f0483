import Gateway
import GatewayReports

/// Fetches single tiles and checks that the answers are tiles.
struct TileFetch: Sendable {
    /// The pause after the first fault of a server.
    private static let firstPause = Duration.seconds(5)
    /// The pause after 429 without a time.
    private static let busyPause = Duration.seconds(60)

    enum Answer: Sendable {
        case picture([UInt8])
        /// A picture that the server forbids to keep.
        case passing([UInt8])
        /// The server has no tile there.
        case absent
        /// The server sends something that no map can show, for example the page of a network's login.
        case odd(OnlineServiceError)
    }

    let options: OnlineMapOptions
    let source: any TileSource

    func answer(for place: TilePlace) async throws(OnlineServiceError) -> Answer {
        let tile: FetchedTile?
        do throws(OnlineServiceError) {
            tile = try await source.tile(at: options.address(of: place), limit: TileFormat.longest)
        } catch {
            guard error.code == .tooLarge else { throw error }
            return .odd(error)
        }
        guard let tile, !tile.bytes.isEmpty else { return .absent }
        let bytes = tile.bytes
        guard TileFormat(bytes) != nil else { return Self.odd("no PNG, JPEG or WebP picture") }
        guard let size = PictureSize(bytes) else { return Self.odd("a picture that is cut short") }
        guard size.isTile else {
            return Self.odd("a picture of \(size.width) × \(size.height) pixels, which is no tile")
        }
        return tile.mayBeKept ? .picture(bytes) : .passing(bytes)
    }

    /// The pause after a fault of the server.
    /// - Parameters:
    ///   - faults: those in a row before this one. They don't count after 429, which names its own time.
    ///   - longest: also the longest time that a server may ask for with 429.
    /// - Returns: nil if the server would refuse the same request again.
    static func pause(after error: OnlineServiceError, faults: Int, longest: Duration) -> Duration? {
        guard !error.code.isFinal else { return nil }
        let pauses = RetryPauses(first: firstPause, longest: longest)
        guard error.code == .rateLimited else { return pauses.pause(after: faults) }
        return pauses.pause(after: 0, asked: error.retryAfter ?? busyPause)
    }

    private static func odd(_ what: String) -> Answer {
        .odd(OnlineServiceError(.malformed, "the answer is \(what)"))
    }
}
