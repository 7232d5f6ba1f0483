import Gateway
import ReceiverProtocol
import SondeHubProtocol
import TestSupport
import Testing

/// The messages of SondeHub's live stream.
@Suite struct StreamFormatTests {
    /// Payload -> records and skipped.
    @Test(
        arguments: [
            (#"{"datetime":"2026-01-01T12:00:00Z","lat":47,"lon":8,"alt":1000,"type":"RS41"}"#, 1),
            (#"{"datetime":"2026-01-01T12:00:00Z","lat":"47","lon":"8","alt":"1000"}"#, 1),
            (#"{"datetime":"2026-01-01T12:00:00Z","lat":47,"lon":8}"#, 0), ("", 0), ("{", 0), ("null", 0), ("[1]", 0),
            (#"{"message":"Internal server error"}"#, 0),
            (#"{},"V2":{"datetime":"2026-01-01T12:00:00Z","lat":47,"lon":8,"alt":1000}"#, 0),
        ])
    func payloads(_ payload: String, _ count: Int) throws {
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let message = IncomingMessage(topic: "sondes/V1", payload: Array(payload.utf8))
        let answer = StreamFormat.decode([message], of: serial).frames
        #expect(answer.records.count == count && answer.skipped == 1 - count)
        #expect(answer.records.allSatisfy { $0.serial == serial })
    }

    private static let course =
        #"[{"time":1767268800,"lat":47,"lon":8,"alt":9000},{"time":1767270600,"lat":47.1,"lon":8.2,"alt":400}]"#
    private static let report =
        #""lat":47.1,"lon":8.2,"alt":400,"recovered":true,"planned":false,"recovered_by":"HB9XYZ","description":"in a tree","datetime":"2026-01-01T12:00:00Z""#

    /// Topic and payload -> whether it holds a prediction, its reports, and the skipped messages.
    @Test(
        arguments: [
            ("prediction", "{\"vehicle\":\"V1\",\"descending\":1,\"landed\":0,\"data\":\(course)}", true, 0, 0),
            ("prediction", " [{\"vehicle\":\"V1\",\"descending\":true,\"data\":\(course)}]", true, 0, 0),
            (
                "prediction", #"{"vehicle":"V1","data":"[{\"time\":1767268800,\"lat\":47,\"lon\":8,\"alt\":400}]"}"#,
                true, 0, 0
            ),
            ("prediction", "{\"vehicle\":\"V1\",\"landed\":1,\"data\":\(course)}", false, 0, 0),
            ("prediction", "{\"vehicle\":\"V2\",\"data\":\(course)}", false, 0, 0),
            ("prediction", #"{"vehicle":"V1","data":[]}"#, false, 0, 1),
            ("prediction", #"{"vehicle":"V1"}"#, false, 0, 1),
            ("prediction", #"{"vehicle":"V1","data":{"a":[1]}}"#, false, 0, 1), ("prediction", "soon", false, 0, 1),
            ("prediction", "", false, 0, 1), ("prediction", #"{"vehicle":"V1","data":[{"time":"#, false, 0, 1),
            ("recovery", "{\"serial\":\"V1\",\(report)}", false, 1, 0),
            ("recovery", "[{\"serial\":\"V1\",\(report)}]", false, 1, 0),
            ("recovery", "{\"serial\":\"V2\",\(report)}", false, 0, 1), ("recovery", #"{"serial":"V1"}"#, false, 0, 1),
            ("recovery", "[]", false, 0, 1), ("recovery", "7", false, 0, 1),
        ] as [(String, String, Bool, Int, Int)])
    func otherTopics(_ topic: String, _ payload: String, _ isPredicted: Bool, _ reports: Int, _ skipped: Int) throws {
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let message = IncomingMessage(topic: "\(topic)/V1", payload: Array(payload.utf8))
        let content = StreamFormat.decode([message], of: serial)
        #expect((content.prediction != nil) == isPredicted && content.recoveries.count == reports)
        #expect(content.frames.skipped == skipped && content.frames.records.isEmpty)
    }
}
