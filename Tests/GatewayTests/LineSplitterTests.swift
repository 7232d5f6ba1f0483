import Testing

@testable import Gateway

/// Cuts a client's bytes into lines.
@Suite struct LineSplitterTests {
    private func lines(_ pieces: [String], longest: Int = 5) -> (lines: [String], passedOver: Int) {
        var splitter = LineSplitter(longest: longest)
        let lines = pieces.flatMap { splitter.lines(in: $0.utf8) }.map { String(decoding: $0, as: UTF8.self) }
        return (lines, splitter.passedOver)
    }

    @Test func piecesMakeLines() {
        #expect(lines(["ab", "c\nde\n\nf", "", "g\n", "rest"]).lines == ["abc", "de", "fg"])
        #expect(lines(["12345\n", "abc\r\n"]).lines == ["12345", "abc\r"])
        #expect(lines(["\n\n\n"]).lines.isEmpty)
    }

    @Test func longLinesAreSkipped() {
        let one = lines(["123456\nabc\n"])
        #expect(one.lines == ["abc"] && one.passedOver == 1)
        let two = lines(["12345", "6", "789", "\nabc\n1234567\n12\n"])
        #expect(two.lines == ["abc", "12"] && two.passedOver == 2)
    }

    /// A megabyte without a line feed is one line, and the splitter drops it whole.
    @Test func aMegabyteWithoutAnEnd() {
        var splitter = LineSplitter(longest: 512)
        for _ in 0..<1000 { #expect(splitter.lines(in: [UInt8](repeating: 120, count: 1000)).isEmpty) }
        #expect(splitter.passedOver == 1)
        #expect(splitter.lines(in: "\nabc\n".utf8).map { String(decoding: $0, as: UTF8.self) } == ["abc"])
    }
}
