import Dashboard
import Foundation
import TestSupport
import Testing

@testable import sondygo2mqtt

/// `maps fetch` with the real program and a tile server on loopback.
@Suite(.timeLimit(.minutes(10))) struct MapsCommandTests {
    private func start(_ arguments: [String], url: String?, state: URL? = nil) throws -> Child {
        var environment = ["SONDYGO_DASHBOARD_TILES_ATTRIBUTION": "© Somebody"]
        environment["SONDYGO_DASHBOARD_TILES_URL"] = url
        environment["SONDYGO_GATEWAY_STATE_DIRECTORY"] = state?.path
        return try GatewayProgram.start(["maps", "fetch"] + arguments, environment: environment)
    }

    /// Arguments, the tile server, the exit code, and a part of the sentence.
    @Test(
        arguments: [
            (["--around", "47.1,7.4", "--km", "5"], nil, 78, "dashboard.tiles.url names no tile server"),
            (
                ["--around", "47.1", "--km", "5"], "https://t.example/{z}/{x}/{y}", 64,
                "--around 47.1: give latitude,longitude"
            ),
            (["--around", "47,1 7,4", "--km", "5"], "https://t.example/{z}/{x}/{y}", 64, "--around 47,1 7,4: give"),
            (["--around", "95,7", "--km", "5"], "https://t.example/{z}/{x}/{y}", 64, "--around"),
            (["--around", "nan,7", "--km", "5"], "https://t.example/{z}/{x}/{y}", 64, "--around"),
            (["--around", "47,7", "--km", "501"], "https://t.example/{z}/{x}/{y}", 64, "--km"),
            (["--around", "47,7", "--km", "nan"], "https://t.example/{z}/{x}/{y}", 64, "--km"),
            (["--around", "47,7", "--km", "5", "--zoom", "8-19"], "https://t.example/{z}/{x}/{y}", 64, "--zoom 8-19"),
            (["--around", "47,7", "--km", "5", "--zoom=-3"], "https://t.example/{z}/{x}/{y}", 64, "--zoom"),
            (["--around", "47,7", "--km", "5", "--zoom", "9-8"], "https://t.example/{z}/{x}/{y}", 64, "--zoom"),
            (["--around", "47,7", "--km", "5"], "https://tile.openstreetmap.org/{z}/{x}/{y}.png", 1, "forbid"),
            (["--around", "47,7", "--km", "40"], "https://t.example/{z}/{x}/{y}", 1, "--yes fetches them"),
            (["--around", "47,7", "--km", "300"], "https://t.example/{z}/{x}/{y}", 69, "dashboard.tiles.max_mb"),
        ] as [([String], String?, Int32, String)])
    func wrongFetchesAreRefused(_ arguments: [String], _ url: String?, _ code: Int32, _ text: String) async throws {
        let child = try start(arguments, url: url)
        #expect(try await child.exitCode() == code, "\(child.text)")
        #expect(child.wholeText.contains(text), "\(child.text)")
    }

    /// `maps fetch` says first how much it will fetch, and shows its progress. After a kill it goes on where it was.
    @Test func aKilledFetchGoesOn() async throws {
        let server = try await ScriptedServer("tiles.py")
        let state = try temporaryDirectory()
        let arguments = ["--around", "47.1,7.4", "--km", "3", "--zoom", "8-12"]
        let url = server.url("good") + "/{z}/{x}/{y}.png"
        let first = try start(arguments, url: url, state: state)
        try await eventually("some tiles") { (server.requests.count >= 3).orNil }
        first.kill(SIGKILL)
        _ = try await first.exitCode()
        let before = server.requests.count
        let second = try start(arguments, url: url, state: state)
        #expect(try await second.exitCode() == 0, "\(second.text)")
        let lines = second.wholeText.split(separator: "\n")
        let tiles = Set(server.requests.map(\.path)).count
        #expect(lines.first?.hasPrefix("\(tiles) tiles, ") == true, "\(second.text)")
        #expect(lines.first?.contains("to fetch from 127.0.0.1:\(server.port): about ") == true)
        #expect(lines.contains { $0.hasPrefix("\(tiles)/\(tiles), ") } && lines.last?.hasPrefix("Fetched ") == true)
        // The tile that was under way at the kill may come twice.
        #expect(server.requests.count <= tiles + 1 && server.requests.count > before)
        #expect(server.requests.allSatisfy { $0.headers["User-Agent"]?.contains("https://github.com/") == true })
        let third = try start(arguments, url: url, state: state)
        #expect(try await third.exitCode() == 0 && third.wholeText.contains(", 0 of them to fetch"))
        #expect(server.requests.count <= tiles + 1)
    }

    /// What `landing_point` takes names the area, too; the server is then asked, and has nothing there.
    @Test(arguments: ["47.1 7.4", "geo:47.1,7.4", "https://www.openstreetmap.org/#map=14/47.1/7.4"])
    func anAreaIsNamedAsALandingPointIs(_ around: String) async throws {
        let server = try await ScriptedServer("tiles.py")
        let state = try temporaryDirectory()
        let url = server.url("absent") + "/{z}/{x}/{y}.png"
        let child = try start(["--around", around, "--km", "1", "--zoom", "12"], url: url, state: state)
        #expect(try await child.exitCode() == 69, "\(child.text)")
        #expect(child.wholeText.contains("has no tile at"), "\(child.text)")
        // 47.1° N 7.4° E is in tile 12/2132/1439.
        #expect(server.requests.contains { $0.path == "/absent/12/2132/1439.png" })
    }

    /// Wrong settings of the tile server are refused with a sentence.
    @Test(
        arguments: [
            ("http://tile.example/{z}/{x}/{y}", "https URL with {z}, {x} and {y}"),
            ("https://t.example/{z}/{x}", "{y}"),
            ("https://t.example/{z}/{x}/{y}/{s}", "{y}"), ("https://t.example/{z}/{x}/{y}/{y}", "{y}"),
            ("https://t.example/{z}/{x}/{y}?k=a|b", "https URL"), ("https://t.example/{z}/{x}/{y} ", "https URL"),
            ("https://u:p@t.example/{z}/{x}/{y}", "https URL"), ("{z}/{x}/{y}", "https URL"),
            ("https://t.example/{z}/{x}/{y}", "dashboard.tiles.attribution: needed"),
        ])
    func wrongTileServersAreRefused(_ url: String, _ text: String) throws {
        let loader = ConfigurationLoader(path: "/dev/null", environment: ["SONDYGO_DASHBOARD_TILES_URL": url])
        do {
            _ = try loader.load()
            Issue.record("\(url) is accepted")
        } catch {
            #expect(error.description.contains(text), "\(error.description)")
        }
    }

    /// Pictures from above have a server of their own, with its own attribution.
    @Test func aServerOfPicturesIsAMapOfItsOwn() throws {
        var environment = ["SONDYGO_DASHBOARD_SATELLITE_URL": "http://192.168.1.5/{z}/{x}/{y}?key=secret"]
        #expect(throws: (any Error).self) {
            try ConfigurationLoader(path: "/dev/null", environment: environment).load()
        }
        environment["SONDYGO_DASHBOARD_SATELLITE_ATTRIBUTION"] = "© Somebody"
        let configuration = try ConfigurationLoader(path: "/dev/null", environment: environment).load()
        #expect(configuration.onlineMap == nil)
        #expect(configuration.dashboardOptions.onlineMaps.map(\.name) == ["online-satellite"])
        #expect(!"\(configuration.info)".contains("secret"))
    }

    /// The address may hold a key: nobody else gets it.
    @Test func theAddressIsNotPublic() throws {
        let loader = ConfigurationLoader(
            path: "/dev/null",
            environment: [
                "SONDYGO_DASHBOARD_TILES_URL": "http://192.168.1.5/{z}/{x}/{y}?key=secret",
                "SONDYGO_DASHBOARD_TILES_ATTRIBUTION": "© Somebody",
            ])
        let configuration = try loader.load()
        #expect(configuration.onlineMap?.host == "192.168.1.5")
        #expect(!"\(configuration.info)".contains("secret"))
    }
}
