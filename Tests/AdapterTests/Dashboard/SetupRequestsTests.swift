import Dashboard
import FlightMath
import GatewayReports
import TestSupport
import Testing

/// Who may answer the questions of `setup` in the browser: whoever has the page's key. Loopback is no proof.
@Suite(.timeLimit(.minutes(10))) struct SetupRequestsTests {
    private static let key = "abcdefghijklmnop"

    @Test func onlyWithTheKey() async throws {
        let open = try await DashboardRig(key: Self.key, setup: EchoDesk())
        #expect(try await ask(open, "GET", "/api/setup", key: nil).status == 401)
        #expect(try await ask(open, "GET", "/api/setup?language=de").body.contains("open de"))
        let found = try await ask(open, "GET", "/api/setup/found?question=site&place=52.5%2C13.4&language=xx")
        #expect(found.status == 200 && found.body.contains("site 52.5,13.4 en"))
        #expect(try await ask(open, "GET", "/api/setup/found?question=colour").status == 400)
        #expect(try await ask(open, "POST", "/api/setup", "{}").body.contains("{}"))
        #expect(try await ask(open, "POST", "/api/setup", "[]").status == 400)
    }

    /// The map has the roads of an answer at once.
    @Test func roadsNeedNoNewStart() async throws {
        let rig = try await DashboardRig(key: Self.key, setup: EchoDesk())
        #expect(try await ask(rig, "GET", "/maps.json").body == "[]")
        #expect(try await ask(rig, "POST", "/api/setup", "{}").status == 200)
        let maps = try await ask(rig, "GET", "/maps.json").body
        #expect(maps.contains("\"online\"") && maps.contains("© Road Makers"))
        #expect(try await ask(rig, "GET", "/maps/online/15/0/0").status == 204)
    }

    @Test func withoutAKeyNobody() async throws {
        for (rig, word) in [
            (try await DashboardRig(setup: EchoDesk()), "keyless"),
            (try await DashboardRig(allowsCommands: false, key: Self.key, setup: EchoDesk()), "readOnly"),
        ] {
            #expect(try await ask(rig, "GET", "/api/setup").body.contains(word))
            #expect(try await ask(rig, "GET", "/api/setup/found?question=site").status == 403)
            #expect(try await ask(rig, "POST", "/api/setup", "{}").status == 403)
        }
    }

    /// A simulated flight has nothing to set up.
    @Test func withoutADeskThereIsNothing() async throws {
        let rig = try await DashboardRig(key: Self.key)
        #expect(try await ask(rig, "GET", "/api/setup").body == "{\"open\":false}")
        #expect(try await ask(rig, "POST", "/api/setup", "{}").status == 403)
    }

    private func ask(
        _ rig: DashboardRig, _ method: String, _ path: String, _ body: String = "", key: String? = Self.key
    ) async throws -> RawClient {
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        let cookie = key.map { "Cookie: sondygo2mqtt_\(rig.port)=\($0)\r\n" } ?? ""
        client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                + "\(cookie)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        try await eventually("an answer to \(path)") {
            client.read()
            return client.isClosed.orNil
        }
        return client
    }

    /// Answers with what it gets.
    private struct EchoDesk: SetupDesk {
        func questions(_ access: SetupAccess, in language: Language) async -> [UInt8] {
            Array("\(access) \(language.rawValue)".utf8)
        }

        func found(_ search: SetupSearch, in language: Language) async -> [UInt8]? {
            guard search.question != "colour" else { return nil }
            return Array("\(search.question) \(search.place ?? "") \(language.rawValue)".utf8)
        }

        func handle(_ body: [UInt8], in language: Language) async -> [UInt8]? { body == Array("[]".utf8) ? nil : body }

        func onlineMaps() -> [OnlineMapOptions] {
            [
                OnlineMapOptions(
                    url: "http://127.0.0.1:1/{z}/{x}/{y}", attribution: "© Road Makers", maximumZoom: 14, megabytes: 10,
                    folder: "/dev/null/none")
            ]
        }
    }
}
