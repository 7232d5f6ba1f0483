import AsyncHTTPClient
import Gateway
import GatewayReports
import NIOHTTP1

extension HTTPFetcher {
    /// The statuses by which a tile server says that there is no tile.
    private static let absent: Set<UInt> = [204, 404, 410]
    /// The statuses by which a tile server asks for a key, or refuses this program.
    private static let forbidden: Set<UInt> = [401, 402, 403, 418]

    /// Whether the words of `Cache-Control` forbid to keep the answer, or to use it again without asking.
    static func forbidsKeeping(_ words: [Substring]) -> Bool {
        let forbidding: Set = ["no-store", "no-cache", "max-age=0"]
        return words.contains { word in forbidding.contains(word.lowercased().filter { $0 != " " }) }
    }

    /// - Returns: the body; nil if the server has no tile there.
    func tile(_ path: String, of base: BaseURL, limit: Int) async throws(OnlineServiceError) -> FetchedTile? {
        do {
            let statuses = Self.absent.union(Self.forbidden).union([200])
            let response = try await follow(path, of: base, accepting: statuses, types: "image/*")
            let status = UInt(response.status.code)
            if Self.absent.contains(status) { return nil }
            guard status == 200 else {
                throw OnlineServiceError(.refused, "HTTP status \(status): see the terms of the tile server")
            }
            var whole: [UInt8] = []
            try await read(response, ResponseFacts(response.headers).encoding, limit: limit) { whole += $0 }
            return FetchedTile(whole, mayBeKept: !Self.forbidsKeeping(response.headers[canonicalForm: "Cache-Control"]))
        } catch {
            throw OnlineServiceError(connection: error)
        }
    }
}
