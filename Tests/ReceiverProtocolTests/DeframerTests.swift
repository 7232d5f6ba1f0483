import ReceiverProtocol
import ReceiverSimulator
import TestSupport
import Testing

@Suite struct DeframerTests {
    private static let type0 = "0/RS41/404.200/120.5/100/4260/-1/2.30/o"
    private static let type1 = "1/RS41/403.500/V4210150/47.38/8.54/500/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o"

    /// Each fixture gives the same runs whether it comes whole, byte by byte, in 20-byte notifications or in random
    /// pieces.
    @Test(arguments: Fixtures.frameNames)
    func splitsDoNotMatter(_ name: String) throws {
        let raw = try Fixtures.raw(name)
        let whole = runs([raw])
        #expect(!whole.isEmpty)
        #expect(runs(raw.map { [$0] }) == whole)
        #expect(runs(stride(from: 0, to: raw.count, by: 20).map { Array(raw[$0..<min($0 + 20, raw.count)]) }) == whole)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            var pieces: [[UInt8]] = []
            var rest = raw[...]
            while !rest.isEmpty {
                let length = Int.random(in: 1...60, using: &random)
                pieces.append(Array(rest.prefix(length)))
                rest = rest.dropFirst(length)
            }
            #expect(runs(pieces) == whole)
        }
    }

    @Test func severalFramesInOneChunkWithoutLineEnds() {
        #expect(frames(Self.type0 + Self.type1 + Self.type0) == 3)
    }

    @Test func lineEndsOfTheirOwnAreIgnored() {
        #expect(
            runs([Array(Self.type0.utf8), Array("\r\n".utf8), Array("\r\n".utf8), Array(Self.type1.utf8)]).count == 2)
    }

    @Test func unfinishedFrameIsDroppedAfterTwoSeconds() {
        var deframer = Deframer()
        let half = Array(Self.type1.utf8.prefix(40))
        var seen: [Deframer.Run] = []
        deframer.append(half.span, at: .zero) { run, _ in seen.append(run) }
        deframer.dropIdle(at: .zero.advanced(by: .milliseconds(1999))) { run, _ in seen.append(run) }
        #expect(seen.isEmpty)
        deframer.dropIdle(at: .zero.advanced(by: .seconds(2))) { run, _ in seen.append(run) }
        #expect(seen == [.rejected(.unfinished)])
        #expect(!deframer.isMidFrame)
    }

    /// The chip's text between frames, also behind the beginning of one that it cuts off.
    @Test(
        arguments: [
            "rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)", "ets Jul 29 2019 12:21:46",
            "Brownout detector was triggered", "1/RS41/403.5rst:0xc (SW_CPU_RESET),boot:0x13",
        ])
    func aRestartIsRecognised(_ text: String) {
        let bytes = Array("\(Self.type0)\r\(text)\r\n\(Self.type0)".utf8)
        let kinds = runs([bytes]).map { if case .rejected(let reason) = $0 { reason.rawValue } else { "frame" } }
        #expect(kinds == ["frame", "boot_text", "frame"])
        #expect(runs(bytes.map { [$0] }) == runs([bytes]))
    }

    @Test func idleRestDoesNotSpoilTheNextFrame() {
        var deframer = Deframer()
        var seen: [Deframer.Run] = []
        deframer.append(Array("1/RS41/40".utf8).span, at: .zero) { run, _ in seen.append(run) }
        deframer.append(Array(Self.type0.utf8).span, at: .zero.advanced(by: .seconds(5))) { run, _ in seen.append(run) }
        #expect(seen.count == 2)
        #expect(seen.first == .rejected(.unfinished))
    }

    /// A piece is lost at any place, without line ends. The frames that it did not touch survive.
    @Test func aLostPieceCostsOnlyTheFramesItTouched() {
        let stream = Array((Self.type1 + Self.type1 + Self.type1 + Self.type1).utf8)
        let length = Self.type1.utf8.count
        for start in stride(from: length, to: 2 * length, by: 1) {
            for lost in [1, 7, 20] where start + lost <= 2 * length {
                let cut = Array(stream[..<start] + stream[(start + lost)...])
                let count = runs([cut]).count { if case .frame(.radio) = $0 { true } else { false } }
                #expect(count >= 3, "lost \(lost) bytes at \(start - length)")
            }
        }
    }

    @Test func memoryIsBounded() {
        var deframer = Deframer()
        var longest = 0
        let noise = [UInt8](repeating: UInt8(ascii: "A"), count: 100_000)
        deframer.append(noise.span, at: .zero) { _, bytes in longest = max(longest, bytes.count) }
        #expect(longest <= Deframer.maximumRun)
        var found = 0
        deframer.append(Array(("\n" + Self.type0).utf8).span, at: .zero) { run, _ in
            if case .frame = run { found += 1 }
        }
        #expect(found == 1)
    }

    private func runs(_ chunks: [[UInt8]]) -> [Deframer.Run] {
        var deframer = Deframer()
        var runs: [Deframer.Run] = []
        for chunk in chunks { deframer.append(chunk.span, at: .zero) { run, _ in runs.append(run) } }
        deframer.reset { run, _ in runs.append(run) }
        return runs
    }

    private func frames(_ text: String) -> Int {
        runs([Array(text.utf8)]).count { if case .frame = $0 { true } else { false } }
    }
}
