import Foundation
import SondeHubProtocol
import TestSupport
import Testing

/// The bytes of MQTT 3.1.1, as OASIS prints them where it prints any.
@Suite struct MQTTPacketTests {
    /// The packets in the bytes, and the fault that ends them; nil if there is none.
    private func read(_ bytes: [UInt8], step: Int = .max) -> ([MQTTPacket], MQTTPacketFault?) {
        var reader = MQTTPacketReader()
        var packets: [MQTTPacket] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = rest.prefix(step)
            rest = rest.dropFirst(piece.count)
            do throws(MQTTPacketFault) {
                while let packet = try reader.next(in: &piece) { packets.append(packet) }
            } catch {
                return (packets, error)
            }
        }
        return (packets, nil)
    }

    /// Request -> bytes. The SUBSCRIBE is that of figure 3.23, with QoS 0.
    @Test(
        arguments: [
            (
                .connect(clientID: "ab", keepAliveSeconds: 10),
                [0x10, 14, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 2, 0, 10, 0, 2, 0x61, 0x62]
            ),
            (
                .subscribe(id: 10, topics: ["a/b", "c/d"]),
                [0x82, 14, 0, 10, 0, 3, 0x61, 0x2F, 0x62, 0, 0, 3, 0x63, 0x2F, 0x64, 0]
            ),
            (.ping, [0xC0, 0]), (.disconnect, [0xE0, 0]),
        ] as [(MQTTRequest, [UInt8])])
    func requests(_ request: MQTTRequest, _ bytes: [UInt8]) { #expect(request.bytes == bytes) }

    /// A long text: its packet needs two bytes of length, and a text that is too long for its own length is cut.
    @Test func longRequests() {
        let long = MQTTRequest.subscribe(id: 1, topics: [String(repeating: "a", count: 316)]).bytes
        // 321, the example of section 2.2.3.
        #expect(long.prefix(3) == [0x82, 193, 2] && long.count == 3 + 321)
        let cut = MQTTRequest.subscribe(id: 1, topics: [String(repeating: "a", count: 70_000)]).bytes
        #expect(cut.prefix(8) == [0x82, 0x84, 0x80, 0x04, 0, 1, 0xFF, 0xFF] && cut.count == 4 + 65_540)
    }

    /// Bytes -> the packet. The SUBACK has the codes of figure 3.26, the topics are those of figures 3.11 and 1.1.
    @Test(
        arguments: [
            ([0x20, 2, 0, 0], .connected(nil)), ([0x20, 2, 1, 0], .connected(nil)),
            ([0x20, 2, 0, 1], .connected(.version)), ([0x20, 2, 0, 2], .connected(.clientID)),
            ([0x20, 2, 0, 3], .connected(.unavailable)), ([0x20, 2, 0, 4], .connected(.login)),
            ([0x20, 2, 0, 5], .connected(.notAuthorized)),
            ([0x90, 5, 0, 10, 0, 2, 0x80], .subscribed(id: 10, accepted: [true, true, false])),
            ([0x30, 5, 0, 3, 0x61, 0x2F, 0x62], .message(topic: "a/b", payload: [], isRetained: false)),
            (
                [0x31, 8, 0, 5, 0x41, 0xF0, 0xAA, 0x9B, 0x94, 7],
                .message(topic: "A\u{2A6D4}", payload: [7], isRetained: true)
            ),
            ([0xD0, 0], .pong),
            // A length may have more bytes than it needs.
            ([0xD0, 0x80, 0x00], .pong),
        ] as [([UInt8], MQTTPacket)])
    func packets(_ bytes: [UInt8], _ packet: MQTTPacket) {
        #expect(read(bytes) == ([packet], nil))
        #expect(read(bytes, step: 1) == ([packet], nil))
        // Nothing comes before the last byte.
        #expect(read(bytes.dropLast()) == ([], nil))
    }

    /// The borders of table 2.4, as far as a packet may be long.
    @Test(
        arguments: [
            (127, [0x7F]), (128, [0x80, 0x01]), (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 0x01]),
            (65_536, [0x80, 0x80, 0x04]),
        ] as [(Int, [UInt8])])
    func lengths(_ length: Int, _ bytes: [UInt8]) {
        let payload = [UInt8](repeating: 9, count: length - 3)
        let packet = [0x30] + bytes + [0, 1, 0x61] + payload
        let message = MQTTPacket.message(topic: "a", payload: payload, isRetained: false)
        #expect(read(packet) == ([message], nil))
        #expect(read(packet + packet, step: 1000) == ([message, message], nil))
    }

    /// Bytes -> why the connection ends.
    @Test(
        arguments: [
            // 65 537, the longest length, and one of five bytes.
            ([0x30, 0x81, 0x80, 0x04], .tooLong), ([0x30, 0xFF, 0xFF, 0xFF, 0x7F], .tooLong),
            ([0x30, 0x80, 0x80, 0x80, 0x80, 0x01], .tooLong),
            // QoS 1, 2 and 3, refused by the first byte.
            ([0x32], .acknowledgementWanted), ([0x34], .acknowledgementWanted), ([0x3D], .acknowledgementWanted),
            // A second delivery of QoS 0, reserved flags, a client's packets, reserved types.
            ([0x38], .unexpectedType(0x38)), ([0x21], .unexpectedType(0x21)), ([0x92], .unexpectedType(0x92)),
            ([0x10], .unexpectedType(0x10)), ([0x82], .unexpectedType(0x82)), ([0x40], .unexpectedType(0x40)),
            ([0x00], .unexpectedType(0x00)), ([0xF0], .unexpectedType(0xF0)),
            ([0x20, 0], .wrongLength), ([0x20, 1, 0], .wrongLength), ([0x20, 3, 0, 0, 0], .wrongLength),
            ([0xD0, 1, 0], .wrongLength), ([0x90, 1, 0], .wrongLength), ([0x90, 2, 0, 1], .wrongLength),
            ([0x30, 0], .wrongLength), ([0x30, 1, 0], .wrongLength), ([0x30, 4, 0, 3, 0x61, 0x62], .wrongLength),
            ([0x30, 2, 0, 0], .badTopic), ([0x30, 3, 0, 1, 0], .badTopic), ([0x30, 3, 0, 1, 0x2B], .badTopic),
            ([0x30, 3, 0, 1, 0x23], .badTopic), ([0x30, 3, 0, 1, 0xFF], .badTopic),
            ([0x30, 5, 0, 3, 0xED, 0xA0, 0x80], .badTopic),
            ([0x20, 2, 0, 6], .unknownCode(6)), ([0x90, 3, 0, 1, 3], .unknownCode(3)),
        ] as [([UInt8], MQTTPacketFault)])
    func faults(_ bytes: [UInt8], _ fault: MQTTPacketFault) {
        #expect(read(bytes) == ([], fault))
        #expect(read([0xD0, 0] + bytes, step: 1) == ([.pong], fault))
        #expect(!fault.detail.isEmpty)
    }

    /// Many packets, whatever pieces their bytes come in.
    @Test func piecesOfAnyLength() {
        var random = SeededRandom.ofThisRun
        var bytes: [UInt8] = []
        var sent: [MQTTPacket] = []
        for _ in 0..<200 {
            let payload = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let length = payload.count + 3
            bytes += [0x30] + (length < 128 ? [UInt8(length)] : [UInt8(length & 0x7F | 0x80), UInt8(length >> 7)])
            bytes += [0, 1, 0x61] + payload
            sent.append(.message(topic: "a", payload: payload, isRetained: false))
        }
        for step in [1, 2, 7, 100, 501] { #expect(read(bytes, step: step) == (sent, nil)) }
    }

    /// A session with wrong, missing and added bytes: packets or a fault, the same in whatever pieces.
    @Test(arguments: TestLength.share(of: UInt64(0)..<2000))
    func damage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bytes = [UInt8](try Data(contentsOf: Fixtures.url("Fixtures/sondehub/stream.mqtt")))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
        }
        let whole = read(bytes)
        #expect(read(bytes, step: 1) == whole, "seed \(seed)")
        #expect(read(bytes, step: Int.random(in: 2...50, using: &random)) == whole, "seed \(seed)")
    }
}
