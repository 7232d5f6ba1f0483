import Foundation
import ReceiverProtocol
import Testing

@testable import Feeds
@testable import FlightMath
@testable import GatewayReports

/// The recovery feed's bytes and answers.
@Suite struct RocketTests {
    /// The sample in the app's documentation: 10 min, 30 km, 5 m/s up, 11.97 hPa, -45 °C, 15.43 m/s to the east.
    @Test func theSampleOfTheDocuments() {
        var sample = FlashSample(
            milliseconds: 600_000, altitudeMetres: 30_000, coordinate: Coordinate(latitude: 46.82, longitude: 6.94),
            state: .coast)
        (sample.verticalSpeed, sample.pascal, sample.celsius) = (5, 1197, -45)
        (sample.speed, sample.courseDegrees) = (15.43, 90)
        #expect(
            sample.bytes.hex
                == "C0270900C0C62D00F401AD0400003EFEA06ACA0260E56900070684030000000000000000000000000000000000000003"
                + "00000000")
        #expect(sample.bytes.count == FlashSample.length)
        sample.milliseconds = -5
        (sample.verticalSpeed, sample.speed, sample.courseDegrees, sample.altitudeMetres) = (
            -9999, .nan, .infinity, 1e12
        )
        #expect(Array(sample.bytes[0..<10]).hex == "00000000FFFFFF7F0080")
    }

    @Test func theHeadersChecksumIsRight() {
        let header = FlashHeader(
            id: 7, startedAt: WallTime(millisecondsSince1970: 1_795_314_855_000), samples: 5400, highestMetres: 33_000,
            fastest: 6.5, apogee: .seconds(3600), duration: .seconds(5400),
            start: Coordinate(latitude: 46.82, longitude: -6.94))
        let bytes = header.bytes
        #expect(bytes.count == 80)
        #expect(Array(bytes[0..<20]).hex == "544847460100000007000000A754026B18150000")
        let sum = bytes[0..<68].reduce(0 as UInt32) { $0 + UInt32($1) }
        #expect(bytes[68..<72].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) } == sum)
        #expect(bytes[72...].allSatisfy { $0 == 0 })
    }

    @Test(
        arguments: [
            ("{\"cmd\":\"flash_read\",\"rocket\":0,\"slot\":1,\"sample\":120}", .flashRead(slot: 1, sample: 120)),
            ("{\"cmd\":\"flash_read\",\"slot\":1,\"start\":3}", .flashRead(slot: 1, sample: 3)),
            ("{\"cmd\":\"flash_read\",\"slot\":1,\"header\":true}", .flashRead(slot: 1, sample: nil)),
            ("{\"cmd\":\"flash_read\",\"slot\":1,\"sample\":4294967295}", .flashRead(slot: 1, sample: nil)),
            ("{\"cmd\":\"flash_read\",\"slot\":null}", .flashRead(slot: 0, sample: 0)),
            ("{\"cmd\":\"flash_list\"}", .flashList), ("{\"cmd\":\"flash_list\",\"rocket\":3}\r", .flashList),
            ("{\"cmd\":\"flash_delete\",\"slot\":255}", .refused), ("{\"cmd\":\"arm\"}", .refused),
            ("{\"cmd\":\"wifi_scan\"}", .refused), ("{\"cmd\":\"x\"}", .unknown("x")), ("{\"cmd\":\"ping\"}", .ping),
        ] as [(String, RocketRequest.Command)])
    func requests(_ text: String, _ command: RocketRequest.Command) {
        #expect(RocketRequest(Array(text.utf8))?.command == command)
    }

    @Test(arguments: ["", "{", "[]", "{\"cmd\":5}", "{\"cmd\":null}", String(repeating: "{\"a\":", count: 100)])
    func wrongRequestsAreIgnored(_ text: String) {
        #expect(RocketRequest(Array(text.utf8)) == nil)
    }

    /// Invalid numbers must not read another place.
    @Test(arguments: [
        #""slot":1e300"#, #""slot":-1"#, #""slot":"1""#, #""slot":1.5"#, #""slot":true"#, #""slot":1,"sample":-1"#,
        #""slot":1,"sample":1.5"#, #""slot":1,"start":1e19"#, #""slot":1,"sample":10000000000000000000"#,
    ])
    func impossibleNumbersAreIgnored(_ numbers: String) {
        #expect(RocketRequest(Array("{\"cmd\":\"flash_read\",\(numbers)}".utf8)) == nil)
    }

    /// The followed sonde has id 0. Then come the newest other sondes, each once, sixteen in all, with their ages.
    @Test func lastKnownPositions() throws {
        let sonde = try #require(try GoldenFeed.named("ascending").feedSonde)
        let now = WallTime(millisecondsSince1970: 1_795_400_000_000)
        let recorded = try (0..<40).map { index in
            let name = index == 1 ? sonde.serial.canonical : "S\(1_000_000 + index / 2)"
            let point = TrackPoint(
                time: now.advanced(byMilliseconds: -60_500 * Int64(index)),
                coordinate: Coordinate(latitude: 46 + Double(index) / 100, longitude: 7), altitudeMetres: 500,
                source: .ble)
            return ArchivedFlight(
                id: Int64(index), serial: try #require(SondeSerial(name: name, type: .other(""))), sondeType: .rs41,
                firstAt: point.time, last: point, points: 1, highestMetres: 500)
        }
        func rockets(_ sonde: FeedSonde?, hunted: String? = nil) throws -> [[String: Any]] {
            let serial = hunted.flatMap { SondeSerial(name: $0, type: .other("")) }
            let line = RocketMessage.rockets(sonde, hunted: serial, recorded: recorded, car: nil, at: now)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let rockets = try #require(object["rockets"] as? [[String: Any]])
            #expect(object["count"] as? Int == rockets.count)
            return rockets
        }
        let known = try rockets(sonde)
        #expect(known.map { $0["id"] as? Int } == Array(0...15))
        let names = known.compactMap { $0["name"] as? String }
        #expect(names.first == sonde.serial.canonical && Set(names).count == 16)
        #expect(Array(names[1...3]) == ["S1000000", "S1000001", "S1000002"])
        #expect(known[2]["age"] as? Int == 121 && known[2]["lat"] as? Double == 46.02 && known[2]["sats"] as? Int == 0)
        // No sonde is followed: the newest recorded one comes first.
        let others = try rockets(nil)
        #expect(others.first?["name"] as? String == "S1000000" && others.map { $0["id"] as? Int } == Array(0...15))
        // A followed sonde that nobody has heard yet, recorded or not.
        let hunted = try rockets(nil, hunted: "S1000007")
        #expect(hunted.map { $0["name"] as? String }[..<2] == ["S1000007", "S1000000"])
        #expect(hunted.map { $0["id"] as? Int } == Array(0...15))
        #expect(try rockets(nil, hunted: "W1234567").map { $0["id"] as? Int } == Array(1...15))
    }

    @Test func statesOfTheFlight() throws {
        var sonde = try #require(try GoldenFeed.named("descending").feedSonde)
        #expect(RocketState(sonde) == .apogee)
        sonde.burstAt = sonde.time.advanced(byMilliseconds: -61_000)
        #expect(RocketState(sonde) == .descent)
        let phases: [(FlightPhase, RocketState)] = [(.landed, .landed), (.ascending, .boost), (.unknown, .idle)]
        for (phase, state) in phases {
            sonde.phase = phase
            #expect(RocketState(sonde) == state)
        }
    }
}
