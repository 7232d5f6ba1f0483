import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway

/// Reads gpsd's lines, and lines that are not gpsd's.
@Suite struct GPSDStreamTests {
    private static let fix = """
        {"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-01-01T12:00:00.250Z","ept":0.005,"lat":47.1,"lon":8.2,\
        "altHAE":477.0,"altMSL":430.0,"alt":430.0,"track":271.5,"speed":13.9,"eph":4.2}
        """

    private func messages(_ text: String) -> [GPSDStream.Message] {
        var stream = GPSDStream()
        return stream.append(Array(text.utf8))
    }

    @Test func aFix() {
        let expected = CarFix(
            source: .gpsd, coordinate: Coordinate(latitude: 47.1, longitude: 8.2), altitudeMetres: 430, speed: 13.9,
            courseDegrees: 271.5, accuracyMetres: 4.2,
            time: WallTime(millisecondsSince1970: Script.noon + 250), device: "/dev/ttyACM0")
        #expect(messages(Self.fix + "\r\n") == [.fix(expected)])
        // A proxy may write the JSON with blanks or in another order.
        #expect(messages("{ \"class\" : \"TPV\", \"mode\": 1 }\n{\"mode\":1,\"class\":\"TPV\"}\n") == [.noFix, .noFix])
        // The bytes may come in any pieces.
        var stream = GPSDStream()
        var found: [GPSDStream.Message] = []
        for byte in (Self.fix + "\n").utf8 { found += stream.append([byte]) }
        #expect(found == [.fix(expected)])
        // Half a line waits for its end.
        #expect(messages(Self.fix) == [])
    }

    /// A line -> its message; nil if it has none.
    @Test(
        arguments: [
            ("{\"class\":\"TPV\",\"mode\":1}", .noFix), ("{\"class\":\"TPV\",\"mode\":0}", .noFix),
            ("{\"class\":\"TPV\",\"mode\":2,\"lat\":null,\"lon\":null}", .noFix),
            ("{\"class\":\"TPV\",\"mode\":\"3\"}", .unreadable), ("{\"class\":\"TPV\"}", .unreadable),
            ("{\"class\":\"TPV\"", .unreadable),
            ("{\"class\":\"TPV\",\"mode\":3,\"lat\":1e999,\"lon\":1}", .unreadable),
            ("{\"class\":\"TPV\",\"mode\":3,\"lat\":\"47.1\",\"lon\":\"8.2\"}", .unreadable),
            ("{\"class\":\"TPV\",\"mode\":3,\"lat\":nan,\"lon\":1}", .noFix),
            ("$GPRMC,120000.00,A,4706.0,N,00812.0,E,0.0,0.0,010126,,,A*6B", .unreadable),
            ("{\"class\":\"SKY\",\"satellites\":[]}", nil), ("", nil), ("null", .unreadable), ("[]", .unreadable),
            ("\0\0", .unreadable),
            ("{\"class\":\"DEVICES\",\"devices\":[]}", .devices([])),
            ("{\"class\":\"DEVICES\",\"devices\":[{\"path\":\"/dev/ttyACM0\"}]}", .devices(["/dev/ttyACM0"])),
            ("{\"class\":\"DEVICES\",\"devices\":7}", .unreadable),
        ] as [(String, GPSDStream.Message?)])
    func lines(_ line: String, _ expected: GPSDStream.Message?) {
        #expect(messages(line + "\n") == [expected].compactMap { $0 })
        // A bad line does not affect the next.
        #expect(messages(line + "\n" + Self.fix + "\n").last.map { if case .fix = $0 { true } else { false } } == true)
    }

    /// A value that the fix does not need, in a form that can't be read.
    @Test(arguments: [
        ("\"track\":271.5", "\"track\":NaN"), ("\"track\":271.5", "\"track\": -nan"),
        ("\"speed\":13.9", "\"speed\":\"13.9\""),
        ("\"eph\":4.2", "\"eph\":Infinity"), ("\"altMSL\":430.0,\"alt\":430.0", "\"altMSL\":[],\"alt\":{}"),
        ("\"device\":\"/dev/ttyACM0\"", "\"device\":7"),
        ("\"time\":\"2026-01-01T12:00:00.250Z\"", "\"time\":1795628219.1"),
    ])
    func anUnreadableDetailIsUnknown(_ right: String, _ wrong: String) {
        let line = Self.fix.replacing(right, with: wrong)
        #expect(line != Self.fix)
        guard case .fix(let fix)? = messages(line + "\n").first else {
            Issue.record("no fix")
            return
        }
        #expect(fix.coordinate == Coordinate(latitude: 47.1, longitude: 8.2))
        let isWhole = (fix.courseDegrees, fix.speed, fix.accuracyMetres) == (271.5, 13.9, 4.2)
        #expect(!isWhole || fix.altitudeMetres == nil || fix.device == nil || fix.time == nil)
    }

    /// A fix in two dimensions has no altitude.
    @Test func twoDimensions() {
        guard case .fix(let fix)? = messages(Self.fix.replacing("\"mode\":3", with: "\"mode\":2") + "\n").first else {
            Issue.record("no fix")
            return
        }
        #expect(fix.altitudeMetres == nil && fix.coordinate.latitude == 47.1)
    }

    @Test func aLineOfAMegabyte() {
        var stream = GPSDStream()
        for _ in 0..<64 { #expect(stream.append([UInt8](repeating: UInt8(ascii: "x"), count: 16_384)) == []) }
        #expect(stream.append(Array(("\n" + Self.fix + "\n").utf8)).count == 1)
    }

    @Test(
        arguments: [
            ("2026-01-01T12:00:00Z", Script.noon), ("2026-01-01T12:00:00.5Z", Script.noon + 500),
            ("2026-01-01T12:00:00.123456Z", Script.noon + 123), ("1970-01-01T00:00:00.000Z", 0),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2026-01-01 12:00:00Z", nil), ("2026-01-01T12:00:00", nil),
            ("2026-13-01T12:00:00Z", nil), ("2026-01-01T12:00:00+01Z", nil), ("2026-01-01T12:00:00.Z", nil), ("", nil),
            ("1969-01-01T12:00:00Z", nil), ("2026-01-01T24:00:00Z", nil), ("२०२६-01-01T12:00:00Z", nil),
            ("2026x11y22T10:00:00Z", nil), ("2026-11-22T10a00b00Z", nil), ("2026-02-31T00:00:00Z", nil),
            ("2026-02-29T00:00:00Z", nil), ("2100-02-29T00:00:00Z", nil), ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("2026-04-31T00:00:00Z", nil), ("2026-12-31T00:00:00Z", 1_798_675_200_000),
        ] as [(String, Int64?)])
    func times(_ text: String, _ milliseconds: Int64?) {
        #expect(WallTime(iso8601: text)?.millisecondsSince1970 == milliseconds)
    }

    /// Two devices, each with a thousand fixes in 100 ms: each has 20 of them.
    @Test func aFloodOfFixesIsThinned() {
        var pace = FixPace()
        var passed: [String?: Int] = [:]
        for step in 0..<1000 {
            let now = MonotonicTime.zero.advanced(by: .microseconds(100 * step))
            for device in ["/dev/a", "/dev/b"] {
                let place = Coordinate(latitude: 47, longitude: 8)
                let fix = CarFix(source: .gpsd, coordinate: place, device: device)
                if pace.lets(fix, at: now) { passed[device, default: 0] += 1 }
            }
        }
        #expect(passed == ["/dev/a": 20, "/dev/b": 20])
    }
}
