import FlightMath
import Gateway
import GatewayReports
import NIOCore
import NIOHTTP1
import ReceiverProtocol

/// Finds the answer for a path. A request's path never becomes a path on the disk: files are looked up in tables.
struct RequestRouter: PageRouter {
    let hub: EventHub
    var streams: any EventStreams { hub }
    let policy: RequestPolicy
    /// Nil if the page needs no key.
    let lock: PageLock?
    /// The page's address for other machines.
    let link: PageLink
    let replies: CommandReplies
    let files: PageFiles
    let maps: TileMaps
    let diagnosis: Diagnosis
    let surroundings: DashboardSurroundings
    let records: FlightRecords
    let setup: SetupRequests
    /// How long `/api/health` waits for the gateway's loop.
    let healthLimit: Duration

    func route(_ request: Request) -> Route {
        if let objection = policy.objection(to: request, behind: lock) { return .answer(objection) }
        guard request.method != .POST else {
            return switch request.path {
            case "/api/command": .work { await command(request) }
            case "/api/setup": .work { await setup.handle(request) }
            default: .answer(Self.wrongMethod(allowed: "GET, HEAD"))
            }
        }
        switch request.path {
        case "/api/events": return .events
        case "/api/events/last": return .answer(hub.recentEvents)
        case "/api/command": return .answer(Self.wrongMethod(allowed: "POST"))
        case "/api/health": return .work { await health() }
        case "/api/link": return .answer(link.answer(to: request))
        case "/api/setup": return .work { await setup.questions(request) }
        case "/api/setup/found": return .work { await setup.found(request, hub.snapshot) }
        case "/api/settings": return .answer(.json(ReceiverSettingList.json))
        case "/api/sonde-types": return .answer(.json(ReceiverSettingList.sondeTypes))
        case "/metrics": return .answer(metrics)
        case "/api/track": return .work { await track(request) }
        case "/api/diagnosis": return .work { await diagnosis.answer(hub.snapshot) }
        case "/api/coverage": return .work { await records.coverageAnswer(hub.snapshot) }
        case "/api/logbook": return .work { await records.logbookAnswer() }
        case "/api/flights": return .work { await FlightFiles(surroundings, hub).list() }
        case "/live.kml", "/dynamic.kml": return .work { await FlightFiles(surroundings, hub).liveMap(request) }
        case "/maps.json": return .work { await maps.list() }
        case "/drawings.json": return .work { await maps.drawings() }
        default: break
        }
        let parts = request.parts
        switch parts.first {
        case "flights" where parts.count == 2:
            return .work { await FlightFiles(surroundings, hub).file(named: parts[1]) }
        case "api" where parts.count == 4 && parts[1] == "flights":
            return .work { await recorded(request, name: parts[2], part: parts[3]) }
        case "drawings" where parts.count == 2:
            return .work { await maps.drawing(named: parts[1]) }
        case "maps" where parts.count == 5:
            return .work { await maps.tile(request) }
        default: return .work { await files.answer(to: request) }
        }
    }

    private static func wrongMethod(allowed: String) -> Answer {
        var answer = Answer.refusal(.methodNotAllowed)
        answer.headers.append(("Allow", allowed))
        return answer
    }

    private func command(_ request: Request) async -> Answer {
        guard let report = await replies.exchange(request.body, by: surroundings.send) else {
            return .refusal(.serviceUnavailable, "the gateway does not answer")
        }
        return .json(report.payload, status: report.answer.isFinal ? .ok : .accepted)
    }

    private func health() async -> Answer {
        let (answers, continuation) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let ping = Task {
            await surroundings.ping()
            if !Task.isCancelled { continuation.yield(true) }
            continuation.finish()
        }
        let clock = Task {
            try await Task.sleep(for: healthLimit)
            continuation.finish()
        }
        defer {
            ping.cancel()
            clock.cancel()
        }
        for await _ in answers { return .refusal(.ok, "ok") }
        return .refusal(.serviceUnavailable, "the work loop stands still")
    }

