import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import Feeds
@testable import FlightMath
@testable import Gateway

/// Each feed's bytes for a given state, compared with `Fixtures/feeds`.
@Suite struct EncodingTests {
    private static let encoders: [String: @Sendable (GoldenFeed) -> [UInt8]] = [
        "rdz": { RDZLine.line($0.feedSonde, car: $0.carPosition, listeningMHz: $0.listeningMhz) },
        "horus": { golden in
            let end: [UInt8] = [10]
            let sonde: [UInt8] = golden.feedSonde.map { HorusMessage.payload($0, station: "car1") + end } ?? []
            let car: [UInt8] = golden.carPosition.map { HorusMessage.position(of: $0) + end } ?? []
            return sonde + car
        },
        "gdl90": { golden in
            Array(
                GDL90Message.datagram(
                    golden.feedSonde, ownship: golden.carPosition, at: golden.now,
                    hasPosition: golden.carPosition != nil, highestMetres: nil
                ).hexBytes.utf8) + [10]
        },
        "rocket": { golden in
            RocketMessage.telemetry(golden.feedSonde, car: golden.carPosition, sequence: 7)
                + RocketMessage.rockets(
                    golden.feedSonde, hunted: nil, recorded: [], car: golden.carPosition, at: golden.now.wall)
        },
    ]

    @Test(arguments: GoldenFeed.names)
    func golden(_ name: String) throws {
        let golden = try GoldenFeed.named(name)
        for (feed, encode) in Self.encoders {
            let made = encode(golden)
            let file = "Fixtures/feeds/\(name).\(feed)"
            if ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil {
                try Data(made).write(to: Fixtures.url(file))
            }
            #expect(made.text == (try Fixtures.text(file)), "\(file)")
        }
    }

    // MARK: - rdzJSON

