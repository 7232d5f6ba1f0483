import FlightMath
import GatewayReports
import ReceiverProtocol
import SondeHubProtocol
import Testing

/// SondeHub's reports of recovery. The fixtures are made up after the server's source.
@Suite struct RecoveryFormatTests {
    private static let whole = """
        {"serial":"V3240531","lat":46.9,"lon":7.9,"alt":430.5,"recovered":true,"planned":false,\
        "recovered_by":"HB9XYZ","description":"in a tree","datetime":"2025-12-11T15:09:26.001Z",\
        "position":[7.9,46.9],"recovery_software":"x"}
        """

    private static func decode(_ text: String) throws -> [Recovery] { try RecoveryFormat.decode(Array(text.utf8)) }

    @Test func wholeReport() throws {
        let report = try #require(try Self.decode("[\(Self.whole)]").first)
        #expect(report.serial.canonical == "V3240531" && report.state == .recovered && report.by == "HB9XYZ")
        #expect(report.note == "in a tree" && report.time.iso8601 == "2025-12-11T15:09:26.001Z")
        #expect(report.coordinate == Coordinate(latitude: 46.9, longitude: 7.9) && report.altitudeMetres == 430.5)
    }

    /// Members of a report -> its state, its author and its note.
    @Test(arguments: [
        ("\"recovered\":false,\"planned\":true", RecoveryState.planned, "somebody", ""),
        ("\"recovered\":1,\"planned\":1", .recovered, "somebody", ""),
        ("\"recovered\":\"true\"", .recovered, "somebody", ""),
        ("\"recovered\":false", .notFound, "somebody", ""),
        ("\"recovered\":null,\"planned\":{}", .notFound, "somebody", ""),
        ("\"recovered_by\":null,\"description\":7", .notFound, "somebody", "7"),
        ("\"recovered_by\":\"a\\u0007b\",\"alt\":\"430\"", .notFound, "a b", ""),
        ("\"recovered_by\":\"\",\"alt\":null", .notFound, "somebody", ""),
    ])
    func oddReports(_ members: String, _ state: RecoveryState, _ by: String, _ note: String) throws {
        let text =
            "[{\"serial\":\"V1\",\"lat\":\"46.9\",\"lon\":7.9,\"datetime\":\"2025-12-11T15:09:26.123456+00:00\",\(members)}]"
        let report = try #require(try Self.decode(text).first)
        #expect(report.state == state && report.by == by && report.note == note)
    }

    /// An incomplete report is left out alone.
    @Test(arguments: [
        "{}", "7", "null", "{\"serial\":\"V1\"}",
        "{\"serial\":\"\",\"lat\":1,\"lon\":1,\"datetime\":\"2025-12-11T15:09:26Z\"}",
        "{\"serial\":\"V1\",\"lat\":1,\"lon\":1,\"datetime\":\"soon\"}",
    ])
    func badReports(_ bad: String) throws {
        #expect(try Self.decode("[\(bad),\(Self.whole)]").map(\.serial.canonical) == ["V3240531"])
    }

    /// A report counts without a place, too. 0, 0 means no place.
    @Test(arguments: [
        "\"lat\":null,\"lon\":null", "\"lat\":0.0,\"lon\":0", "\"lat\":91,\"lon\":7.9", "\"position\":[46.9,7.9]",
    ])
    func withoutAPlace(_ place: String) throws {
        let text = Self.whole.replacing("\"lat\":46.9,\"lon\":7.9", with: place)
        let report = try #require(try Self.decode("[\(text)]").first)
        #expect(report.coordinate == nil && report.state == .recovered && report.by == "HB9XYZ")
    }

    @Test func longTexts() throws {
        let long = String(repeating: "x", count: 10_000)
        let text = Self.whole.replacing("HB9XYZ", with: long).replacing("in a tree", with: long)
        let report = try #require(try Self.decode("[\(text)]").first)
        #expect(report.by.count == Recovery.longestName && report.note.count == Recovery.longestNote)
        let many = "[" + Array(repeating: Self.whole, count: 300).joined(separator: ",") + "]"
        #expect(try Self.decode(many).count == RecoveryFormat.limit)
    }

    @Test(arguments: [
        ("{\"message\":\"Internal Server Error\"}", OnlineServiceError.Code.status), ("soon", .refused),
        ("[{\"serial\":", .malformed),
    ])
    func errors(_ text: String, _ code: OnlineServiceError.Code) {
        #expect { try Self.decode(text) } throws: { ($0 as? OnlineServiceError)?.code == code }
    }

    @Test func theBody() throws {
        let report = try #require(try Self.decode("[\(Self.whole)]").first)
        #expect(
            String(decoding: RecoveryFormat.encode(report, software: "sondygo2mqtt/1"), as: UTF8.self)
                == "{\"serial\":\"V3240531\",\"lat\":46.9,\"lon\":7.9,\"alt\":430.5,\"recovered\":true,\"planned\":false,"
                + "\"recovered_by\":\"HB9XYZ\",\"description\":\"in a tree\",\"recovery_software\":\"sondygo2mqtt/1\","
                + "\"datetime\":\"2025-12-11T15:09:26.001Z\"}")
    }
}
