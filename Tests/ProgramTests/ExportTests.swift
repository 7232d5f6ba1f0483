import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// `flights` and `export` on a real store. Independent parsers and schemas check the files.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ExportTests {
    private let folder: URL
    private let store: FlightStore

    init() throws {
        folder = try temporaryDirectory()
        store = FlightStore(
            path: folder.path + "/gateway.sqlite",
            bounds: StoreBounds(messages: 10, messageHours: 1, flightDays: 3650, megabytes: 500)
        ) { _ in }
    }

    private func run(_ arguments: [String]) async throws -> (code: Int32, text: String) {
        let child = try GatewayProgram.start(
            arguments, environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path])
        return (try await child.exitCode(), child.text)
    }

    private static func points(_ count: Int, at start: Int64, gapAfter: Int = .max) -> [TrackPoint] {
        (0..<count).map { index in
            // Climbs for half of the points, then falls.
            let height = Double(min(index, count - index)) * 5
            return TrackPoint(
                time: WallTime(millisecondsSince1970: start + Int64(index) * 1000 + (index > gapAfter ? 90_000 : 0)),
                coordinate: Coordinate(
                    latitude: 46.8 + Double(index) * 1.1e-5, longitude: 6.9 + Double(index) * 2.3e-5),
                altitudeMetres: 480 + height, source: index % 7 == 3 ? .sondehub : .ble)
        }
    }

    private func record(_ entries: [FlightLogEntry]) async throws {
        _ = try await store.save(StoreBatch(entries: entries), now: nil)
    }

    private func serial(_ name: String) throws -> SondeSerial {
        try #require(SondeSerial(name: name, type: .other("")))
    }

    /// Python decodes one flight in each format and compares each number. XML is checked against the formats' schemas.
    @Test func everyFormatHoldsTheFlight() async throws {
        let points = Self.points(3000, at: 1_795_314_600_123, gapAfter: 700)
        try await record([.points(try serial("V4210150"), .rs41, points)])
        let wanted = points.map { point -> [Any] in
            [
                point.time.millisecondsSince1970, point.coordinate.latitude, point.coordinate.longitude,
                point.altitudeMetres, point.source.rawValue,
            ]
        }
        let list = folder.appendingPathComponent("points.json")
        try JSONSerialization.data(withJSONObject: wanted).write(to: list)
        var files: [String] = []
        for format in FlightFileFormat.allCases {
            let file = folder.appendingPathComponent("flight.\(format.rawValue)").path
            let child = try Child(
                "sh",
                ["-c", "exec \"$0\" export v4210150 --format \(format.rawValue) > \"$1\"", GatewayProgram.path, file],
                environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path])
            #expect(try await child.exitCode() == 0, "\(child.text)")
            files.append(file)
        }
        let reader = try Child("python3", [Fixtures.url("Tests/Peers/flight_files.py").path, list.path] + files)
        #expect(try await reader.exitCode() == 0, "\(reader.text)")
        #expect(
            reader.lines == [
                "gpx 3000", "waypoints launch burst", "kml 3000", "csv 3000", "geojson 3000", "the same",
            ])
        let linked = folder.appendingPathComponent("link.kml").path
        try Data(LiveMap.networkLink(to: "http://car.local:8080/dynamic.kml")).write(to: URL(fileURLWithPath: linked))
        let xml = files.filter { $0.hasSuffix("gpx") || $0.hasSuffix("kml") } + [linked]
        let lint = try Child(Fixtures.url("Tests/Peers/xml-schemas.sh").path, xml)
        #expect(try await lint.exitCode(within: 200) == 0, "\(lint.text)")
        #expect(lint.lines.count { $0.hasSuffix(" validates") } == 3)
    }

    /// The page's downloads equal the files of `export` byte for byte.
    @Test func thePageServesTheExportedFiles() async throws {
        try await record([
            .points(try serial("V4210150"), .rs41, Self.points(3000, at: 1_795_314_600_123, gapAfter: 700))
        ])
        let port = Broker.freePort()
        let gateway = try GatewayProgram.start(
            ["run", "--transport", "tcp", "--receiver-port", "1"],
            environment: [
                "SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path, "SONDYGO_DASHBOARD_ENABLED": "true",
                "SONDYGO_DASHBOARD_PORT": "\(port)", "SONDYGO_MQTT_PORT": "1", "SONDYGO_GPSD_ENABLED": "false",
            ])
        for format in FlightFileFormat.allCases {
            let file = folder.appendingPathComponent("http.\(format.rawValue)")
            try await download("http://127.0.0.1:\(port)/flights/V4210150.\(format.rawValue)", to: file)
            let exported = try await run(["export", "V4210150", "--format", format.rawValue])
            #expect(exported.code == 0 && exported.text.utf8.count > 50_000)
            #expect(try Data(contentsOf: file) == Data(exported.text.utf8), "\(format)")
        }
        let list = folder.appendingPathComponent("list.json")
        try await download("http://127.0.0.1:\(port)/api/flights", to: list)
        #expect(try String(contentsOf: list, encoding: .utf8).contains("\"V4210150\""))
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// Google Earth opens `/live.kml`, and then repeatedly the file that it names.
    @Test func theLiveMapShowsTheCurrentFlight() async throws {
        let (broker, port) = (try await Broker(), Broker.freePort())
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            [
                "simulate", "--car", "--speed", "20", "--launch-delay", "2", "--mqtt-host", "127.0.0.1", "--mqtt-port",
                "\(broker.port)",
            ],
            environment: [
                "SONDYGO_DASHBOARD_ENABLED": "true", "SONDYGO_DASHBOARD_PORT": "\(port)",
            ])
        try await eventually("a flight: \(gateway.text)", within: 200) {
            (subscriber.messages(on: "sondygo/test/position").count > 40
                && subscriber.messages(on: "sondygo/test/landing").contains { $0.json["latitude"] is Double }
                && subscriber.messages(on: "sondygo/test/chase").contains { $0.json["car"] is [String: Any] }).orNil
        }
        let (live, dynamic) = (folder.appendingPathComponent("live.kml"), folder.appendingPathComponent("dynamic.kml"))
        try await download("http://127.0.0.1:\(port)/live.kml", to: live)
        let link = try String(contentsOf: live, encoding: .utf8)
        let address = try #require(link.firstMatch(of: /<href>([^<]*)<\/href>/)?.1)
        #expect(address == "http://127.0.0.1:\(port)/dynamic.kml" && link.contains("<refreshInterval>5<"))
        // The map has the sonde at its published position, its track, the landing point and the car.
        let published = {
            Set(
                subscriber.messages(on: "sondygo/test/position").map(\.json).map { position in
                    ["latitude": position["latitude"] as? Double, "longitude": position["longitude"] as? Double]
                })
        }
        // At speed 20 a busy machine loses the car's fix for a moment.
        try await eventually("everything is on the map") {
            try await download(String(address), to: dynamic)
            let map = try String(contentsOf: dynamic, encoding: .utf8)
            let places = map.matches(of: /<Point>.*?<coordinates>([-0-9.]+),([-0-9.]+)[,<]/.dotMatchesNewlines()).map {
                ["latitude": Double($0.2), "longitude": Double($0.1)]
            }
            return (places.count >= 3 && map.contains("<LineString>") && !published().isDisjoint(with: places)).orNil
        }
        let current = folder.appendingPathComponent("current.gpx")
        try await download("http://127.0.0.1:\(port)/flights/current.gpx", to: current)
        let lint = try Child(
            Fixtures.url("Tests/Peers/xml-schemas.sh").path, [live.path, dynamic.path, current.path])
        #expect(try await lint.exitCode(within: 200) == 0, "\(lint.text)")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// Downloads a file; waits until the page is served.
    private func download(_ address: String, to file: URL) async throws {
        try await eventually("\(address)") {
            let child = try Child(
                "python3", ["-c", "import sys, urllib.request as r; r.urlretrieve(*sys.argv[1:])", address, file.path])
            return (try await child.exitCode() == 0).orNil
        }
    }

    /// The golden files pass the same checks.
    @Test func goldenFilesAreValid() async throws {
        let files = ["gpx", "kml"].map { Fixtures.url("Fixtures/files/flight.\($0)").path }
        let lint = try Child(Fixtures.url("Tests/Peers/xml-schemas.sh").path, files)
        #expect(try await lint.exitCode(within: 200) == 0, "\(lint.text)")
    }

    /// 50 000 points take at most 4 MB more memory than 10.
    @Test(arguments: FlightFileFormat.allCases)
    func aLongFlightTakesLittleMemory(_ format: FlightFileFormat) async throws {
        let start = Int64(1_795_000_000_000)
        try await record([
            .points(try serial("S0000001"), .rs41, Self.points(10, at: start)),
            .points(try serial("L0000001"), .rs41, Self.points(50_000, at: start)),
        ])
        func peak(_ name: String) async throws -> Int {
            let script = """
                import os, resource, subprocess, sys
                subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """
            let child = try Child(
                "python3", ["-c", script, GatewayProgram.path, "export", name, "--format", format.rawValue],
                environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path])
            #expect(try await child.exitCode(within: 200) == 0, "\(child.text)")
            return try #require(child.lines.last.flatMap { Int($0) })
        }
        let more = try await bestOfThree(kilobytesBelow: 4096) {
            try await peak("L0000001") - peak("S0000001")
        }
        #expect(more < 4096, "\(format): \(more) kB more for 50 000 points than for 10")
    }

    @Test func theListShowsFlightsAndScores() async throws {
        #expect(try await run(["flights"]).code == 69)
        let landed = try serial("V4210150")
        let points = Self.points(600, at: 1_795_314_600_000)
        let place = Coordinate(latitude: 46.81, longitude: 6.92)
        try await record([
            .points(landed, .rs41, points), .points(try serial("023-1-11111"), .m20, Self.points(5, at: 0)),
        ])
        let before = try await run(["flights", "--scores"])
        #expect(before.code == 0)
        #expect(before.text.contains("V4210150     RS41   2026-11-22T"), "\(before.text)")
        #expect(!before.text.contains("off by"))
        let landingAt = WallTime(millisecondsSince1970: 1_795_315_300_000)
        let prediction = StoredPrediction(
            method: .ownWinds, at: landingAt.advanced(byMilliseconds: -360_000), isDescending: true, minutesToGo: 5,
            kilometresToGo: 3, landing: Coordinate(latitude: 46.82, longitude: 6.92), radius90: 500)
        let lesson = FlightLesson(
            serial: landed, sondeType: .rs41, at: landingAt, launch: Coordinate(latitude: 46.8, longitude: 6.9),
            landing: FlightLesson.Landing(place, altitudeMetres: 480), burstMetres: 1980, descentRate: 6)
        let recovery = Recovery(
            landed, .recovered, by: "HB9XYZ", note: "in a\ntree", at: landingAt, coordinate: place,
            altitudeMetres: 480)
        try await record([.prediction(landed, prediction), .lesson(landed, lesson), .recovery(landed, recovery)])
        let list = try await run(["flights", "--scores"])
        #expect(list.text.split(separator: "\n").count == 5)
        let learned =
            "learned: RS41 launched near 46.80000,6.90000 falls at 6.0m/s (from 1 flight, too few to be used), "
            + "bursts at 1980m (from 1 flight, too few to be used)"
        #expect(list.text.contains(learned), "\(list.text)")
        #expect(list.text.contains("46.81000,6.92000 480m landed, recovered HB9XYZ"), "\(list.text)")
        // The prediction 6 minutes before the landing was 0.01 degrees of latitude off. Five minutes later it was too
        // old.
        #expect(list.text.contains("own_winds  off by: 30 min before -, 15 min -, 5 min 1112m, last -"), "\(list.text)")
        let drive = [
            (landingAt.advanced(byMilliseconds: -1_200_000), 0.1), (landingAt.advanced(byMilliseconds: 300_000), 0),
        ]
        try await record(
            drive.map { time, east in
                .carPoint(
                    landed,
                    CarPoint(
                        time: time, coordinate: Coordinate(latitude: 46.81, longitude: 6.92 + east), altitudeMetres: nil
                    ))
            })
        try await record([
            .receiver(landed, ReceiverEvent(.connected, at: points[0].time, firmware: "2.30")),
            .receiver(landed, ReceiverEvent(.lost, at: points[9].time)),
        ])
        let log = try await run(["flights", "--log"])
        #expect(
            log.text.contains(
                "  car 7.6km from 2026-11-22T02:21Z to 2026-11-22T02:46Z, at the sonde 2026-11-22T02:46Z"),
            "\(log.text)")
        #expect(
            log.text.contains("\n  receiver: firmware 2.30, restarts 0, losses 1\n  note: in a tree\n"), "\(log.text)")
        let gpx = try await run(["export", "V4210150", "--format", "gpx"])
        #expect(gpx.text.contains("<trk><name>car</name>"))
        let csv = try await run(["export", "V4210150", "--format", "csv", "--car"])
        #expect(
            csv.text.hasSuffix("2026-11-22T02:46:40.000Z,46.810000,6.920000,,,,car,,,,,,,,,,\n"),
            "\(csv.text.suffix(300))")
        #expect(try await run(["export", "V4210150", "--format", "csv"]).text.contains(",car,") == false)
        #expect(try await run(["export", "V4210150", "--format", "kml", "--car"]).code == 64)
        #expect(try await run(["flights", "--limit", "1"]).text.split(separator: "\n").count == 2)
        #expect(try await run(["flights", "--limit", "0"]).code == 64)
    }

    /// `coverage` has a line for each direction in which something was heard from a known place.
    @Test func theCoverageIsShown() async throws {
        let heard = try serial("V4210150")
        let points = Self.points(600, at: 1_795_314_600_000)
        try await record([.points(heard, .rs41, points)])
        #expect(try await run(["coverage"]).text.contains("nothing was heard from a known place yet"))
        let samples = points.enumerated().map { index, point in
            var sample = HeardSample(time: point.time, source: .ble)
            sample.rssiDBm = index < 300 ? -70.4 : -110
            sample.view = HeardSample.View(
                azimuthDegrees: index < 300 ? 359 : 89, distanceMetres: index < 300 ? 9000 : 120_000)
            return FlightLogEntry.sample(heard, sample)
        }
        try await record(samples)
        let lines = try await run(["coverage"]).text.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(
            lines == [
                "heard <10km <25km <50km <100km <200km >200km farthest", "N 300 -70dBm - - - - - 9km",
                "E 300 - - - - -110dBm - 120km",
            ], "\(lines)")
    }

    @Test func wrongArgumentsAreRefused() async throws {
        let nothing = try await run(["export", "V4210150", "--format", "gpx"])
        #expect(nothing.code == 69)
        #expect(nothing.text.contains("is gateway.state_directory right"), "\(nothing.text)")
        try await record([.points(try serial("V4210150"), .rs41, Self.points(5, at: 1_795_314_600_000))])
        let unknown = try await run(["export", "V9", "--format", "gpx"])
        #expect(unknown.code == 69)
        #expect(unknown.text.contains("no flight of V9 is recorded"))
        #expect(try await run(["export", "V4210150", "--format", "pdf"]).code == 64)
        #expect(try await run(["export", "V4210150"]).code == 64)
        #expect(try await run(["export", "--", "--"]).code == 64)
    }

    /// An incomplete output must not look complete.
    @Test(arguments: [["flights"], ["export", "V4210150", "--format", "csv"], ["check-config"]])
    func aFailedOutputEndsWithAnError(_ arguments: [String]) async throws {
        try await record([.points(try serial("V4210150"), .rs41, Self.points(5, at: 1_795_314_600_000))])
        let child = try Child(
            "sh", ["-c", #"exec "$@" > /dev/full"#, "sh", GatewayProgram.path] + arguments,
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path])
        #expect(try await child.exitCode() == 69)
        #expect(child.text.contains("can't write: No space left on device"), "\(child.text)")
    }

    /// Neither an old nor a damaged nor a foreign file is changed.
    @Test func readingNeverChangesTheStore() async throws {
        let path = folder.path + "/gateway.sqlite"
        try Data("no database, but long enough to be looked at by somebody".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try await run(["flights"]).text.contains("the store is damaged"))
        #expect(try await run(["flights"]).code == 69)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["gateway.sqlite"])
    }
}
