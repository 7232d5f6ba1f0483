import Foundation
import Gateway
import GatewayReports
import Logging
import SondeHubClient
import Synchronization
import TestSupport
import Testing

@testable import Dashboard

/// Roads from a real tile server on loopback, good and bad.
@Suite(.timeLimit(.minutes(10))) struct OnlineMapTests {
    private let folder: URL

    init() throws { folder = try temporaryDirectory() }

    private func options(_ url: String, megabytes: Int = 100) -> OnlineMapOptions {
        OnlineMapOptions(
            url: url, attribution: "<b>©</b> Somebody", maximumZoom: 14, megabytes: megabytes,
            folder: folder.appendingPathComponent("maps").path)
    }

    private func template(_ server: ScriptedServer, _ kind: String) -> String {
        server.url(kind) + "/{z}/{x}/{y}.png?key=secret"
    }

    private func rig(_ options: OnlineMapOptions) async throws -> DashboardRig {
        let rig = try await DashboardRig(
            maps: folder.path, onlineMaps: [options], tiles: TileClient(userAgent: "sondygo2mqtt/1.2"))
        try await rig.start()
        return rig
    }

    private func get(_ rig: DashboardRig, _ path: String) async throws -> RawClient {
        let client = try #require(RawClient(port: rig.port))
        client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try await eventually("an answer to \(path)") {
            client.read()
            return client.isClosed.orNil
        }
        return client
    }

    /// A tile comes from the server once. Later it comes from the file, also without the server and after a restart.
    @Test func roadsAreFetchedOnceAndKept() async throws {
        let server = try await ScriptedServer("tiles.py")
        let options = options(template(server, "good"))
        do {
            let rig = try await rig(options)
            let list = try await get(rig, "/maps.json").body
            #expect(
                list.contains(
                    #""name":"online","min":0,"max":14,"bounds":null,"attribution":"© Somebody","online":true"#))
            let first = try await get(rig, "/maps/online/5/17/11")
            #expect(first.status == 204 && first.text.contains("Cache-Control: no-store"))
            try await eventually("the tile") { (try await get(rig, "/maps/online/5/17/11").status == 200).orNil }
            #expect(server.requests.map(\.path) == ["/good/5/17/11.png?key=secret"])
            #expect(server.requests[0].headers["User-Agent"] == "sondygo2mqtt/1.2")
            // Beyond the server's zoom levels it is not asked.
            #expect(try await get(rig, "/maps/online/15/0/0").status == 204)
            for path in ["/maps/online/5/32/0", "/maps/online/5/x/0"] {
                #expect(try await get(rig, path).status == 404, "\(path)")
            }
            await rig.stop()
        }
        try await server.stop()
        let again = try await rig(options)
        let tile = try await get(again, "/maps/online/5/17/11")
        #expect(tile.status == 200 && tile.text.contains("Content-Type: image/png"))
        #expect(server.requests.count == 1)
        // The file holds no key, and is a map like any other.
        await again.stop()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: options.file))
        #expect(bytes.range(of: Data("secret".utf8)) == nil)
        #expect(MapShelf(folder: options.folder).names == ["online"])
        #expect(MapShelf(folder: options.folder, except: [options]).names.isEmpty)
    }

    /// Roads and pictures from above are two maps, each with its own server and file.
    @Test func picturesFromAboveAreAMapOfTheirOwn() async throws {
        let server = try await ScriptedServer("tiles.py")
        let roads = options(template(server, "good"))
        var satellite = options(template(server, "good") + "&map=photo")
        satellite.name = OnlineMapOptions.satellite
        satellite.maximumZoom = 16
        let rig = try await DashboardRig(
            maps: roads.folder, onlineMaps: [roads, satellite], tiles: TileClient(userAgent: "sondygo2mqtt/1.2"))
        try await rig.start()
        let list = try await get(rig, "/maps.json").body
        #expect(list.contains(#""name":"online","min":0,"max":14"#))
        #expect(list.contains(#""name":"online-satellite","min":0,"max":16"#))
        for name in [roads.name, satellite.name] {
            try await eventually("the tile of \(name)") {
                (try await get(rig, "/maps/\(name)/5/17/11").status == 200).orNil
            }
        }
        let asked = server.requests.map(\.path).sorted()
        #expect(asked == ["/good/5/17/11.png?key=secret", "/good/5/17/11.png?key=secret&map=photo"])
        await rig.stop()
        try await server.stop()
        #expect(Set(MapShelf(folder: roads.folder).names) == ["online", "online-satellite"])
        #expect(MapShelf(folder: roads.folder, except: [roads, satellite]).names.isEmpty)
    }

    /// A tile that may not be kept is shown, and stays out of the file.
    @Test(arguments: ["no-store", "no-cache", "max-age=0"]) func aTileThatMayNotBeKeptIsShown(_ kind: String)
        async throws
    {
        let server = try await ScriptedServer("tiles.py")
        let options = options(template(server, kind))
        let rig = try await rig(options)
        #expect(try await get(rig, "/maps/online/5/17/11").status == 204)
        let tile = try await eventually("the tile") {
            let answer = try await get(rig, "/maps/online/5/17/11")
            return answer.status == 200 ? answer : nil
        }
        #expect(tile.text.contains("Cache-Control: no-store") && tile.text.contains("Content-Type: image/png"))
        let place = try #require(TilePlace(zoom: 5, column: 17, row: 11))
        #expect(try KeptTiles(options).tile(place) == .unknown)
        #expect(server.requests.count == 1)
    }

    /// Whatever the server does, the page gets an answer at once, and the server is not asked again and again.
    @Test(arguments: [
        "absent", "none", "empty", "refuse", "always-busy", "down", "redirect", "closed", "odd", "slow", "drip",
        "wrong",
        "text", "huge", "endless", "wide", "cut",
    ])
    func aBadTileServerHarmsNobody(_ kind: String) async throws {
        let server = try await ScriptedServer("tiles.py")
        let rig = try await rig(options(template(server, kind)))
        let begin = ContinuousClock.now
        #expect(try await get(rig, "/maps/online/5/17/11").status == 204)
        #expect(ContinuousClock.now - begin < .seconds(9))
        try await eventually("it was asked") { server.requests.isEmpty ? nil : true }
        // "There is none" is kept; a fault makes a pause.
        let isKept = ["absent", "none", "empty"].contains(kind)
        if isKept {
            try await eventually("it is kept") {
                try await get(rig, "/maps/online/5/17/11").text.contains("max-age").orNil
            }
        } else {
            // The pause begins with the answer, or with the end of the time for it.
            let file = try KeptTiles(options(template(server, kind)))
            let place = try #require(TilePlace(zoom: 5, column: 17, row: 11))
            for _ in 0..<20 { #expect(try await get(rig, "/maps/online/5/17/11").status == 204) }
            #expect(try file.tile(place) == .unknown)
        }
        #expect(Set(server.requests.map(\.path)).count == 1)
        #expect(server.requests.count <= 2, "\(server.requests.map(\.path))")
        #expect(try await get(rig, "/maps.json").status == 200)
    }

    /// 200 tiles at once: the newest are fetched, two at a time; the oldest are dropped.
    @Test func theNewestTilesComeFirst() async throws {
        let source = HeldSource()
        let thread = MapThread(timeLimit: .seconds(5))
        thread.start()
        let tiles = OnlineTiles(
            options("https://tile.example/{z}/{x}/{y}"), source: source, thread: thread, log: silentLog)
        for column in 0..<200 { tiles.want(try #require(TilePlace(zoom: 10, column: column, row: 1))) }
        try await eventually("two are under way") { (source.urls.count == 2).orNil }
        #expect(source.most == 2)
        source.release()
        // The first two may be of the newest.
        let all = OnlineTiles.mostWaiting...OnlineTiles.mostWaiting + 2
        try await eventually("the rest is dropped") { all.contains(source.urls.count).orNil }
        #expect(source.most == 2)
        #expect(source.urls.contains("https://tile.example/10/199/1"))
        #expect(!source.urls.contains("https://tile.example/10/100/1"))
        tiles.stop()
        thread.stop()
    }

    /// Beyond the size limit the oldest tiles are deleted. Another server's tiles are deleted, and a damaged file is
    /// replaced.
    @Test func theFileHasALimitAndHealsItself() throws {
        let small = options("https://a.example/{z}/{x}/{y}?k=1", megabytes: 10)
        var random = SeededRandom(seed: 1)
        let place = { (column: Int) in try #require(TilePlace(zoom: 9, column: column, row: 3)) }
        do {
            let file = try KeptTiles(small)
            for column in 0..<30 {
                let bytes = (0..<900_000).map { _ in UInt8.random(in: 0...255, using: &random) }
                try file.keep(bytes, at: place(column))
            }
            #expect(try file.tile(place(0)) == .unknown && file.count().bytes <= 10_000_000)
            guard case .picture = try file.tile(place(29)) else { return #expect(Bool(false), "the newest is there") }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: small.file)).count <= 10_000_000)
        // A new key keeps the tiles; another server does not.
        var other = small
        other.url = "https://a.example/{z}/{x}/{y}?k=2"
        #expect(try KeptTiles(other).count().tiles > 5)
        other.url = "https://b.example/{z}/{x}/{y}"
        #expect(try KeptTiles(other).count().tiles == 0)
        for damage in [Data("no database".utf8), Data(repeating: 7, count: 50_000)] {
            try damage.write(to: URL(fileURLWithPath: small.file))
            let file = try KeptTiles(small)
            try file.keep([1], at: place(1))
            #expect(try file.tile(place(1)) == .picture([1]))
        }
        // Two processes write into one file.
        let (one, two) = (try KeptTiles(small), try KeptTiles(small))
        for column in 0..<20 { try (column % 2 == 0 ? one : two).keep([2], at: place(column)) }
        #expect(try one.count().tiles == 20 && two.tile(place(18)) == .picture([2]))
    }

    @Test func aFolderThatCanNotBeWrittenIsNoFault() async throws {
        let file = folder.appendingPathComponent("maps")
        try Data().write(to: file)
        let server = try await ScriptedServer("tiles.py")
        let rig = try await rig(options(template(server, "good")))
        #expect(try await get(rig, "/maps/online/5/17/11").status == 204)
        #expect(try await get(rig, "/maps.json").status == 200)
        #expect(server.requests.isEmpty)
    }
}

private let silentLog = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Answers when it is released.
private final class HeldSource: TileSource {
    private struct State {
        var urls: [String] = []
        var (now, most) = (0, 0)
        var isHeld = true
    }

    private let state = Mutex(State())

    var urls: [String] { state.withLock { $0.urls } }
    var most: Int { state.withLock { $0.most } }
    func release() { state.withLock { $0.isHeld = false } }

    func tile(at url: String, limit: Int) async throws(OnlineServiceError) -> FetchedTile? {
        state.withLock {
            $0.urls.append(url)
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        while state.withLock({ $0.isHeld }) { await Task.yield() }
        state.withLock { $0.now -= 1 }
        return nil
    }
}
