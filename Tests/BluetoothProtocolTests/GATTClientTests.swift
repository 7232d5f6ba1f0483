import GatewayReports
import ReceiverProtocol
import Testing

@testable import BluetoothProtocol

/// A GATT client with a script of the server's packets. The handles are those of an ESP32.
private struct Talk {
    static let service = "6E6F6D6C6144 6F6B 7269 4D61 69727953"
    static let notify = "8E6F6D6C6144 6F6B 7269 4D61 67727953"
    static let write = "7E6F6D6C6144 6F6B 7269 4D61 68727953"

    var client = GATTClient()
    var now = MonotonicTime.zero

    @discardableResult
    mutating func run(_ event: GATTClient.Event) -> [GATTClient.Action] { client.handle(event, at: now) }

    @discardableResult
    mutating func hear(_ bytes: String) -> [GATTClient.Action] { run(.received(hex(bytes))) }

    /// Plays the whole discovery, up to the first frame.
    @discardableResult
    mutating func setUp(mtu: String = "0502", properties: String = "10", writing: String = "08") -> [GATTClient.Action]
    {
        run(.opened)
        hear("03 \(mtu)")
        hear("07 2800 2D00")
        hear("09 15 2900 \(properties) 2A00 \(Self.notify) 2C00 \(writing) 2D00 \(Self.write)")
        if properties != "00" { hear("05 01 2B00 0229") }
        return hear("13")
    }
}

@Suite struct GATTClientTests {
    @Test func aConnectionLeadsToFrames() {
        var talk = Talk()
        #expect(talk.run(.opened) == [.send(hex("02 0502"))])
        #expect(talk.hear("03 0502") == [.send(hex("06 0100 FFFF 0028 \(Talk.service)"))])
        #expect(talk.hear("07 2800 2D00") == [.send(hex("08 2800 2D00 0328"))])
        let listed = talk.hear("09 15 2900 10 2A00 \(Talk.notify)")
        #expect(listed == [.send(hex("08 2B00 2D00 0328"))])
        #expect(talk.hear("09 15 2C00 0C 2D00 \(Talk.write)") == [.send(hex("04 2B00 2B00"))])
        #expect(talk.hear("05 01 2B00 0229") == [.send(hex("12 2B00 0100"))])
        // A frame may arrive before the answer to the subscription.
        #expect(talk.hear("1B 2A00 41") == [.frames([0x41])])
        let session = GATTClient.Session(profile: "MySondyGo", mtu: 517, usesIndications: false)
        #expect(talk.hear("13") == [.ready(session)])
        #expect(session.maximumWriteLength == 514)
        #expect(talk.hear("1B 2A00 414243") == [.frames(Array("ABC".utf8))])
        #expect(talk.client.deadline == nil)
    }

    /// The server's MTU -> the agreed MTU.
    @Test(arguments: [
        ("03 0502", 517), ("03 6400", 100), ("03 1700", 23), ("03 0000", 23), ("03 FFFF", 517), ("01 02 0000 06", 23),
    ])
    func agreedMTU(_ answer: String, _ mtu: Int) {
        var talk = Talk()
        talk.run(.opened)
        #expect(talk.hear(answer).count == 1)
        #expect(Int(talk.client.mtu) == mtu)
    }

    /// Properties of the two characteristics -> the value written to subscribe, and the opcode of a command.
    @Test(arguments: [
        ("10", "08", "0100", "12"), ("30", "0C", "0100", "12"), ("20", "04", "0200", "52"), ("12", "0C", "0100", "12"),
    ])
    func theCharacteristicsPropertiesDecideHowToWrite(
        _ notify: String, _ write: String, _ subscription: String, _ opcode: String
    ) {
        var talk = Talk()
        talk.run(.opened)
        talk.hear("03 0502")
        talk.hear("07 2800 2D00")
        talk.hear("09 15 2900 \(notify) 2A00 \(Talk.notify) 2C00 \(write) 2D00 \(Talk.write)")
        #expect(talk.hear("05 01 2B00 0229") == [.send(hex("12 2B00 \(subscription)"))])
        talk.hear("13")
        let actions = talk.run(.write(7, [0x6F]))
        #expect(actions.first == .send(hex("\(opcode) 2D00 6F")))
        #expect(actions.contains(.writeFinished(7, nil)) == (opcode == "52"))
    }

    @Test func indicationsAreConfirmed() {
        var talk = Talk()
        talk.setUp(properties: "20")
        #expect(talk.hear("1D 2A00 41") == [.send([0x1E]), .frames([0x41])])
        // The server waits for the confirmation, so unexpected indications get one, too.
        #expect(talk.hear("1D 0900 41") == [.send([0x1E])])
    }

    @Test func theSecondProfileIsFound() {
        var talk = Talk()
        talk.run(.opened)
        talk.hear("03 0502")
        #expect(talk.hear("01 06 0100 0A") == [.send(hex("06 0100 FFFF 0028 9ECADC240EE5 A9E0 93F3 A3B5 0100406E"))])
        guard case .failed(let error)? = talk.hear("01 06 0100 0A").last else {
            Issue.record("goes on without a service")
            return
        }
        #expect(error.code == .notFound)
        #expect(error.detail.contains("MySondyGo or Nordic UART"))
    }

