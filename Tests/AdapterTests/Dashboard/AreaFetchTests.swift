import FlightMath
import Foundation
import Gateway
import GatewayReports
import SondeHubClient
import Synchronization
import TestSupport
import Testing

@testable import Dashboard

/// Fetching an area in advance.
@Suite(.timeLimit(.minutes(10))) struct AreaFetchTests {
    private let folder: URL
    private static let place = Coordinate(latitude: 47.1, longitude: 7.4)

    init() throws { folder = try temporaryDirectory() }

    private func options(_ server: ScriptedServer, _ kind: String, megabytes: Int = 100) -> OnlineMapOptions {
        OnlineMapOptions(
            url: server.url(kind) + "/{z}/{x}/{y}.png", attribution: "x", maximumZoom: 14, megabytes: megabytes,
            folder: folder.path)
    }

    /// The area, kilometres to each edge, zoom levels, the number of tiles.
    @Test(
        arguments: [
            (Coordinate(latitude: 47.1, longitude: 7.4), 40.0, 8...14, 3270), (place, 0.1, 14...14, 2),
            (Coordinate(latitude: 0, longitude: 179.99), 40, 8...9, 8),
            (Coordinate(latitude: 85, longitude: 0), 500, 0...2, 5),
            (Coordinate(latitude: -84.9, longitude: -180), 500, 3...3, 4), (place, 500, 0...0, 1),
        ])
    func anAreaHasEachTileOnce(_ middle: Coordinate, _ km: Double, _ zooms: ClosedRange<Int>, _ count: Int) throws {
        let area = TileArea(around: middle, kilometres: km, zooms: zooms)
        let keys = area.places.map { "\($0.zoom)/\($0.column)/\($0.row)" }
        #expect(keys.count == area.count && Set(keys).count == area.count)
        #expect(area.count == count)
        for zoom in zooms {
            let width = Double(1 << zoom)
            let column = Int((middle.longitude + 180) / 360 * width) % (1 << zoom)
            #expect(keys.contains { $0.hasPrefix("\(zoom)/\(column)/") }, "\(zoom)")
        }
        // 47.1° N 7.4° E is in tile 14/8528/5756.
        if zooms.upperBound == 14 { #expect(keys.contains("14/8528/5756"), "\(keys)") }
    }

    /// Each tile once, two a second; an interrupted run goes on where it was.
    @Test func anAreaIsFetchedAtTheServersPaceAndGoesOn() async throws {
        let server = try await ScriptedServer("tiles.py")
        let area = TileArea(around: Self.place, kilometres: 5, zooms: 8...13)
        let rests = Rests(mostRests: 7)
        let first = try AreaFetch(options(server, "good"), source: client(), rest: rests.rest)
        let plan = try first.plan(area)
        #expect(plan.all == area.count && plan.missing == area.count && plan.bytes == area.count * 20_000)
        await #expect(throws: AreaFetch.Fault(text: "interrupted. The same command goes on where this one ended")) {
            _ = try await first.run(area) { _ in }
        }
        // A request and its rest last half a second.
        #expect(rests.all.allSatisfy { $0 <= .milliseconds(500) } && rests.all.contains { $0 > .milliseconds(200) })
        // A request that lasts longer has no rest.
        let done = server.requests.count
        #expect((8..<area.count).contains(done))
        let second = try AreaFetch(options(server, "good"), source: client(), rest: { _ in })
        #expect(try second.plan(area).missing == area.count - done)
        var told: [Int] = []
        let result = try await second.run(area) { told.append($0.done) }
        #expect(told == Array(1...area.count) && result.done == area.count && result.skipped == 0)
        #expect(server.requests.count == area.count && Set(server.requests.map(\.path)).count == area.count)
        #expect(try second.plan(area).missing == 0 && second.present().tiles == area.count)
    }

    /// Behaviour -> requests, the rests after faults in seconds, and a part of the error; nil if it works.
    @Test(
        arguments: [
            ("busy", nil, [7, 7], nil), ("always-busy", 5, [7, 7, 7, 7], "too many requests"),
            ("down", 5, [5, 10, 20, 40], "HTTP status 503"), ("closed", 5, [5, 10, 20, 40], " "),
            ("odd", 5, [5, 10, 20, 40], " "), ("slow", 5, [5, 10, 20, 40], "no complete answer"),
            ("drip", 5, [5, 10, 20, 40], "no complete answer"), ("refuse", 1, [], "HTTP status 403"),
            ("redirect", 1, [], "redirect"), ("wrong", 5, [], "no PNG, JPEG or WebP"), ("text", 5, [], "no PNG"),
            ("huge", 5, [], "larger than"), ("endless", 5, [], "larger than"), ("wide", 5, [], "100000 × 100000"),
            ("cut", 5, [], "cut short"), ("absent", 20, [], "has no tile at 20 places"),
            ("none", 20, [], "has no tile"),
            ("empty", 20, [], "has no tile"), ("same", 20, [], "the same picture for 20 places"),
            ("no-store", 1, [], "forbids to keep"), ("no-cache", 1, [], "forbids to keep"),
            ("max-age=0", 1, [], "forbids to keep"),
            ("mixed", nil, [], nil),
        ] as [(String, Int?, [Int]?, String?)])
    func aBadServerIsNotPestered(_ kind: String, _ requests: Int?, _ rests: [Int]?, _ text: String?) async throws {
        let server = try await ScriptedServer("tiles.py")
        let area = TileArea(around: Self.place, kilometres: 6, zooms: 10...13)
        let waits = Rests()
        let fetch = try AreaFetch(options(server, kind), source: client(kind), rest: waits.rest)
        do {
            let result = try await fetch.run(area) { _ in }
            #expect(text == nil && result.done == area.count, "\(kind)")
            #expect((result.skipped > 0) == (kind == "mixed"))
        } catch {
            #expect(
                error.text.contains(text ?? "?"), "\(error.text)")
            // A server that has nothing for this area is asked anew the next time.
            let isFaulty = error.text.hasSuffix("The same command goes on where this one ended")
            #expect(isFaulty || (try? fetch.plan(area).missing) == area.count, "\(kind)")
        }
        #expect(server.requests.count == requests ?? area.count + (kind == "busy" ? 2 : 0), "\(kind)")
        let long = waits.all.filter { $0 > .milliseconds(500) }.map { Int($0.components.seconds) }
        if let rests { #expect(long == rests, "\(kind)") }
    }

    /// An area that needs more room than the file may take is refused before the first request.
    @Test func anAreaThatIsTooLargeIsRefused() async throws {
        let server = try await ScriptedServer("tiles.py")
        let fetch = try AreaFetch(options(server, "good", megabytes: 10), source: client())
        for (km, text) in [(60.0, "see dashboard.tiles.max_mb"), (500, "choose a smaller area")] {
            do {
                _ = try fetch.plan(TileArea(around: Self.place, kilometres: km, zooms: 0...14))
                Issue.record("\(km) km are accepted")
            } catch {
                #expect(error.text.contains(text), "\(error.text)")
            }
        }
        #expect(server.requests.isEmpty)
    }

    /// The sizes in the heads of pictures.
    @Test(
        arguments: [
            (
                [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13] + Array("IHDR".utf8) + [
                    0, 0, 1, 0, 0, 0, 2, 0,
                ], 256, 512
            ),
            ([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 11, 8, 1, 0, 2, 0, 1, 1, 0], 512, 256),
            (Array("RIFF0000WEBPVP8 0000".utf8) + [0, 0, 0, 0x9d, 1, 0x2a, 0, 0x41, 0, 2], 256, 512),
            (Array("RIFF0000WEBPVP8L0000".utf8) + [0x2f, 0xff, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0], 256, 256),
            (Array("RIFF0000WEBPVP8X0000".utf8) + [0, 0, 0, 0, 0xff, 1, 0, 0xff, 0, 0], 512, 256),
        ] as [([UInt8], Int, Int)])
    func pictureSizes(_ bytes: [UInt8], _ width: Int, _ height: Int) throws {
        let size = try #require(PictureSize(bytes))
        #expect(size.width == width && size.height == height)
        // No piece of it and no changed byte does harm.
        for length in bytes.indices { _ = PictureSize(Array(bytes[..<length])) }
        var random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            var changed = bytes
            changed[Int.random(in: 4..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
            _ = PictureSize(changed)
        }
    }

    /// A short time to answer, only for the servers that never do: a busy machine answers late, too.
    private func client(_ kind: String = "good") -> TileClient {
        TileClient(
            userAgent: "sondygo2mqtt/1.2", timeout: ["slow", "drip"].contains(kind) ? .seconds(3) : .seconds(60))
    }
}

/// Notes the times for which it was asked to wait, and waits for none of them.
private final class Rests: Sendable {
    private let asked = Mutex<[Duration]>([])
    private let most: Int

    init(mostRests: Int = .max) { most = mostRests }

    var all: [Duration] { asked.withLock { $0 } }

    var rest: @Sendable (Duration) async throws -> Void {
        { [self] duration in
            try asked.withLock { asked in
                guard asked.count < most else { throw CancellationError() }
                asked.append(duration)
            }
        }
    }
}
