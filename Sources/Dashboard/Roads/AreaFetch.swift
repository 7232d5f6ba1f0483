public import Gateway
import GatewayReports

/// Fetches all tiles of an area, one after the other, and keeps them. Tiles that are kept already are not fetched
/// again, so a second run goes on where an interrupted one ended.
public struct AreaFetch: Sendable {
    /// The least time from one request to the next.
    public static let pace = Duration.milliseconds(500)
    /// A larger area is refused.
    public static let mostTiles = 200_000
    /// Faults in a row after which the fetch ends.
    static let mostFaults = 5
    /// The longest pause that a server may ask for with 429.
    private static let longestPause = Duration.seconds(900)
    /// The assumed size of a tile in bytes, as long as too few are kept to compute it.
    private static let usualTile = 20_000

    public struct Progress: Equatable, Sendable {
        /// The places that are done, and all places of the area.
        public var done = 0
        public var all: Int
        /// Bytes that were fetched.
        public var bytes = 0
        /// Places whose answer was no tile.
        public var skipped = 0
        /// Why the fetch waits; nil if it does not.
        public var waits: String?
    }

    /// Why the fetch ended early, as a sentence.
    public struct Fault: Error, Equatable, Sendable {
        public var text: String
    }

    private let options: OnlineMapOptions
    private let fetch: TileFetch
    private let kept: KeptTiles
    private let rest: @Sendable (Duration) async throws -> Void

    /// Opens the file.
    /// - Parameter rest: waits for the given time.
    public init(
        _ options: OnlineMapOptions, source: any TileSource,
        rest: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws(Fault) {
        self.options = options
        fetch = TileFetch(options: options, source: source)
        self.rest = rest
        do throws(MapFault) {
            kept = try KeptTiles(options)
        } catch {
            throw Fault(text: "\(options.file) \(error.text)")
        }
    }

    /// The cost of a fetch: all tiles of the area, those that are missing, and the estimated bytes of the missing ones.
    public struct Plan: Equatable, Sendable {
        public var all, missing, bytes: Int
    }

    /// - Throws: if the area is too large.
    public func plan(_ area: TileArea) throws(Fault) -> Plan {
        guard area.count <= Self.mostTiles else {
            throw Fault(text: "\(area.count) tiles are too many; choose a smaller area, or a lower zoom level")
        }
        do throws(MapFault) {
            var missing = 0
            for place in area.places where try kept.tile(place) == .unknown { missing += 1 }
            let present = try kept.count()
            let size = present.tiles < 100 ? Self.usualTile : present.bytes / present.tiles
            let plan = Plan(all: area.count, missing: missing, bytes: missing * size)
            guard plan.bytes < options.megabytes * 1_000_000 else {
                let need = "these tiles need about \(plan.bytes / 1_000_000) MB"
                throw MapFault(text: "has room for \(options.megabytes) MB; \(need); see dashboard.tiles.max_mb")
            }
            return plan
        } catch {
            throw Fault(text: "\(options.file) \(error.text)")
        }
    }

    /// The number of tiles that are kept, and their bytes.
    public func present() throws(Fault) -> (tiles: Int, bytes: Int) {
        do throws(MapFault) {
            return try kept.count()
        } catch {
            throw Fault(text: "\(options.file) \(error.text)")
        }
    }

    /// - Parameter tell: called after each step.
    public func run(_ area: TileArea, tell: (Progress) -> Void) async throws(Fault) -> Progress {
        var progress = Progress(all: area.count)
        var skippedInRow = 0
        var judge = ServerJudge()
        for place in area.places {
            if try isMissing(place) {
                let answer = try await get(place) { why in
                    progress.waits = why
                    tell(progress)
                    progress.waits = nil
                }
                switch answer {
                case .picture(let picture):
                    (skippedInRow, progress.bytes) = (0, progress.bytes + picture.count)
                    judge.got(picture)
                case .absent:
                    skippedInRow = 0
                    judge.gotNothing()
                case .passing:
                    throw Fault(
                        text: "\(options.host) forbids to keep its tiles (Cache-Control); the page shows them only")
                case .odd(let error):
                    // One odd answer is a fault of one tile. Several are a fault of the address.
                    skippedInRow += 1
                    guard skippedInRow < Self.mostFaults else { throw Self.end(error) }
                    progress.skipped += 1
                }
            }
            progress.done += 1
            tell(progress)
            try obey(judge.verdict(isLast: progress.done == progress.all))
        }
        return progress
    }

    /// Ends the fetch from a server that has nothing for this area. Nothing of it stays, so that the same command asks
    /// again.
    private func obey(_ verdict: ServerJudge.Verdict) throws(Fault) {
        switch verdict {
        case .good: return
        case .onePicture(let picture, let count):
            try forget(picture)
            let advice = "it may block this program, or want a key; see its terms"
            throw Fault(text: "\(options.host) sends the same picture for \(count) places: \(advice)")
        case .nothing(let count):
            guard try present().tiles == 0 else { return }
            try forget([])
            throw Fault(
                text: "\(options.host) has no tile at \(count) places; check dashboard.tiles.url and --zoom")
        }
    }

    private func forget(_ picture: [UInt8]) throws(Fault) {
        do throws(MapFault) {
            try kept.forget(picture)
        } catch {
            throw Fault(text: "\(options.file) \(error.text)")
        }
    }

    private static func end(_ error: OnlineServiceError) -> Fault {
        Fault(text: "\(error.detail). The same command goes on where this one ended")
    }

    private func isMissing(_ place: TilePlace) throws(Fault) -> Bool {
        do throws(MapFault) {
            return try kept.tile(place) == .unknown
        } catch {
            throw Fault(text: "\(options.file) \(error.text)")
        }
    }

    /// Fetches a tile, again after a fault that may pass, and keeps it.
    private func get(_ place: TilePlace, tell: (String) -> Void) async throws(Fault) -> TileFetch.Answer {
        var faults = 0
        while true {
            let begin = ContinuousClock.now
            do throws(OnlineServiceError) {
                let answer = try await fetch.answer(for: place)
                try keep(answer, at: place)
                try await wait(Self.pace - (.now - begin))
                return answer
            } catch {
                guard error.code != .cancelled, faults + 1 < Self.mostFaults,
                    let pause = TileFetch.pause(after: error, faults: faults, longest: Self.longestPause)
                else { throw Self.end(error) }
                faults += 1
                tell("\(options.host): \(error.detail); trying again in \(pause.components.seconds) s")
                do throws(OnlineServiceError) { try await wait(pause) } catch { throw Self.end(error) }
            }
        }
    }

    private func keep(_ answer: TileFetch.Answer, at place: TilePlace) throws(OnlineServiceError) {
        do throws(MapFault) {
            switch answer {
            case .picture(let picture): try kept.keep(picture, at: place)
            case .absent: try kept.keep(nil, at: place)
            case .passing: break  // Its server forbids it.
            case .odd: break  // It may be a tile another time.
            }
        } catch {
            throw OnlineServiceError(.cancelled, "\(options.file) \(error.text)")
        }
    }

    private func wait(_ time: Duration) async throws(OnlineServiceError) {
        guard time > .zero else { return }
        do {
            try await rest(time)
        } catch {
            throw OnlineServiceError(.cancelled, "interrupted")
        }
    }
}
