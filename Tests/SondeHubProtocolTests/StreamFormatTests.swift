import Gateway
import ReceiverProtocol
import SondeHubProtocol
import TestSupport
import Testing

/// The bytes of SondeHub's live stream.
@Suite struct StreamFormatTests {
    /// Bytes -> whether a stream of MQTT packets may begin with them.
    @Test(
        arguments: [
            ([0x20, 0x02, 0, 0], true), ([0xd0, 0x00, 0xd0, 0x00], true),
            ([0x30, 0x80, 0x80, 0x04], true),  // 65536
            ([0x30, 0x81, 0x80, 0x04], false),  // 65537
            ([0x32, 0x00], false), ([0x34, 0x00], false), ([0x31, 0x00, 0x62, 0x00], true),
            ([0x30, 0xff, 0xff, 0xff, 0x7f], false), ([0x30, 0x80, 0x80, 0x80, 0x80, 0x01], false),
        ] as [([UInt8], Bool)])
    func lengths(_ bytes: [UInt8], _ isAdmitted: Bool) {
        var whole = MQTTPacketLimit()
        let isWhole = whole.fault(in: bytes) == nil
        var single = MQTTPacketLimit()
        let isSingle = bytes.allSatisfy { single.fault(in: [$0]) == nil }
        #expect(isWhole == isAdmitted && isSingle == isAdmitted)
    }

    /// The lengths of many packets are followed, whatever pieces their bytes come in.
    @Test func piecesOfAnyLength() {
        var random = SeededRandom(seed: 7)
        var bytes: [UInt8] = []
        for _ in 0..<200 {
            let length = Int.random(in: 0...300, using: &random)
            bytes.append(0x30)
            bytes += length < 128 ? [UInt8(length)] : [UInt8(length & 0x7f | 0x80), UInt8(length >> 7)]
            bytes += (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var limit = MQTTPacketLimit()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...500, using: &random))
            let isAdmitted = limit.fault(in: piece) == nil
            #expect(isAdmitted)
            rest = rest.dropFirst(piece.count)
        }
        let isLongAdmitted = limit.fault(in: [0x30, 0xff, 0xff, 0xff, 0x7f]) == nil
        #expect(!isLongAdmitted)
    }

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