    /// The app shows a missing member as `undefined` or `NaN`. So each line has all members that the app reads.
    @Test(arguments: GoldenFeed.names) func everyMemberThatTheAppShows(_ name: String) throws {
        let golden = try GoldenFeed.named(name)
        let line = RDZLine.line(golden.feedSonde, car: golden.carPosition, listeningMHz: golden.listeningMhz)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        for key in ["type", "id", "ser", "launchsite"] { #expect(object[key] is String, "\(key)") }
        for key in [
            "lat", "lon", "alt", "vs", "hs", "dir", "climb", "speed", "freq", "rssi", "afc", "time", "frame", "sats",
            "launchKT", "burstKT", "countKT", "crefKT", "res", "validId", "validPos",
        ] { #expect(object[key] is NSNumber, "\(key)") }
        // `validPos` marks unknown values.
        let valid = try #require(object["validPos"] as? Int)
        #expect((valid & 7 == 7) == (golden.sonde != nil))
        #expect((valid & 8 != 0) == (golden.sonde?.verticalSpeedMps != nil))
    }

    /// The app cuts the stream at each closing brace.
    @Test func closingBracesAreRemovedFromTexts() throws {
        var sonde = try #require(try GoldenFeed.named("ascending").feedSonde)
        sonde.serial = try #require(SondeSerial(name: "A}{\\1", type: .other("")))
        sonde.sondeType = .other("x}y\u{7F}")
        let line = RDZLine.line(sonde, car: nil, listeningMHz: nil).text
        #expect(line.filter { $0 == "}" }.count == 1 && line.hasSuffix("}\n"), "\(line)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["id"] as? String == "A1")
        #expect(object["type"] as? String == "xy")
    }

    @Test(
        arguments: [
            (0, 0, 63), (10_000, 0, 63), (10_001, 1, 63 | 0x80), (500_000, 1, 63 | 0x80),
        ] as [(Int64, Int, Int)])
    func agesInTheRDZLine(_ age: Int64, _ res: Int, _ valid: Int) throws {
        var sonde = try #require(try GoldenFeed.named("ascending").feedSonde)
        sonde.age = .milliseconds(age)
        let line = RDZLine.line(sonde, car: nil, listeningMHz: nil)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        #expect(object["res"] as? Int == res)
        #expect(object["validPos"] as? Int == valid)
        #expect(object["rssi"] as? Double == 235)
    }

    @Test func phonesGiveTheCarsPosition() {
        let line = Array("{\"lat\": 46.8 , \"lon\": 7.1 , \"alt\": 450.0 , \"course\": 60.0 , \"hdop\": 5.0 }".utf8)
        #expect(
            RDZLine.carFix(in: line)
                == CarFix(
                    source: .rdz, coordinate: Coordinate(latitude: 46.8, longitude: 7.1), courseDegrees: 60,
                    accuracyMetres: 5))
        // Android's course at rest.
        let resting = Array("{\"lat\": 46.8 , \"lon\": 7.1 , \"course\": 0.0 , \"hdop\": 5.0 }".utf8)
        #expect(RDZLine.carFix(in: resting).map { $0.courseDegrees == nil } == true)
        for wrong in [
            "{\"status\": 1}", "", "{", "[1]", "{\"lat\":91,\"lon\":0}", "{\"lat\":0,\"lon\":0}",
            "{\"lat\":\"1\",\"lon\":2}",
            "{\"lat\":1e999,\"lon\":2}", "{\"lat\":1}", String(repeating: "[", count: 500),
        ] {
            #expect(RDZLine.carFix(in: Array(wrong.utf8)) == nil, "\(wrong)")
        }
    }

    // MARK: - Horus

    @Test func horusCars() {
        let message = """
            {"type":"GPS","latitude":46.8,"longitude":7.1,"altitude":450.0,"speed":63.0,"heading":360.0,"valid":true}
            """
        let fix = HorusMessage.carFix(in: Array(message.utf8))
        #expect(fix?.speed.map { abs($0 - 17.5) < 1e-9 } == true)
        #expect(fix?.courseDegrees == 0)
        #expect(fix?.source == .horus)
        for wrong in [
            message.replacingOccurrences(of: "true", with: "false"),
            message.replacingOccurrences(of: "GPS", with: "PAYLOAD_SUMMARY"), "{\"type\":\"GPS\"}", "x",
        ] {
            #expect(HorusMessage.carFix(in: Array(wrong.utf8)) == nil, "\(wrong)")
        }
        let fast = message.replacingOccurrences(of: "63.0", with: "-1").replacingOccurrences(of: "360.0", with: "-1")
        #expect(HorusMessage.carFix(in: Array(fast.utf8))?.speed == nil)
        #expect(HorusMessage.carFix(in: Array(fast.utf8))?.courseDegrees == nil)
        // The altitude is mandatory, so 0 means "unknown", and must not become the ground's altitude.
        #expect(fix?.altitudeMetres == 450)
        let unknown = message.replacingOccurrences(of: "450.0", with: "0.0")
        #expect(HorusMessage.carFix(in: Array(unknown.utf8)).map { $0.altitudeMetres == nil } == true)
    }

    @Test(
        arguments: [
            (
                "\"bearing\":40.5,\"bearing_type\":\"absolute\",\"latitude\":46.8,\"longitude\":7.1",
                HeardBearing(degrees: 40.5, isRelative: false, place: Coordinate(latitude: 46.8, longitude: 7.1))
            ),
            ("\"bearing\":270,\"bearing_type\":\"relative\"", HeardBearing(degrees: 270, isRelative: true)),
            (
                "\"bearing\":90,\"bearing_type\":\"relative\",\"source\":\"krakensdr_doa\",\"raw_doa\":[1,2]",
                HeardBearing(degrees: 270, isRelative: true)
            ),
            ("\"bearing\":90,\"bearing_type\":\"absolute\"", nil),
            ("\"bearing\":361,\"bearing_type\":\"relative\"", nil),
            ("\"bearing\":90", nil), ("\"bearing\":\"90\",\"bearing_type\":\"relative\"", nil),
        ] as [(String, HeardBearing?)])
    func horusBearings(_ members: String, _ bearing: HeardBearing?) {
        #expect(HorusMessage.bearing(in: Array("{\"type\":\"BEARING\",\(members)}".utf8)) == bearing)
        #expect(HorusMessage.bearing(in: Array("{\"type\":\"GPS\",\(members)}".utf8)) == nil)
    }

    /// Unknown values are not sent: a heading of 0 would mean north, and chasemapper takes a heading for a compass's.
    @Test func aStandingCarHasNoCourse() throws {
        var car = try #require(try GoldenFeed.named("ascending").carPosition)
        (car.speed, car.courseDegrees) = (nil, nil)
        let text = HorusMessage.position(of: car).text
        #expect(!text.contains("heading") && !text.contains("speed") && text.contains("\"altitude\":"), "\(text)")
    }

    // MARK: - Reports

    /// The scene shows only the followed sonde's values, under its serial.
    @Test func theSceneForgetsAnotherSonde() throws {
        #expect(FeedScene().sonde(at: .zero) == nil)
        #expect(!FeedScene().hasTelemetry)
    }

    @Test(
        arguments: [
            ("127.0.0.1:55673", "127.0.0.1", 55_673), ("[::1]:4001", "::1", 4001),
            ("tablet.local", "tablet.local", 4000),
            ("[fe80::1]", "fe80::1", 4000), ("a:65535", "a", 65_535),
        ])
    func endpoints(_ text: String, _ host: String, _ port: Int) {
        #expect(
            FeedEndpoint(text, usualPort: 4000) == FeedEndpoint(host: host, port: port))
    }

    @Test(arguments: ["", ":1", "a:0", "a:65536", "a:-1", "a:x", "a:", "::1", "fe80::1:4000", "a b:1", "ü:1", "[]:1"])
    func wrongEndpoints(_ text: String) {
        #expect(FeedEndpoint(text, usualPort: 4000) == nil)
        #expect(FeedEndpoint("host") == nil)
    }
}
