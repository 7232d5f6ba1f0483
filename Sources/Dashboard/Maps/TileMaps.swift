import Gateway
import GatewayReports
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// Serves the maps. It looks through the folder again when the page asks for the list. All reading is on a thread of
/// its own.
final class TileMaps: Sendable {
    /// The least time between two looks through the folder.
    private static let rescan = Duration.seconds(10)
    /// How long a request waits for the thread.
    private static let requestTimeLimit = Duration.seconds(5)

    private struct State {
        var shelf = MapShelf()
        var lookedAt: ContinuousClock.Instant?
        /// A log line has said that the folder does not answer.
        var isLate = false
        /// One for each tile server.
        var online: [OnlineTiles] = []
    }

    private let folder: String
    private let source: any TileSource
    private let thread: MapThread
    private let log: Logger
    private let state = Mutex(State())

    /// - Parameter tiles: fetches tiles from the servers of `online`.
    init(folder: String, online: [OnlineMapOptions], tiles: any TileSource, log: Logger) {
        self.folder = folder
        thread = MapThread(timeLimit: Self.requestTimeLimit)
        source = tiles
        self.log = log
        use(online)
    }

    private var online: [OnlineTiles] { state.withLock { $0.online } }

    /// Takes these tile servers from now on. One that stays keeps what it has.
    func use(_ options: [OnlineMapOptions]) {
        let ended = state.withLock { state in
            let earlier = state.online
            guard earlier.map(\.options) != options else { return [OnlineTiles]() }
            state.online = options.map { wanted in
                earlier.first { $0.options == wanted }
                    ?? OnlineTiles(wanted, source: source, thread: thread, log: log)
            }
            // Their files have other readers: what the folder holds of its own is another list now.
            state.lookedAt = nil
            return earlier.filter { !options.contains($0.options) }
        }
        for server in ended { server.stop() }
    }

    func start() { thread.start() }

    func stop() {
        // At a stop the waiting requests get nil, which is not the folder's fault.
        state.withLock { $0.isLate = true }
        for server in online { server.stop() }
        thread.stop()
    }

    func list() async -> Answer {
        guard let maps = await onThread({ self.found().map(\.facts) }) else { return Self.late }
        let all = online.map { $0.options.facts.json(isOnline: true) } + maps.map { $0.json(isOnline: false) }
        return .json(Array("[\(all.joined(separator: ","))]".utf8))
    }

    /// Answers `/drawings.json` with the names of the drawings.
    func drawings() async -> Answer {
        guard let names = await onThread({ self.shelf().drawings.map(\.file) }) else { return Self.late }
        let rows = names.map { name in
            var json = JSONText()
            json.field("name", name)
            return String(decoding: json.object, as: UTF8.self)
        }
        return .json(Array("[\(rows.joined(separator: ","))]".utf8))
    }

    /// Answers `/drawings/<name>`.
    func drawing(named name: Substring) async -> Answer {
        guard let name = name.percentDecoded else { return .refusal(.notFound) }
        let found = await onThread { () -> (type: String, bytes: [UInt8]?)? in
            guard let drawing = self.shelf().drawings.first(where: { $0.file == name }) else { return nil }
            return (drawing.type, FileStatus.content(ofFile: "\(self.folder)/\(name)", limit: Drawing.longest))
        }
        guard let found else { return Self.late }
        guard let (type, bytes) = found, let bytes else { return .refusal(.notFound) }
        return Answer(
            .ok, headers: [("Content-Type", type), ("Cache-Control", "no-cache")],
            body: .bytes(ByteBuffer(bytes: bytes)))
    }

    /// Answers `/maps/<name>/{z}/{x}/{y}`, with or without an ending.
    func tile(_ request: Request) async -> Answer {
        let parts = request.parts
        let numbers = [parts[2], parts[3], parts[4].prefix { $0 != "." }].map { Int($0) }
        guard let zoom = numbers[0], let column = numbers[1], let row = numbers[2],
            let place = TilePlace(zoom: zoom, column: column, row: row)
        else { return .refusal(.notFound) }
        guard let name = parts[1].percentDecoded else { return .refusal(.notFound) }
        if let server = online.first(where: { $0.options.name == name }) {
            return await tile(place, of: server, for: request)
        }
        guard let found = await onThread({ self.read(name, place) }) else { return Self.late }
        guard let (tag, bytes) = found else { return .refusal(.notFound) }
        return Self.answer(bytes, tag: tag, to: request)
    }

