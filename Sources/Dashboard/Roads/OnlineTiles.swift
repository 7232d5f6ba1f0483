import Gateway
import GatewayReports
import Logging
import Synchronization

/// Fetches the tiles that the page asks for and that are not kept yet.
///
///     a tile                         the page gets
///     is kept                        the tile
///     the server has none            204
///     is not kept                    204; it is fetched, and the page asks again
///     may not be kept                204 first, then the tile, from memory, for a minute
///     after a fault of the server    204, until the pause after the fault is over
///
/// No request of the page waits for the tile server: a browser has six connections, and a command must find one free.
final class OnlineTiles: Sendable {
    /// The most tiles that wait for the server. The page shows the newest ones, so the oldest are dropped.
    static let mostWaiting = 64
    /// The most requests at a time.
    static let mostUnderWay = 2
    private static let longestPause = Duration.seconds(600)

    private struct State {
        var kept: KeptTiles?
        var passing = PassingTiles()
        var waiting: [TilePlace] = []
        var underWay: Set<TilePlace> = []
        var faults = 0
        var resumesAt: ContinuousClock.Instant?
        /// The last fault that the log has.
        var told: OnlineServiceError.Code?
        var fileFault: MapFault?
        var isStopped = false
    }

    let options: OnlineMapOptions
    private let fetch: TileFetch
    private let thread: MapThread
    private let log: Logger
    private let state = Mutex(State())

    /// - Parameter thread: the maps' thread.
    init(_ options: OnlineMapOptions, source: any TileSource, thread: MapThread, log: Logger) {
        self.options = options
        fetch = TileFetch(options: options, source: source)
        self.thread = thread
        self.log = log
    }

    func stop() { state.withLock { ($0.isStopped, $0.waiting) = (true, []) } }

    /// Call it on the maps' thread.
    /// - Returns: nil if the file can't be used; the log says why.
    func kept(_ place: TilePlace) -> KeptTiles.Kept? {
        onFile { file throws(MapFault) in try file.tile(place) }
    }

    /// A tile that its server forbids to keep, from memory; nil if there is none.
    func passing(_ place: TilePlace) -> [UInt8]? { state.withLock { $0.passing.tile(place, at: .now) } }

    /// Fetches a tile soon. It is dropped if newer ones come, or if the server fails.
    func want(_ place: TilePlace) {
        guard place.zoom <= options.maximumZoom else { return }
        let starts = state.withLock { state in
            let isPaused = state.resumesAt.map { ContinuousClock.now < $0 } ?? false
            guard !isPaused, !state.isStopped, !state.underWay.contains(place) else { return false }
            state.waiting.removeAll { $0 == place }
            state.waiting.append(place)
            if state.waiting.count > Self.mostWaiting { state.waiting.removeFirst() }
            return state.underWay.count < Self.mostUnderWay
        }
        if starts { Task { await self.work() } }
    }

    private func work() async {
        while let place = next() {
            do throws(OnlineServiceError) {
                let picture: [UInt8]?
                switch try await fetch.answer(for: place) {
                case .picture(let bytes): picture = bytes
                case .absent: picture = nil
                case .passing(let bytes):
                    state.withLock { $0.passing.hold(bytes, at: place, .now) }
                    done(place, nil)
                    continue
                case .odd(let error): throw error
                }
                let isKept = await thread.run {
                    self.onFile { file throws(MapFault) in try file.keep(picture, at: place) } != nil
                }
                done(place, isKept == true ? nil : OnlineServiceError(.cancelled, "the file can't be written"))
            } catch {
                done(place, error)
            }
        }
    }

    private func next() -> TilePlace? {
        state.withLock { state in
            guard state.underWay.count < Self.mostUnderWay, let place = state.waiting.popLast() else { return nil }
            state.underWay.insert(place)
            return place
        }
    }

    private func done(_ place: TilePlace, _ error: OnlineServiceError?) {
        let isNew = state.withLock { state in
            state.underWay.remove(place)
            defer { state.told = error?.code }
            guard let error else {
                (state.faults, state.resumesAt) = (0, nil)
                return state.told != nil
            }
            let pause = TileFetch.pause(after: error, faults: state.faults, longest: Self.longestPause)
            state.resumesAt = .now + (pause ?? Self.longestPause)
            state.faults += 1
            state.waiting = []
            return state.told != error.code
        }
        guard isNew else { return }
        let host: Logger.MetadataValue = "\(options.host)"
        if let error {
            log.notice(
                "no roads from the tile server; trying again", metadata: ["from": host, "why": "\(error.detail)"])
        } else {
            log.notice("the tile server serves again", metadata: ["from": host])
        }
    }

    // MARK: - The file

    private func onFile<Value>(_ work: (KeptTiles) throws(MapFault) -> Value) -> Value? {
        do throws(MapFault) {
            let file = try opened()
            let value = try work(file)
            state.withLock { $0.fileFault = nil }
            return value
        } catch {
            let isNew = state.withLock { state in
                state.kept = nil
                defer { state.fileFault = error }
                return state.fileFault != error
            }
            if error == .isDamaged { try? KeptTiles.remove(options) }
            if isNew {
                log.warning("the roads can't be kept", metadata: ["map": "\(options.file)", "why": "\(error.text)"])
            }
            return nil
        }
    }

    private func opened() throws(MapFault) -> KeptTiles {
        if let kept = state.withLock({ $0.kept }) { return kept }
        let file = try KeptTiles(options)
        state.withLock { $0.kept = file }
        return file
    }
}
