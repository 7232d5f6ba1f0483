import BluetoothProtocol
import Dashboard
import FlightMath
import Foundation
import Gateway
import GatewayReports
import TestSupport
import Testing

@testable import sondygo2mqtt

/// `setup` in the browser asks what the terminal asks, tests each answer, and keeps it in the same file.
@Suite(.timeLimit(.minutes(10))) struct BrowserSetupTests {
    /// Both ask the same questions, and each text exists in each language.
    @Test(arguments: Language.allCases) func everyQuestionInEachLanguage(_ language: Language) async throws {
        let texts = SetupPageTexts(language)
        let steps = SetupStep.all(texts)
        let fields = steps.flatMap(\.fields).map(\.question)
        #expect(Set(steps.map(\.question) + fields) == Set(SetupQuestion.allCases))
        #expect(Set(texts.titles.keys) == Set(steps.map(\.question)))
        #expect(Set(texts.questions.keys) == Set(steps.map(\.question)))
        #expect(Set(texts.labels.keys) == Set(fields))
        #expect(texts.words.map(\.key) == SetupPageTexts(.english).words.map(\.key))
        let told = try await Box().questions(language)
        #expect(told["open"] as? Bool == true && (told["steps"] as? [[String: Any]])?.count == steps.count)
        for step in steps {
            for choice in step.choices {
                #expect(step.question == .site || step.question.values(for: choice.value) != nil, "\(choice)")
            }
        }
    }

    /// Without a key, or without commands, the page gets a reason in its language, and no question.
    @Test func aClosedPageGetsAReason() async throws {
        let box = try Box()
        for (access, begin) in [(SetupAccess.keyless, "Diese Seite hat keinen"), (.readOnly, "Diese Seite nimmt")] {
            let told = try await box.questions(.german, access)
            #expect(told["open"] as? Bool == false && told["steps"] == nil)
            #expect((told["why"] as? String)?.hasPrefix(begin) == true)
        }
    }

    /// A gateway of which only the page is configured is new. After the first answer it is not.
    @Test func theFirstVisit() async throws {
        let box = try Box("dashboard: {port: 8090}\n")
        #expect(try await box.questions(.english)["first"] as? Bool == true)
        #expect(try await box.answer(["id": "car1"])["kept"] as? Bool == true)
        let told = try await box.questions(.english)
        #expect(told["first"] as? Bool == false && told["waits"] as? Bool == true)
    }

    /// A yes to roads gives the map its server, waits for no new start, and tells whose they are.
    @Test func roadsCountAtOnce() async throws {
        let box = try Box()
        #expect(box.page.onlineMaps().isEmpty)
        #expect(try await box.answer(["roads": "yes"])["kept"] as? Bool == true)
        let map = try #require(box.page.onlineMaps().first)
        #expect(map.host == "tile.openstreetmap.org" && map.attribution == "© OpenStreetMap contributors")
        #expect(try await box.questions(.english)["waits"] as? Bool == false)
        #expect(try await box.answer(["roads": "no", "id": "car1"])["kept"] as? Bool == true)
        #expect(box.page.onlineMaps().isEmpty)
        #expect(try await box.questions(.english)["waits"] as? Bool == true)
    }

    @Test func answersAreKeptBesideTheUsersFile() async throws {
        let ours = "# Ours.\nannounce: {language: fr}\nsondehub: {url: 'http://127.0.0.1:1'}\n"
        let box = try Box(ours)
        for (name, answer) in [
            ("id", "car7"), ("receiver", "AA:BB:CC:DD:EE:FF"), ("place", "52.52,13.4"), ("site", "10393"),
            ("roads", "yes"), ("route", "yes"), ("tablets", "yes"), ("call-sign", "HB9XYZ"),
        ] {
            #expect(try await box.answer([name: answer])["kept"] as? Bool == true, "\(name)")
        }
        #expect(try String(contentsOf: box.file, encoding: .utf8) == ours)
        let loaded = try box.loader.load()
        #expect(loaded.gateway.id == "car7" && loaded.sondeHub.site == "10393" && loaded.sondeHub.latitude == 52.52)
        #expect(loaded.receiver.ble.address?.description == "AA:BB:CC:DD:EE:FF")
        #expect(loaded.dashboard.address == "::" && loaded.dashboard.tiles.url != nil)
        #expect(loaded.services.route.url == "https://router.project-osrm.org" && loaded.chaseOptions.route.isPublic)
        #expect(loaded.feeds.chaseCar.callSign == "HB9XYZ" && loaded.language == .french)
        // The present answers stand in the questions.
        let steps = try #require(try await box.questions(.english)["steps"] as? [[String: Any]])
        let present = Dictionary(uniqueKeysWithValues: steps.map { ($0["name"] as? String, $0["present"] as? String) })
        #expect(present["id"] == "car7" && present["roads"] == "yes" && present["place"] == "52.52,13.4")
        #expect(steps.first { $0["name"] as? String == "language" }?["fixed"] as? Bool == true)
    }

    /// An answer -> the question and the words of its refusal. Nothing is written.
    @Test(
        arguments: [
            (["language": "de"], "language", "ändere es dort"), (["id": "Car 1"], "id", "Kleinbuchstaben"),
            (["tablets": "open"], "tablets", "open"), (["receiver": "AA:BB"], "receiver", "AA:BB:CC:DD:EE:FF"),
            (["site": "Payerne"], "site", "SondeHub antwortet nicht"), (["roads": "maybe"], "roads", "ja oder nein"),
            (["route": "maybe"], "route", "ja oder nein"),
            (["place": "somewhere"], "place", "Link einer Karte"), (["colour": "red"], nil, "no question colour"),
            (["id": "car1", "call-sign": "x y"], "call-sign", "3 bis 20"),
            (["call-sign": "a b"], "call-sign", "Ziffern, - und / oder none"),
            (["id": String(repeating: "a", count: 501)], "id", "64"),
        ] as [([String: String], String?, String)])
    func refuses(_ answers: [String: String], _ question: String?, _ text: String) async throws {
        let box = try Box("announce: {language: fr}\nsondehub: {url: 'http://127.0.0.1:1'}\n")
        let told = try await box.answer(answers, .german)
        #expect(told["kept"] as? Bool == false && told["question"] as? String == question)
        #expect((told["text"] as? String)?.contains(text) == true, "\(told)")
        #expect(access(box.answersFile.path, F_OK) != 0)
    }

    @Test(arguments: ["", "[]", "{}", "{\"answers\":1}", "{\"restart\":false}", "{\"answers\":{},\"restart\":true}"])
    func whatIsNoRequest(_ body: String) async throws {
        #expect(try await Box().page.handle(Array(body.utf8), in: .english) == nil)
    }

    /// The broker is tested before it is kept. The page gets the code of the fault, for its own words.
    @Test func theBroker() async throws {
        let box = try Box()
        let silent = try await box.answer(["mqtt-host": "127.0.0.1:\(Broker.freePort())"])
        #expect(silent["kept"] as? Bool == false && silent["question"] as? String == "mqtt-host")
        #expect(silent["code"] as? String == "broker_failed")
        #expect(access(box.answersFile.path, F_OK) != 0)
        let broker = try await Broker()
        let kept = try await box.answer([
            "mqtt-host": "127.0.0.1:\(broker.port)", "mqtt-user": "anna", "mqtt-password": "to the club",
        ])
        #expect(kept["kept"] as? Bool == true, "\(kept)")
        let loaded = try box.loader.load()
        #expect(loaded.mqtt.port == broker.port && loaded.mqtt.username == "anna" && loaded.password == "to the club")
        let path = try #require(loaded.mqtt.passwordFile)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600 && path == box.folder.path + "/mqtt_password")
        // The terminal's next password counts, though it stands in another file.
        let secret = box.folder.appendingPathComponent("secret")
        try Data("another\n".utf8).write(to: secret)
        let terminal = try Child(
            GatewayProgram.path,
            ["setup", "--config", box.file.path, "--mqtt-password-file", secret.path, "--no-questions"],
            environment: box.loader.environment)
        #expect(try await terminal.exitCode() == 0, "\(terminal.text)")
        #expect(try box.loader.load().password == "another")
    }

    /// What the box found: the connected receiver, the car, the nearest sites only with a place.
    @Test func whatWasFound() async throws {
        let box = try Box("sondehub: {url: 'http://127.0.0.1:1'}\ngpsd: {enabled: false}\n")
        var search = SetupSearch(question: "place", car: Coordinate(latitude: 46.80017, longitude: 6.9))
        let place = try await box.found(search)
        #expect((place["items"] as? [[String: String]])?.first?["value"] == "46.8,6.9")
        search.question = "site"
        #expect(try await box.found(search)["note"] as? String == SetupTexts(.english).sitesUnknown)
        search.question = "mqtt-host"
        let brokers = try await box.found(search)["items"] as? [[String: String]] ?? []
        #expect(brokers.contains { $0["value"] == "localhost:1883" })
        search.question = "colour"
        #expect(await box.page.found(search, in: .english) == nil)
    }

    /// A configuration in a folder of its own, and the page's setup of it.
    private struct Box {
        let folder: URL
        let loader: ConfigurationLoader
        let page: SetupPage

        init(_ text: String = "") throws {
            folder = try temporaryDirectory()
            let file = folder.appendingPathComponent("config.yaml")
            try Data(text.utf8).write(to: file)
            loader = ConfigurationLoader(
                path: file.path, environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path])
            page = SetupPage(running: try loader.load(), loader: loader, restart: RestartRequest())
        }

        var file: URL { folder.appendingPathComponent("config.yaml") }
        var answersFile: URL { folder.appendingPathComponent("setup.yaml") }

        func questions(_ language: Language, _ access: SetupAccess = .open) async throws -> [String: Any] {
            try Self.object(await page.questions(access, in: language))
        }

        func answer(_ answers: [String: String], _ language: Language = .english) async throws -> [String: Any] {
            let body = try JSONSerialization.data(withJSONObject: ["answers": answers])
            return try Self.object(try #require(await page.handle(Array(body), in: language)))
        }

        func found(_ search: SetupSearch) async throws -> [String: Any] {
            try Self.object(try #require(await page.found(search, in: .english)))
        }

        private static func object(_ json: [UInt8]) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        }
    }
}
