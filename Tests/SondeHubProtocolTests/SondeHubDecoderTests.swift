import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import SondeHubProtocol

/// Decodes SondeHub's answers, cut into pieces of any length.
@Suite struct SondeHubDecoderTests {
    private static func decode(
        _ shape: RecordStream.Shape, _ text: String, chunk: Int = .max
    ) throws -> (records: [SondeHubRecord], skipped: Int) {
        var stream = RecordStream(shape)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try stream.append(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
        }
        try stream.end()
        return (stream.takeRecords(), stream.skipped)
    }

    private static func record(_ members: String) throws -> SondeHubRecord? {
        let frame = "\"datetime\":\"2025-12-11T13:09:26.001Z\",\"lat\":47.1,\"lon\":8.2,\"alt\":900.5"
        return try decode(.newest, "{\"S1\":{\(frame),\(members)}}").records.first
    }

    /// Names come from the internet, and the gateway shows them on terminals and pages. So a record with a name that is
    /// not plain text is refused.
    @Test(arguments: [
        #"\u001b]0;owned\u0007\u001b[2J RS41"#, "<img src=x onerror=1>", "A&B", "o'1", #"a\"b"#, "Ü", #"\u202eX"#,
    ])
    func namesThatAreNotPlainText(_ name: String) throws {
        let frame = #""datetime":"2025-12-11T13:09:26.001Z","lat":47.1,"lon":8.2,"alt":900.5"#
        let answer = #"{"S1":{\#(frame),"type":"\#(name)"},"S\#(name)":{\#(frame)},"S2":{\#(frame),"type":"RS41"}}"#
        let (records, skipped) = try Self.decode(.newest, answer)
        #expect(records.map(\.serial.canonical) == ["S2"] && skipped == 2)
    }

    @Test func wholeRecord() throws {
        let text = try Fixtures.text("Fixtures/sondehub/site.json")
        let (records, skipped) = try Self.decode(.newest, text)
        #expect(records.map(\.serial.canonical) == ["V3240531", "23072942", "IMET54-1"])
        #expect(skipped == 4)
        let first = try #require(records.first)
        #expect(first.sondeType == .rs41)
        // GPS time is 18 s ahead of UTC.
        #expect(first.time.iso8601 == "2025-12-11T13:09:08.001Z")
        #expect(first.coordinate == Coordinate(latitude: 46.82376, longitude: 7.95904))
        #expect(first.altitudeMetres == 13203.2)
        #expect(first.horizontalSpeed == 11.6)
        #expect(first.verticalSpeed == -15.1)
        #expect(first.headingDegrees == 98.4)
        #expect(first.temperatureCelsius == -52.3)
        #expect(first.humidityPercent == 45.2)
        #expect(first.pressureHectopascal == nil)
        #expect(first.frequencyMHz == 403.5)
        #expect(first.uploader == Coordinate(latitude: 46.8131, longitude: 6.9435))
        #expect(records[1].frequencyMHz == 402.87)
        #expect(records[1].time.iso8601 == "2025-12-11T13:09:26.001Z")
        #expect(records[2].horizontalSpeed == nil)
    }