    /// The newest health report, at most 30 s old, for Prometheus.
    private var metrics: Answer {
        guard case .health(let report)? = hub.snapshot[.health] else {
            return .refusal(.serviceUnavailable, "there is no health report yet")
        }
        return Answer(
            .ok,
            headers: [
                ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Cache-Control", "no-store"),
            ], body: .bytes(ByteBuffer(string: report.metrics)))
    }

    private func track(_ request: Request) async -> Answer {
        guard let since = Self.wholeNumber("since", of: request, or: .min) else {
            return .refusal(.badRequest, "since must be a whole number: milliseconds since 1970")
        }
        guard let limit = Self.wholeNumber("max", of: request, or: Int64(TrackOutline.usualPoints)) else {
            return .refusal(.badRequest, "max must be a whole number of points")
        }
        do throws(StoreError) {
            let points = try await surroundings.archive.track(of: hub.serial, after: since)
            return TrackOutline(of: points, limit: Int(clamping: limit)).answer
        } catch {
            return .unreadable(error)
        }
    }

    private func recorded(_ request: Request, name: Substring, part: Substring) async -> Answer {
        guard let limit = Self.wholeNumber("max", of: request, or: Int64(TrackOutline.usualPoints)) else {
            return .refusal(.badRequest, "max must be a whole number of points")
        }
        let serial = FlightFiles(surroundings, hub).serial(named: name)
        return await RecordedFlight(archive: surroundings.archive, serial: serial)
            .answer(part, limit: Int(clamping: limit))
    }

    private static func wholeNumber(_ key: String, of request: Request, or usual: Int64) -> Int64? {
        guard let text = request.query[key] else { return usual }
        return Int64(clampingWholeNumber: text)
    }
}

extension FlightArchive {
    /// Points in one read.
    private static var step: Int { 2000 }
    /// The most points, as for the followed flight.
    private static var mostPoints: Int { 50_000 }

    /// The newest flight of a sonde, in the order of time.
    /// - Parameter since: only points later than this, in milliseconds since 1970.
    func track(of serial: SondeSerial?, after since: Int64) async throws(StoreError) -> [TrackPoint] {
        guard let serial, let flight = try await flights(of: serial, limit: 1).first else { return [] }
        var points: [TrackPoint] = []
        // The store compares whole seconds, rounded down.
        var second = since == .min ? Int64.min : WallTime(millisecondsSince1970: since).second
        while points.count < Self.mostPoints {
            let piece = try await self.points(ofFlight: flight.id, after: second, limit: Self.step)
            points += piece
            guard piece.count == Self.step, let last = piece.last else { break }
            second = last.second
        }
        return points
    }
}

extension FlightArchive {
    /// The RSSI in the seconds of some points of a sonde's newest flight, dBm by whole seconds since 1970.
    func levels(of serial: SondeSerial, at points: [TrackPoint]) async throws(StoreError) -> [Int64: Double] {
        guard let flight = try await flights(of: serial, limit: 1).first else { return [:] }
        var levels: [Int64: Double] = [:]
        // In pieces, because a day has 86 400 samples.
        for start in stride(from: 0, to: points.count, by: Self.step / 20) {
            let piece = Array(points[start..<min(points.count, start + Self.step / 20)])
            let samples = try await samples(ofFlight: flight.id, beside: piece)
            for point in piece { levels[point.second] = samples[point.second]?.rssiDBm }
        }
        return levels
    }

    /// The car's own way during a sonde's newest flight, in the order of time.
    func carPoints(of serial: SondeSerial) async throws(StoreError) -> [CarPoint] {
        guard let flight = try await flights(of: serial, limit: 1).first else { return [] }
        return try await carPoints(ofFlight: flight.id, after: .min, limit: Self.mostPoints)
    }
}

extension Int64 {
    /// A decimal number, clamped to the range.
    /// - Returns: nil if the text is no whole number.
    fileprivate init?(clampingWholeNumber text: String) {
        let isNegative = text.hasPrefix("-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        self = Int64(text) ?? (isNegative ? .min : .max)
    }
}

extension WallTime {
    /// The second, rounded down.
    fileprivate var second: Int64 {
        let (seconds, rest) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        return rest < 0 ? seconds - 1 : seconds
    }
}
