import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway

/// Reads NMEA 0183: sentences of real receivers, and bytes that are none.
@Suite struct NMEAStreamTests {
    private static let rmc = "$GNRMC,000001.00,A,2304.167961,N,16553.836924,W,7.87,100.6,111214,0,E,D*17"
    private static let gga = "$GNGGA,000001.00,2304.167961,N,16553.836924,W,2,11,1.0,44.542,M,0.000,M,2.0,0103*43"

    private func messages(_ text: String, step: Int = .max) -> [CarMessage] {
        var stream = NMEAStream()
        var rest = Array(text.utf8)[...]
        var found: [CarMessage] = []
        while !rest.isEmpty {
            found += stream.messages(in: Array(rest.prefix(step)))
            rest = rest.dropFirst(step)
        }
        return found
    }

    private func fixes(_ text: String) -> [CarFix] {
        messages(text).compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    }

    /// A sentence with its checksum.
    private func sentence(_ body: String, _ end: String = "\r\n") -> String {
        let sum = body.utf8.reduce(0, ^)
        return "$\(body)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true) + end
    }

    private func isNear(_ left: Double?, _ right: Double?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return abs(left - right) < 1e-6
    }

    /// A sentence -> latitude, longitude, m/s, course and time of its fix.
    @Test(
        arguments: [
            (rmc, 23.0694660, -165.8972821, 4.0486778, 100.6, "2014-12-11T00:00:01.000Z"),
            (
                "$GPRMC,083559.00,A,4717.11437,N,00833.91522,E,0.004,77.52,091202,,,A*57", 47.2852395, 8.5652537,
                0.0020578, 77.52, "2002-12-09T08:35:59.000Z"
            ),
            (
                "$GPRMC,201230.00,A,6026.86949,N,02217.14087,E,0.689,,150722,,,A*72", 60.4478248, 22.2856812,
                0.3544522, nil, "2022-07-15T20:12:30.000Z"
            ),
            (
                "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A", 48.1173, 11.5166667, 11.5235556,
                84.4, "1994-03-23T12:35:19.000Z"
            ),
        ] as [(String, Double, Double, Double?, Double?, String?)])
    func positions(
        _ line: String, _ latitude: Double, _ longitude: Double, _ speed: Double?, _ course: Double?, _ time: String?
    ) throws {
        for text in [line, line + "\r\n", "\\s:gps,c:1577836800*0F\\" + line + "\n"] {
            let found = fixes(text)
            try #require(found.count == 1)
            #expect(isNear(found[0].coordinate.latitude, latitude) && isNear(found[0].coordinate.longitude, longitude))
            #expect(isNear(found[0].speed, speed) && isNear(found[0].courseDegrees, course))
            #expect(found[0].time?.iso8601 == time)
            #expect(found[0].source == .nmea && found[0].accuracyMetres == nil && found[0].altitudeMetres == nil)
        }
    }

    /// Sentences without a fix, of real receivers, and others that tell no position -> their messages.
    @Test(
        arguments: [
            ("$GPRMC,210209.000,V,5347.5779,N,00754.1630,E,000.0,000.0,300717,,,N*77", [.noFix]),
            ("$GPGGA,210210.000,5347.5779,N,00754.1630,E,0,00,0.0,52.8,M,0.0,M,,0000*59", [.noFix]),
            ("$GNVTG,100.6,T,,M,7.87,N,14.57,K,D*2E", [.other]), ("", []), ("\r\n\r\n", []),
            // A wrong checksum, none, and half of one.
            ("$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6B", [.unreadable]),
            ("$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W\r\n", []),
            ("$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6\r\n", []),
            ("$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*zz", [.unreadable]),
        ] as [(String, [CarMessage])])
    func otherLines(_ line: String, _ expected: [CarMessage]) {
        #expect(messages(line) == expected)
        // None of them affects the next sentence.
        #expect(messages(line + Self.rmc).count == expected.count + 1 && fixes(line + Self.rmc).count == 1)
    }