    /// Some stations send the number while the timer does not run: its length, or all bits set.
    @Test(
        arguments: [
            ("10380", 10_380), (#""10380""#, 10_380), ("65535", nil), ("30600", nil), ("-1", nil), ("1e300", nil),
            ("12.5", nil), ("null", nil), (#""x""#, nil),
        ] as [(String, Int?)])
    func theBurstTimer(_ text: String, _ seconds: Int?) throws {
        let record = try #require(try Self.record(#""burst_timer":\#(text)"#))
        #expect(record.secondsUntilOff == seconds)
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1000, 100_000])
    func chunksDoNotMatter(_ chunk: Int) throws {
        let text = try Fixtures.text("Fixtures/sondehub/track.json")
        let (records, skipped) = try Self.decode(.track, text, chunk: chunk)
        #expect(records.count == 40)
        #expect(skipped == 0)
        #expect(records.map(\.time) == records.map(\.time).sorted())
        #expect(records.last?.altitudeMetres == 13203.2 - 15 * 39)
    }

    /// Time reference, type -> whether the leap seconds are subtracted.
    @Test(
        arguments: [
            ("\"type\":\"RS41\"", true), ("\"type\":\"RS41\",\"ref_datetime\":\"UTC\"", false),
            ("\"type\":\"M20\"", true), ("\"type\":\"M10\"", false),
            ("\"type\":\"M10\",\"ref_datetime\":\"GPS\"", true),
            ("\"type\":\"RS92\"", true), ("\"type\":\"LMS6-400\"", true), ("\"type\":\"iMet-1\"", true),
            ("\"type\":\"iMet-4\"", true), ("\"type\":\"iMet-4\",\"ref_datetime\":\"UTC\"", false),
            ("\"type\":\"LMS6-1680\"", true), ("\"type\":\"iMet-54\"", false), ("\"type\":\"DFM09\"", false),
            ("\"type\":null", false),
        ])
    func gpsTimeBecomesUTC(_ members: String, _ isGPS: Bool) throws {
        let record = try #require(try Self.record(members))
        #expect(record.time.iso8601 == (isGPS ? "2025-12-11T13:09:08.001Z" : "2025-12-11T13:09:26.001Z"))
    }

    /// Type -> whether the time is the uploader's.
    @Test(
        arguments: [
            ("\"type\":\"RS41\"", false), ("\"type\":\"M20\"", false), ("\"type\":\"DFM17\"", false),
            ("\"type\":\"iMet-4\"", true), ("\"type\":\"LMS6-400\"", true), ("\"type\":\"M10\"", true),
            ("\"type\":\"iMet-4\",\"ref_datetime\":\"GPS\"", false), ("\"type\":null", true),
        ])
    func aTimeByTheUploadersClock(_ members: String, _ isStamped: Bool) throws {
        let named = try #require(try Self.record("\(members),\"uploader_callsign\":\"HB9XYZ\""))
        let stamp = StationStamp(station: "HB9XYZ", time: named.time)
        #expect(named.stamp == (isStamped ? stamp : nil))
        #expect(try Self.record(members)?.stamp == nil)
    }

    /// The uploader's clock minus SondeHub's -> how far the time of the record is corrected.
    @Test(
        arguments: [
            ("-0.41", 0.0), ("-25", 0), ("29.9", 0), ("-120.5", -120.5), ("\"600\"", 600), ("-3600", -3600),
            ("86401", 0), ("1e999", 0), ("null", 0), ("\"\"", 0), ("[]", 0),
        ])
    func aMeasuredClockIsCorrected(_ difference: String, _ seconds: Double) throws {
        let member = ",\"uploader_callsign\":\"HB9XYZ\",\"upload_time_delta\":\(difference)"
        let stamped = try #require(try Self.record("\"type\":\"M10\"\(member)"))
        let stamp = try #require(stamped.stamp)
        #expect(stamp.time.iso8601 == "2025-12-11T13:09:26.001Z")
        #expect(stamp.time.duration(since: stamped.time).inSeconds == seconds)
        // The sonde itself sends the time.
        let timed = try #require(try Self.record("\"type\":\"M20\"\(member)"))
        #expect(timed.time.iso8601 == "2025-12-11T13:09:08.001Z")
    }

    /// SondeHub's type -> the gateway's.
    @Test(arguments: [
        ("RS41", "RS41"), ("DFM17", "DFM"), ("DFM", "DFM"), ("M10", "M10"), ("iMet-4", "IMET4"), ("C50", "C50"),
        ("LMS6", "LMS6"),
    ])
    func types(_ theirs: String, _ ours: String) throws {
        #expect(try Self.record("\"type\":\"\(theirs)\"")?.sondeType.name == ours)
    }

    /// A time as SondeHub writes it -> as published; nil if it is refused.
    @Test(
        arguments: [
            ("2025-12-11T13:09:26.001000Z", "2025-12-11T13:09:26.001Z"),
            ("2025-12-11T13:09:26Z", "2025-12-11T13:09:26.000Z"),
            ("2025-12-11T13:09:26.9Z", "2025-12-11T13:09:26.900Z"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
            ("1999-12-31T23:59:59.999999+00:00", "1999-12-31T23:59:59.999Z"), ("2025-12-11", nil), ("", nil),
            ("2025-13-11T13:09:26Z", nil), ("2025-12-11T25:09:26Z", nil), ("2025-12-11T13:09:26+01:00", nil),
            ("2025-12-11T13:09:26.Z1", nil), ("yesterday at half past noon", nil),
        ] as [(String, String?)])
    func times(_ text: String, _ time: String?) {
        #expect(SondeHubTime.parse(Array(text.utf8).span)?.iso8601 == time)
    }

    @Test func httpDate() {
        #expect(SondeHubTime.parseHTTPDate("Thu, 11 Dec 2025 13:09:26 GMT")?.iso8601 == "2025-12-11T13:09:26.000Z")
        #expect(SondeHubTime.parseHTTPDate("Thursday, 11-Dec-25 13:09:26 GMT") == nil)
    }

    /// An optional field of the wrong kind is dropped alone. A required one drops its record, and no other.
    @Test func wrongFields() throws {
        let odd =
            "\"vel_h\":\"fast\",\"heading\":999,\"temp\":[1],\"humidity\":true,\"frequency\":{},\"x\":\"\\\"}\\\\\""
        let record = try #require(try Self.record(odd))
        #expect(record.horizontalSpeed == nil && record.headingDegrees == nil && record.temperatureCelsius == nil)
        #expect(record.humidityPercent == nil && record.frequencyMHz == nil)
        #expect(try Self.record("\"lat\":\"north\"") == nil)
        #expect(try Self.record("\"alt\":1e9") == nil)
        #expect(try Self.record("\"alt\":1.5e3")?.altitudeMetres == 1500)
        #expect(try Self.record("\"datetime\":7") != nil)
        #expect(try Self.record("\"tx_frequency\":0,\"frequency\":404.2")?.frequencyMHz == 404.2)
        #expect(try Self.record("\"tx_frequency\":1680,\"frequency\":1e300")?.frequencyMHz == nil)
        let long = String(repeating: "x", count: 1000)
        #expect(try Self.record("\"type\":\"\(long)\"")?.sondeType.name.count == 64)
        #expect(try Self.decode(.newest, "{\"\(long)\":{\"lat\":1}}").records.isEmpty)
    }

    /// Unusable answers -> the error.
    @Test(
        arguments: [
            ("Duration must be either 3d, 1d", OnlineServiceError.Code.refused), ("", .malformed), ("[]", .refused),
            ("{", .malformed), ("{\"a\":{\"lat\":1", .malformed), ("{\"a\"", .malformed), ("{5}", .malformed),
            ("{} trailing", .malformed), ("{\"a\":{7:1}}", .malformed), ("{\"a\":{\"lat\":}}", .malformed),
        ])
    func errors(_ text: String, _ code: OnlineServiceError.Code) {
        for chunk in [1, 1000] {
            let error = #expect(throws: OnlineServiceError.self) { try Self.decode(.newest, text, chunk: chunk) }
            #expect(error?.code == code, "\(text)")
        }
    }

    /// A record that is too long is skipped alone, wherever the text is cut. A record without an end makes the answer
    /// an error.
    @Test(arguments: [4096, 1000, .max]) func longRecords(_ chunk: Int) throws {
        let point = "\"datetime\":\"2025-12-11T13:09:26Z\",\"lat\":47.1,\"lon\":8.2,\"alt\":900.5"
        let long = String(repeating: "y\\\"}],{", count: 20_000)
        let text = "{\"A\":{\(point)} , \"B\":{\(point),\"x\":[{\"z\":\"\(long)\"}]},\"C\":{\(point)}}"
        let (records, skipped) = try Self.decode(.newest, text, chunk: chunk)
        #expect(records.map(\.serial.canonical) == ["A", "C"])
        #expect(skipped == 1)
        let error = #expect(throws: OnlineServiceError.self) {
            try Self.decode(.newest, String(text.dropLast(100)), chunk: chunk)
        }
        #expect(error?.code == .malformed)
    }

    /// An error object is never taken for an answer without sondes.
    @Test(
        arguments: [
            ("{\"message\":\"Internal server error\"}", "\"Internal server error\""),
            ("{\"message\":null}", "null"), ("{\"errorMessage\":\"a\\nb\",\"errorType\":\"x\"}", "\"a\\nb\""),
            (
                "{\"error\":{\"type\":\"E\",\"description\":\"no\"},\"metadata\":{}}",
                "{\"type\":\"E\",\"description\":\"no\"}"
            ),
        ])
    func errorObjects(_ text: String, _ words: String) {
        for shape in [RecordStream.Shape.newest, .track] {
            let error = #expect(throws: OnlineServiceError.self) { try Self.decode(shape, text, chunk: 3) }
            #expect(error == OnlineServiceError(.status, "the answer is an error: \(words)"))
        }
    }

    @Test func aSondeBesideAnErrorCounts() throws {
        let text = "{\"message\":\"x\",\"S\":{\"datetime\":\"2025-12-11T13:09:26Z\",\"lat\":47,\"lon\":8,\"alt\":9}}"
        let (records, skipped) = try Self.decode(.newest, text)
        #expect(records.count == 1)
        #expect(skipped == 1)
    }

    /// Members of a record -> its altitude; nil if the record is unusable.
    @Test(
        arguments: [
            ("\"alt\":\"812.5\"", 812.5), ("\"alt\":\" 812 \"", 812), ("\"alt\":8.12e2", 812), ("\"alt\":NaN", nil),
            ("\"alt\":\"nan\"", nil), ("\"alt\":\"0x10\"", nil), ("\"alt\":Infinity", nil), ("\"alt\":\"\"", nil),
            ("\"alt\":1e999", nil), ("\"alt\":true", nil), ("\"alt\":null", nil),
        ] as [(String, Double?)])
    func numbers(_ member: String, _ altitude: Double?) throws {
        #expect(try Self.record(member)?.altitudeMetres == altitude)
    }

    /// A type in JSON -> the type that is published and spoken.
    @Test(
        arguments: [
            ("\"type\":\"RS41\"", "RS41"), ("\"type\":null", nil), ("\"type\":\"\"", nil), ("\"type\":\" \"", nil),
            ("\"type\":41", nil), ("\"x\":1", nil),
        ] as [(String, String?)])
    func missingTypes(_ member: String, _ type: String?) throws {
        #expect(try #require(try Self.record(member)).reportedType?.name == type)
    }

    /// Two names of equal length that begin alike. Once the call sign overwrote the position, so that a sonde on its
    /// uploader's bench counted as flying.
    @Test(arguments: ["HB9XYZ", "46,7", ""]) func keysWithTheSamePrefixAreDistinct(_ callSign: String) throws {
        let members = ["\"uploader_position\":\"46.8131,6.9435\"", "\"uploader_callsign\":\"\(callSign)\""]
        for order in [members, members.reversed()] {
            let record = try #require(try Self.record(order.joined(separator: ",")))
            #expect(record.uploader == Coordinate(latitude: 46.8131, longitude: 6.9435))
        }
    }

    /// From an answer with too many records the newest stay, in any order of arrival.
    @Test(arguments: [1, 7, 999]) func manyRecords(_ stride: Int) throws {
        let records = (0..<1000).map { index in
            let time = WallTime(millisecondsSince1970: 1_765_450_000_000 + Int64(index * stride % 1000) * 1000).iso8601
            return "\"S\(index)\":{\"datetime\":\"\(time)\",\"lat\":47,\"lon\":8,\"alt\":\(index * stride % 1000)}"
        }
        var stream = RecordStream(.newest, keeping: 256)
        try stream.append("{\(records.joined(separator: ","))}".utf8)
        try stream.end()
        #expect(stream.takeRecords().map(\.altitudeMetres).sorted() == (744..<1000).map(Double.init))
        #expect(stream.dropped == 744)
        #expect(stream.skipped == 0)
    }

    @Test func unprintableSerials() throws {
        let text = "{\"V1\\u0000\":{\"datetime\":\"2025-12-11T13:09:26Z\",\"lat\":47,\"lon\":8,\"alt\":9}}"
        #expect(try Self.decode(.newest, text).skipped == 1)
    }
}
