import CReferenceParser
import Foundation
import ReceiverProtocol

/// Frames parsed per second, compared with a C parser with strtod in the same run.
enum ParseBenchmark {
    private static let frames: [[UInt8]] = (0..<64).map { index in
        Array(
            "1/RS41/403.\(500 + index)/V42101\(10 + index)/47.38\(100 + index)/8.54\(200 + index)/\(5000 + index * 37).4/36.\(index % 10)/-12.\(index % 10)/98.5/88/-1250/0/30600/4011/1/0/0/0/3.10/o"
                .utf8)
    }
    private static let rounds = 2_000
    private static let repetitions = 25

    static func run() {
        let texts = frames.map { $0 + [0] }
        for (frame, text) in zip(frames, texts) {
            var reference = reference_frame()
            guard case .radio(let radio)? = try? FrameParser.parse(frame.span), parseInC(text, &reference) else {
                fatalError("a parser takes no frame")
            }
            precondition(radio.rssiDBm == reference.rssi.value, "the parsers disagree")
        }
        let count = Double(rounds * frames.count)
        var parsed = 0
        var allocated = 0
        var (swift, c) = (Double.infinity, Double.infinity)
        // Alternates between the two, so that other load slows both.
        for _ in 0..<repetitions {
            let before = allocation_count()
            swift = min(swift, seconds { parsed += parseAllInSwift() })
            allocated += Int(allocation_count() - before)
            c = min(c, seconds { parsed += parseAllInC(texts) })
        }
        let stream = frames.flatMap { $0 + Array("\r\n".utf8) }
        var deframed = 0
        var both = Double.infinity
        for _ in 0..<repetitions {
            let took = seconds {
                var deframer = Deframer()
                for _ in 0..<rounds {
                    deframer.append(stream.span, at: .zero) { run, _ in if case .frame = run { deframed += 1 } }
                }
            }
            both = min(both, took)
        }
        precondition(parsed == Int(count) * repetitions * 2 && deframed == parsed / 2, "frames got lost")
        Benchmarks.row("frames parsed, Swift", Benchmarks.format(count / swift / 1e6) + " M/s")
        Benchmarks.row("frames parsed, C with strtod", Benchmarks.format(count / c / 1e6) + " M/s")
        Benchmarks.row("  ratio", Benchmarks.format(c / swift), limit: "≥ 1.5")
        Benchmarks.row(
            "  allocations per frame, Swift", Benchmarks.format(Double(allocated) / (count * Double(repetitions)), 4),
            limit: "0")
        Benchmarks.row("frames deframed and parsed from a byte stream", Benchmarks.format(count / both / 1e6) + " M/s")
    }

    private static func parseAllInSwift() -> Int {
        var parsed = 0
        for _ in 0..<rounds {
            for frame in frames {
                do {
                    _ = try FrameParser.parse(frame.span)
                    parsed += 1
                } catch {}
            }
        }
        return parsed
    }

    private static func parseAllInC(_ texts: [[UInt8]]) -> Int {
        var reference = reference_frame()
        var parsed = 0
        for _ in 0..<rounds {
            for text in texts where parseInC(text, &reference) { parsed += 1 }
        }
        return parsed
    }

    private static func parseInC(_ text: [UInt8], _ frame: inout reference_frame) -> Bool {
        text.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { reference_parse($0.baseAddress, $0.count - 1, &frame) == 0 }
        }
    }

    private static func seconds(_ body: () -> Void) -> Double {
        let began = ContinuousClock.now
        body()
        return (ContinuousClock.now - began) / .seconds(1)
    }
}