    /// The fields of an RMC -> its message; nil for a fix.
    @Test(
        arguments: [
            ("GPRMC,120000,A,4700.0,N,00800.0,E,,,010126", nil),
            ("IIRMC,120000,A,4700.0,N,00800.0,E,,,010126,,,R", nil),
            ("GARMC,120000,A,4700.0,S,17959.9,W,,,010126,,,A,V", nil), ("GPRMC,,A,4700.0,N,00800.0,E,,,", nil),
            ("GPRMC,120000,A,4700.0,N,00800.0,E,,,010126,,,N", .noFix), ("GPRMC,,,,,,,,,", .noFix),
            ("GPRMC,120000,A,4760.0,N,00800.0,E,,,010126", .unreadable),
            ("GPRMC,120000,A,9000.1,N,00800.0,E,,,010126", .unreadable),
            ("GPRMC,120000,A,4700.0,N,18000.1,E,,,010126", .unreadable),
            ("GPRMC,120000,A,-4700.0,N,00800.0,E,,,010126", .unreadable),
            ("GPRMC,120000,A,4700.0,E,00800.0,N,,,010126", .unreadable),
            ("GPRMC,120000,A,nan,N,00800.0,E,,,010126", .unreadable),
            ("GPRMC,120000,A,,N,00800.0,E,,,010126", .unreadable),
            ("GPRMC,120000,X,4700.0,N,00800.0,E,,,010126", .unreadable), ("GPRMC,120000,A", .unreadable),
            ("GPGGA,120000,4700.0,N,00800.0,E,x,08,0.9,545.4,M", .unreadable), ("GPGGA", .unreadable),
            // Garmin's sentence about the sensor's configuration.
            ("PGRMC,A,218.8,100,6378137.000,298.257223563,0.0,0.0,0.0,A,3,1,1,4,30", .other),
        ] as [(String, CarMessage?)])
    func fields(_ body: String, _ expected: CarMessage?) {
        let found = messages(sentence(body))
        #expect(found.count == 1)
        guard case .fix? = found.first else {
            #expect(found.first == expected && expected != nil)
            return
        }
        #expect(expected == nil)
    }

    /// A date and a time -> the fix's time.
    @Test(
        arguments: [
            ("010126", "120000.25", "2026-01-01T12:00:00.250Z"), ("311279", "235959", "2079-12-31T23:59:59.000Z"),
            ("010180", "000000", "1980-01-01T00:00:00.000Z"), ("290224", "000000.999", "2024-02-29T00:00:00.999Z"),
            ("290226", "120000", nil), ("000000", "120000", nil), ("", "120000", nil), ("010126", "", nil),
            ("010126", "240000", nil), ("010126", "12000", nil), ("0101", "120000", nil), ("ab0126", "120000", nil),
        ] as [(String, String, String?)])
    func dates(_ date: String, _ clock: String, _ time: String?) {
        let found = fixes(sentence("GNRMC,\(clock),A,4700.0,N,00800.0,E,1.0,2.0,\(date),,,A"))
        #expect(found.count == 1 && found.first?.time?.iso8601 == time)
    }

    // MARK: - RMC and GGA together

    /// Either order gives a fix with everything. Without an altitude it is the RMC's alone.
    @Test func theAltitudeOfTheSameTime() {
        let both = fixes(Self.rmc + Self.gga)
        #expect(both.map(\.altitudeMetres) == [nil, 44.542])
        #expect(both[0].time == both[1].time && both[0].speed == both[1].speed)
        #expect(fixes(Self.gga + Self.rmc).map(\.altitudeMetres) == [44.542])
        // Other talkers, and a time with other decimals.
        let mixed =
            "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47"
            + sentence("GLRMC,123519.000,A,4807.038,N,01131.000,E,1,2,230394")
        #expect(fixes(mixed).map(\.altitudeMetres) == [545.4])
        // Feet, or no unit, are no metres.
        let odd = sentence("GPGGA,000001,2304.1,N,16553.8,W,2,11,1.0,44.5,F")
        #expect(fixes(odd + Self.rmc).map(\.altitudeMetres) == [nil])
    }

    /// GGA's time -> the altitude that the next RMC, of 12:00:05, has.
    @Test(
        arguments: [("120005", 430), ("120004", 430), ("120003", 430), ("120002", nil), ("120006", nil)]
            as [(String, Double?)])
    func anOldAltitudeIsNotJoined(_ time: String, _ altitude: Double?) {
        let text =
            sentence("GNGGA,\(time),4700.0,N,00800.0,E,1,08,0.9,430.0,M,47.0,M,,")
            + sentence("GNRMC,120005,A,4700.0,N,00800.0,E,1,2,010126,,,A")
        #expect(fixes(text).map(\.altitudeMetres) == [altitude])
    }