    private func tile(_ place: TilePlace, of online: OnlineTiles, for request: Request) async -> Answer {
        guard let found = await onThread({ online.kept(place) }) else { return Self.late }
        let tag = "\(online.options.name)-\(online.options.style.utf8.reduce(5381) { $0 &* 33 &+ Int($1) })"
        switch found {
        case .picture(let bytes): return Self.answer(bytes, tag: tag, to: request)
        case .absent: return Self.answer(nil, tag: tag, to: request)
        case .unknown:
            if let bytes = online.passing(place), let format = TileFormat(bytes) {
                return Answer(
                    .ok, headers: [("Content-Type", format.rawValue), ("Cache-Control", "no-store")],
                    body: .bytes(ByteBuffer(bytes: bytes)))
            }
            online.want(place)
        case nil: break  // The log says why there is no file.
        }
        return Answer(.noContent, headers: [("Cache-Control", "no-store")])
    }

    private static func answer(_ bytes: [UInt8]?, tag: String, to request: Request) -> Answer {
        let headers = [(name: "ETag", value: "\"\(tag)\""), (name: "Cache-Control", value: "public, max-age=604800")]
        if request.knows(tag: "\"\(tag)\"") { return Answer(.notModified, headers: headers) }
        guard let bytes, let format = TileFormat(bytes) else { return Answer(.noContent, headers: headers) }
        return Answer(
            .ok, headers: headers + [("Content-Type", format.rawValue)], body: .bytes(ByteBuffer(bytes: bytes)))
    }

    // MARK: - The thread

    private static let late = Answer.refusal(.serviceUnavailable, "the maps folder does not answer")

    /// - Returns: nil if it takes too long.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        let value = await thread.run(work)
        let isNew = state.withLock { state in
            defer { state.isLate = value == nil }
            return value == nil && !state.isLate
        }
        if isNew {
            log.warning(
                "the maps folder does not answer; maps are not shown until it does", metadata: ["folder": "\(folder)"])
        }
        return value
    }

    /// - Returns: nil if there is no such map; nil bytes if there is no such tile.
    private func read(_ name: String, _ place: TilePlace) -> (tag: String, bytes: [UInt8]?)? {
        guard let map = known().first(where: { $0.facts.name == name }) else { return nil }
        do throws(MapFault) {
            return (map.tag, try map.tile(place))
        } catch {
            state.withLock { $0.shelf.remove(map, for: error) }
            tell([(map.file, error.text)])
            return nil
        }
    }

    private func known() -> [any TileMap] {
        let maps = state.withLock { $0.lookedAt == nil ? nil : $0.shelf.maps }
        return maps ?? found()
    }

    private func found() -> [any TileMap] { shelf().maps }

    /// The folder's content, at most ``rescan`` old.
    private func shelf() -> MapShelf {
        let (earlier, isFresh) = state.withLock { state in
            (state.shelf, state.lookedAt.map { ContinuousClock.now - $0 < Self.rescan } ?? false)
        }
        guard !isFresh else { return earlier }
        let shelf = MapShelf(folder: folder, except: online.map(\.options), after: earlier)
        state.withLock { ($0.shelf, $0.lookedAt) = (shelf, .now) }
        tell(shelf.faults.filter { fault in !earlier.faults.contains { $0 == fault } })
        return shelf
    }

    private func tell(_ faults: [(name: String, text: String)]) {
        for (name, text) in faults {
            log.warning("a map is missing or incomplete", metadata: ["map": "\(name)", "why": "\(text)"])
        }
    }
}

extension MapFacts {
    /// - Parameter isOnline: the tiles that are missing come later.
    fileprivate func json(isOnline: Bool) -> String {
        var json = JSONText()
        json.field("name", name)
        json.field("min", zooms.lowerBound)
        json.field("max", zooms.upperBound)
        json.field("bounds", bounds.map { .array($0.map { .number($0) }) } ?? .null)
        json.field("attribution", attribution.withoutTags)
        json.field("online", isOnline)
        return String(decoding: json.object, as: UTF8.self)
    }
}

extension String {
    /// The text without markup.
    fileprivate var withoutTags: String {
        var isTag = false
        return String(
            String.UnicodeScalarView(
                unicodeScalars.filter { scalar in
                    if scalar == "<" { isTag = true }
                    defer { if scalar == ">" { isTag = false } }
                    return !isTag && scalar != ">"
                }))
    }
}
