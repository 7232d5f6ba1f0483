import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The maps that are served, found anew when the list is asked for; all reading is done on one thread of its own.
final class TileMaps: Sendable {
    /// The folder is looked through at most this often.
    private static let rescan = Duration.seconds(10)

    private struct State {
        var maps: [any TileMap] = []
        var faults: [String: String] = [:]
        var lookedAt: ContinuousClock.Instant?
    }

    private let folder: String
    private let pool: NIOThreadPool
    private let log: Logger
    private let state = Mutex(State())

    init(folder: String, pool: NIOThreadPool, log: Logger) {
        self.folder = folder
        self.pool = pool
        self.log = log
    }

    func list() async -> Answer {
        let maps = (try? await pool.runIfActive { self.found().map(\.facts) }) ?? []
        return .json(Array("[\(maps.map(\.json).joined(separator: ","))]".utf8))
    }

    /// `/maps/<name>/{z}/{x}/{y}`, with or without an ending.
    func tile(_ request: Request) async -> Answer {
        let parts = request.parts
        let numbers = [parts[2], parts[3], parts[4].prefix { $0 != "." }].map { Int($0) }
        guard let zoom = numbers[0], let column = numbers[1], let row = numbers[2],
            let place = TilePlace(zoom: zoom, column: column, row: row)
        else { return .refusal(.notFound) }
        let name = String(parts[1])
        let (headers, bytes) = (try? await pool.runIfActive { self.read(name, place) }) ?? ([], nil)
        guard let headers, let tag = headers.first?.value else { return .refusal(.notFound) }
        if request.knows(tag: tag) { return Answer(.notModified, headers: headers) }
        guard let bytes, let format = TileFormat(bytes) else { return Answer(.noContent, headers: headers) }
        return Answer(
            .ok, headers: headers + [("Content-Type", format.rawValue)], body: .bytes(ByteBuffer(bytes: bytes)))
    }

    /// On the readers' thread. No headers: no such map.
    private func read(_ name: String, _ place: TilePlace) -> ([(name: String, value: String)]?, [UInt8]?) {
        guard let map = known().first(where: { $0.facts.name == name }) else { return (nil, nil) }
        let headers = [
            (name: "ETag", value: "\"\(map.tag)\""), (name: "Cache-Control", value: "public, max-age=604800"),
        ]
        return (headers, map.tile(place))
    }

    private func known() -> [any TileMap] {
        let maps = state.withLock { $0.lookedAt == nil ? nil : $0.maps }
        return maps ?? found()
    }

    private func found() -> [any TileMap] {
        let (known, isFresh) = state.withLock { state in
            (state.maps, state.lookedAt.map { ContinuousClock.now - $0 < Self.rescan } ?? false)
        }
        guard !isFresh else { return known }
        let shelf = MapShelf(folder: folder, known: known)
        let faults = Dictionary(shelf.faults.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
        let news = state.withLock { state in
            defer { (state.maps, state.faults, state.lookedAt) = (shelf.maps, faults, .now) }
            return faults.filter { state.faults[$0.key] != $0.value }
        }
        for (name, text) in news.sorted(by: { $0.key < $1.key }) {
            log.warning("a map is not shown", metadata: ["map": "\(name)", "why": "\(text)"])
        }
        return shelf.maps
    }
}

extension MapFacts {
    fileprivate var json: String {
        let box = bounds.map { "[\($0.map { "\($0)" }.joined(separator: ","))]" } ?? "null"
        return "{\"name\":\"\(name)\",\"min\":\(zooms.lowerBound),\"max\":\(zooms.upperBound),\"bounds\":\(box),"
            + "\"attribution\":\"\(attribution.plain)\"}"
    }
}

extension String {
    /// Without markup, and fit to stand in JSON.
    fileprivate var plain: String {
        var isTag = false
        return String(
            String.UnicodeScalarView(
                unicodeScalars.filter { scalar in
                    if scalar == "<" { isTag = true }
                    defer { if scalar == ">" { isTag = false } }
                    return !isTag && scalar != ">" && scalar != "\"" && scalar != "\\" && scalar.value >= 0x20
                }))
    }
}
