import FlightMath
import Gateway
import GatewayReports
import SondeHubProtocol
import TestSupport
import Testing

/// `/listeners/telemetry` of SondeHub.
@Suite struct CrewStreamTests {
    private static let here = Coordinate(latitude: 47, longitude: 8)

    private static func decode(
        _ text: String, pieces: Int = .max, near places: [Coordinate] = [here]
    ) throws(OnlineServiceError) -> [CrewPosition] {
        var stream = CrewStream(near: places)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try stream.append(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
        }
        return try stream.end()
    }

    private static func record(
        _ name: String, _ position: String, mobile: String = "true", ts: String? = "2026-01-01T12:00:00.123456"
    ) -> String {
        let time = ts.map { ",\"ts\":\"\($0)\"" } ?? ""
        return "{\"software_name\":\"a\\\"}{\",\"uploader_callsign\":\"\(name)\",\"uploader_position\":\(position),"
            + "\"uploader_alt\":490,\"mobile\":\(mobile),\"x\":{\"y\":[1,{}]}\(time)}"
    }

    /// Stations, far cars, broken records, and positions in both forms, in pieces of any size.
    @Test(arguments: [1, 2, 7, 64, Int.max])
    func onlyCarsNearAreKept(_ pieces: Int) throws {
        let text = """
            {"FAR":{"2026-01-01T12:00:00.000Z":\(Self.record("FAR", "[-34,138,0]"))},
             "STATION":{"2026-01-01T12:00:00.000Z":\(Self.record("STATION", "\"47.0,8.0\"", mobile: "false"))},
             "B":{"2026-01-01T12:00:01.000Z":\(Self.record("B", "\"47.2,8.0\"")),
                  "2026-01-01T12:05:00.000Z":\(Self.record("B", "\"47.3, 8.0\"", ts: nil))},
             "A":{"2026-01-01T12:00:00.000Z":\(Self.record("A", "[47.1,8,490]"))},
             "NULL":{"2026-01-01T12:00:00.000Z":\(Self.record("NULL", "null"))},
             "ZERO":{"2026-01-01T12:00:00.000Z":\(Self.record("ZERO", "[0,0,0]"))},
             "BAD":{"2026-01-01T12:00:00.000Z":{"mobile":true}},"ODD":[],"ODDER":7}
            """
        let crews = try Self.decode(text, pieces: pieces)
        #expect(crews.map(\.callSign) == ["A", "B"])
        #expect(crews.last?.coordinate.latitude == 47.3)
        #expect(crews.map(\.time.iso8601) == ["2026-01-01T12:00:00.123Z", "2026-01-01T12:05:00.000Z"])
    }

    /// 5000 cars in one place: at most 50 are kept.
    @Test func crewsOfAWorld() throws {
        let members = (0..<5000).map { number in
            "\"C\(number)\":{\"t\":\(Self.record("C\(number)", "[47.\(number % 10),8,0]"))}"
        }
        #expect(try Self.decode("{" + members.joined(separator: ",") + "}").count == 50)
    }

    /// Text -> the error's code.
    @Test(
        arguments: [
            ("Duration must be either 0, 1", .refused), ("{\"A\":{", .malformed), ("", .malformed),
        ] as [(String, OnlineServiceError.Code)])
    func wrongAnswers(_ text: String, _ code: OnlineServiceError.Code) {
        #expect { try Self.decode(text) } throws: { ($0 as? OnlineServiceError)?.code == code }
    }
}