    @Test func aServerWithoutACCCDCountsByItsFrames() {
        var talk = Talk()
        talk.run(.opened)
        talk.hear("03 0502")
        talk.hear("07 2800 2C00")
        talk.hear("09 15 2900 10 2A00 \(Talk.notify)")
        let session = GATTClient.Session(profile: "MySondyGo", mtu: 517, usesIndications: false)
        talk.hear("01 08 2B00 0A")
        #expect(talk.hear("01 04 2B00 0A") == [.ready(session)])
        #expect(
            talk.run(.write(1, [0x41])) == [
                .writeFinished(1, TransportError(.notFound, "the receiver takes no commands"))
            ])
    }

    /// A request of the server, at any time -> our answer.
    @Test(arguments: [
        ("02 6400", "03 0502"), ("02", "01 02 0000 06"), ("02 64", "01 02 0000 06"),
        ("0A 0100", "01 0A 0000 06"), ("10 0100 FFFF 0028", "01 10 0000 06"), ("12 0100 00", "01 12 0000 06"),
        ("20 00", "01 20 0000 06"),
    ])
    func theServersRequestsAreAnswered(_ request: String, _ answer: String) {
        var talk = Talk()
        talk.setUp()
        #expect(talk.hear(request) == [.send(hex(answer))])
    }

    /// Packets without consequence: the client drops and counts them, and the link stays open.
    @Test(arguments: [
        "", "1B", "1B 2A", "1B 0900 41", "1B 2A00", "1D 2A", "01", "01 02", "13", "03 6400", "09 15", "05 01 2B00 0229",
        "07 2800 2D00", "1E", "52 2D00 41", "D2 2D00 41", "FF", "23 2A00 0100 41",
    ])
    func otherPacketsAreIgnored(_ bytes: String) {
        var talk = Talk()
        talk.setUp()
        let before = talk.client.ignored
        #expect(talk.hear(bytes) == [])
        #expect(talk.client.ignored == before + 1)
        #expect(talk.hear("1B 2A00 41") == [.frames([0x41])])
    }

    @Test func aSenselessAnswerEndsTheLink() {
        var talk = Talk()
        talk.run(.opened)
        guard case .failed(let error)? = talk.hear("03 64").last else {
            Issue.record("taken")
            return
        }
        #expect(error == TransportError(.invalidData, "the receiver's answer makes no sense (MTU exchange)"))
        #expect(talk.hear("03 6400") == [])
    }

    @Test func aPairingRequestOnSubscribeIsReported() {
        var talk = Talk()
        talk.run(.opened)
        talk.hear("03 0502")
        talk.hear("07 2800 2D00")
        talk.hear("09 15 2900 10 2A00 \(Talk.notify) 2C00 08 2D00 \(Talk.write)")
        talk.hear("05 01 2B00 0229")
        let error = TransportError(.unreachable, "the receiver refuses the subscription: it asks for pairing")
        #expect(talk.hear("01 12 2B00 05") == [.failed(error)])
    }

    /// A step without an answer ends the link after 5 s. The error names the step.
    @Test func eachStepHasATimeLimit() {
        let answers = [
            "03 0502", "07 2800 2D00", "09 15 2900 10 2A00 \(Talk.notify) 2D00 08 2D00 \(Talk.write)",
            "05 01 2B00 0229",
        ]
        let steps = [
            "MTU exchange", "service discovery", "characteristic discovery", "descriptor discovery", "subscription",
        ]
        for (count, step) in steps.enumerated() {
            var talk = Talk()
            talk.run(.opened)
            for answer in answers.prefix(count) { talk.hear(answer) }
            talk.now = .zero.advanced(by: .milliseconds(4999))
            #expect(talk.run(.timePassed) == [])
            talk.now = .zero.advanced(by: .seconds(5))
            let detail = "the receiver is connected but does not answer (\(step), 5 s)"
            #expect(talk.run(.timePassed) == [.failed(TransportError(.timedOut, detail))])
            #expect(talk.client.deadline == nil)
        }
    }

    @Test func writesGoOneByOneWithTheirResults() {
        var talk = Talk()
        talk.setUp()
        #expect(talk.run(.write(1, [0x41])) == [.send(hex("12 2D00 41"))])
        #expect(talk.run(.write(2, [0x42])) == [])
        #expect(talk.hear("13") == [.writeFinished(1, nil), .send(hex("12 2D00 42"))])
        let refused = TransportError(.unreachable, "the receiver refuses the write: write not permitted")
        #expect(talk.hear("01 12 2D00 03") == [.writeFinished(2, refused)])
        // Without an answer the link is unusable.
        talk.run(.write(3, [0x43]))
        talk.run(.write(4, [0x44]))
        talk.now = .zero.advanced(by: .seconds(5))
        let actions = talk.run(.timePassed)
        #expect(actions.count == 3)
        for id: UInt64 in [3, 4] {
            #expect(actions.contains { if case .writeFinished(id, .some) = $0 { true } else { false } })
        }
    }

    @Test func writesAreBounded() {
        var talk = Talk()
        talk.setUp(mtu: "1700")
        let tooLong = TransportError(.invalidData, "21 bytes don't fit into a packet of 23")
        #expect(talk.run(.write(1, [UInt8](repeating: 0x41, count: 21))) == [.writeFinished(1, tooLong)])
        talk.run(.write(2, [UInt8](repeating: 0x41, count: 20)))
        for id in 3...UInt64(2 + GATTClient.waitingWritesLimit) { #expect(talk.run(.write(id, [0x41])) == []) }
        let busy = TransportError(.busy, "too many writes wait for the receiver")
        #expect(talk.run(.write(99, [0x41])) == [.writeFinished(99, busy)])
    }

    /// The server's list never ends.
    @Test func discoveryEnds() {
        var talk = Talk()
        talk.run(.opened)
        talk.hear("03 0502")
        talk.hear("07 0100 FFFF")
        var failure: TransportError?
        for _ in 0..<100 where failure == nil {
            for case .failed(let error) in talk.hear("09 07 0100 02 0200 0028") { failure = error }
        }
        #expect(failure?.code == .invalidData)
    }
}
