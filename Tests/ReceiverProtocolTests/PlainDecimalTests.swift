import Glibc
import ReceiverProtocol
import ReceiverSimulator
import Testing

@Suite struct PlainDecimalTests {
    @Test(arguments: [
        "nan", "inf", "-inf", "0x1p3", "1e5", "+5", " 5", "5 ", "5,3", "5.", ".5", "-", "", "--5", "5.5.5", "-.5",
        "5.-",
        String(repeating: "9", count: 400), "１",
    ])
    func refuses(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(PlainDecimal.parse(bytes.span) == nil)
    }

    @Test(arguments: [
        "0", "-0", "0.0", "-0.0", "00012.5", "403.500", "-2.54439", "999999999999999", "9007199254740993",
        "123456789012345.678", "0.00000000000000000000001", "1.7976931348623157", "0.1", "4.35",
        "1234567890123456789012345678901234567890",
    ])
    func equalsStrtod(_ text: String) {
        expectSame(text)
    }

    /// Over a million values of each length give the same bits as strtod.
    @Test func agreesWithStrtodBitForBit() {
        var random = SeededGenerator(seed: 42)
        for _ in 0..<1_100_000 {
            var text: [UInt8] = Bool.random(using: &random) ? [UInt8(ascii: "-")] : []
            digits(Int.random(in: 1...12, using: &random), into: &text, &random)
            if Int.random(in: 0..<5, using: &random) > 0 {
                text.append(UInt8(ascii: "."))
                digits(Int.random(in: 1...14, using: &random), into: &text, &random)
            }
            guard let ours = PlainDecimal.parse(text.span) else {
                Issue.record("refused \(String(decoding: text, as: UTF8.self))")
                return
            }
            text.append(0)
            let theirs = text.withUnsafeBytes { strtod($0.assumingMemoryBound(to: CChar.self).baseAddress!, nil) }
            guard ours.bitPattern == theirs.bitPattern else {
                Issue.record("\(String(decoding: text, as: UTF8.self)): \(ours) is not \(theirs)")
                return
            }
        }
    }

    private func digits(_ count: Int, into text: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0..<count { text.append(UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "9"), using: &random)) }
    }

    private func expectSame(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(PlainDecimal.parse(bytes.span)?.bitPattern == strtod(text, nil).bitPattern)
    }
}