    /// GGA says that there is no fix; the RMC of the same time does not count, another one does.
    @Test(arguments: [("120005", 0), ("120004", 1)])
    func noFixByGGA(_ time: String, _ count: Int) {
        let text =
            sentence("GNGGA,\(time),,,,,0,00,99.99,,,,,,")
            + sentence("GNRMC,120005,A,4700.0,N,00800.0,E,1,2,010126,,,A")
        #expect(fixes(text).count == count && messages(text).first == .noFix)
    }

    /// GGA before midnight, RMC after it: the fix has the RMC's day.
    @Test func midnight() {
        let before = sentence("GPGGA,235959.00,4717.0,N,00833.0,E,1,08,1,500,M,48,M,,")
        let after = sentence("GNRMC,000000.00,A,4717.0,N,00833.0,E,1,,010126,,,A")
        let then = sentence("GPGGA,000000.00,4717.0,N,00833.0,E,1,08,1,501,M,48,M,,")
        let found = fixes(before + after + then)
        #expect(found.map(\.altitudeMetres) == [nil, 501])
        #expect(Set(found.map { $0.time?.iso8601 }) == ["2026-01-01T00:00:00.000Z"])
    }

    /// A receiver that sends GGA only: from the sixth on each is a fix, which has no date. One that has hung gives none.
    @Test func withoutRMC() {
        let each = (10..<20).map { sentence("GPGGA,1200\($0),4717.0,S,00833.0,W,1,08,1,500,M,48,M,,") }
        let found = fixes(each.joined())
        #expect(found.count == 5 && found.allSatisfy { $0.time == nil && $0.altitudeMetres == 500 })
        #expect(found.allSatisfy { $0.coordinate.latitude < -47 && $0.coordinate.longitude < -8 })
        #expect(fixes(String(repeating: each[0], count: 20)).isEmpty)
        // Five GGA a second, one RMC: only the RMC's instant is a fix, with its course.
        let often = (0..<10).map { tenth in
            sentence("GPGGA,120000.\(tenth),4717.0,N,00833.0,E,1,08,1,500,M,48,M,,")
                + (tenth % 5 == 4 ? sentence("GPRMC,120000.\(tenth),A,4717.0,N,00833.0,E,1,2,010126,,,A") : "")
        }
        #expect(fixes(often.joined()).map(\.courseDegrees) == [2, 2])
    }

    // MARK: - Pieces and noise

    /// Pieces of any length, down to single bytes, give the same messages.
    @Test func piecesMakeNoDifference() throws {
        let text = try Fixtures.text("Fixtures/car/drive.nmea")
        let whole = messages(text)
        #expect(whole.count == 9 && !whole.contains(.unreadable))
        for step in [1, 2, 7, 60, 99] { #expect(messages(text, step: step) == whole) }
        // A line that is cut off by the next one.
        #expect(fixes(String(Self.rmc.prefix(40)) + Self.rmc).count == 1)
    }

    /// What a wrong baud rate brings: unreadable, seldom enough, and nothing of it is kept.
    @Test func noise() {
        let byte = Array("\u{1}~x\u{7f}\n$@!".utf8)
        let count = 100_000
        var stream = NMEAStream()
        var found = 0
        for _ in 0..<(count / byte.count) {
            let new = stream.messages(in: byte)
            #expect(new.allSatisfy { $0 == .unreadable })
            found += new.count
        }
        #expect(300...(count / NMEAStream.noiseLimit + 1) ~= found, "\(found)")
        let then = stream.messages(in: Array(Self.rmc.utf8))
        #expect(then.contains { if case .fix = $0 { true } else { false } })
        // A sentence without an end.
        #expect(messages("$GPRMC" + String(repeating: ",", count: 100_000)).count == 100_006 / NMEAStream.noiseLimit)
        // A little noise between sentences says nothing.
        #expect(
            messages(String(repeating: Self.rmc + "\u{b5}b\u{1}\u{7}", count: 100)).allSatisfy { $0 != .unreadable })
    }
}
