import Foundation
import Logging
import ReceiverProtocol
import TestSupport
import Testing

@testable import GatewayRuntime

@Suite struct LogTests {
    /// Foreign text -> the text in the log.
    @Test(
        arguments: [
            ("plain: Zürich 404.2", "plain: Zürich 404.2"), ("a\nb", "a\\nb"), ("a\r\tb", "a\\r\\tb"),
            ("\u{1B}[31mred", "\\u{1B}[31mred"), ("\u{7F}", "\\u{7F}"), ("c1 \u{9B}31m", "c1 \\u{9B}31m"),
            ("\u{85}", "\\u{85}"), ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
            ("\u{202E}txt.exe", "\\u{202E}txt.exe"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("\u{200F}", "\\u{200F}"), ("\u{FEFF}", "\\u{FEFF}"), ("e\u{301}", "e\u{301}"),
        ] as [(String, String)])
    func foreignTextIsWrittenVisibly(_ text: String, _ written: String) {
        // Compares scalars, because == ignores how an accent is encoded.
        #expect(Array(text.plainLine().unicodeScalars) == Array(written.unicodeScalars))
        let line = JournalLogHandler.text("message", ["why": "\(text)"])
        #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    /// What stands in the log is copied, an example of a command above all.
    @Test(
        arguments: [
            ("plain", "plain"), ("two words", #""two words""#), (#"{"mute":true}"#, #"'{"mute":true}'"#),
            (#"don't "x""#, #""don't \"x\"""#), ("don't", "don't"),
        ] as [(String, String)])
    func whatIsQuotedCanBeCopied(_ text: String, _ written: String) {
        #expect(JournalLogHandler.text("message", ["why": "\(text)"]) == "message why=\(written)")
    }

    @Test func aLongLineIsCut() {
        let line = JournalLogHandler.text("frame rejected", ["hex": "\(String(repeating: "é", count: 100_000))"])
        #expect(line.utf8.count < 4100)
        #expect(line.hasPrefix("frame rejected hex=éé"))
        #expect(line.hasSuffix("bytes more)"))
        #expect(String(repeating: "\u{9B}", count: 100_000).plainLine(limit: 100).utf8.count < 150)
    }

    /// Nobody reads the log, a socket or a pipe: nothing waits, and the lines that were left out are counted.
    @Test(arguments: [true, false]) func aFullLogStopsNothing(_ isSocket: Bool) {
        var ends: [Int32] = [0, 0]
        #expect((isSocket ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)) == 0)
        for end in ends { keepFromChildren(end) }
        defer { for end in ends { close(end) } }
        let handler = JournalLogHandler(level: LogLevel(.info), isForJournal: true, descriptor: ends[1])
        let log = Logger(label: "test", factory: { _ in handler })
        for number in 0..<5000 { log.info("a line with some words", metadata: ["number": "\(number)"]) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        func read() -> String {
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = Foundation.read(ends[0], &buffer, buffer.count), count > 0 {
                text += buffer[..<count]
            }
            return String(decoding: text, as: UTF8.self)
        }
        let before = read()
        #expect(before.hasPrefix("<6>a line with some words number=0\n") && !before.contains("number=4999"))
        log.info("again")
        let after = read()
        #expect(
            after.contains(" lines were left out: nobody read the log\n") && after.hasSuffix("<6>again\n"), "\(after)")
    }

    /// The thing comes first, then amounts, the reason and the count.
    @Test func factsAreInAFixedOrder() {
        let line = JournalLogHandler.text(
            "can't open the receiver's link; retrying",
            ["why": "timed out", "times": "3", "link": "ble MySondy", "extra": "1", "broker": "b"])
        #expect(
            line
                == "can't open the receiver's link; retrying broker=b link=\"ble MySondy\" extra=1 why=\"timed out\" times=3"
        )
        let start = JournalLogHandler.text(
            "starting", ["broker": "b:1883", "receiver": "simulator", "topics": "sondygo/car1"])
        #expect(start == "starting topics=sondygo/car1 receiver=simulator broker=b:1883")
    }

    /// This holds for a fault that comes and goes, too.
    @Test func aRepeatedFaultIsLoggedOnceAMinute() {
        var repeats = RepeatedFaults()
        let counts = (0..<10).map { repeats.admits("refused", at: MonotonicTime.zero.advanced(by: .seconds($0 * 16))) }
        #expect(counts == [1, nil, nil, nil, 4, nil, nil, nil, 4, nil])
        #expect(repeats.admits("another", at: .zero) == 1)
    }

    /// A file's name with the time in it, or a size, makes no new fault of each attempt.
    @Test func aReasonsNumbersMakeNoNewFault() {
        var repeats = RepeatedFaults()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let told = (0..<120).map { second in
            repeats.log(
                "raw log can't be written; retrying", level: .error,
                facts: ["why": "/var/raw-20261128T1510\(second).jsonl: No space left on device"], to: log,
                at: MonotonicTime.zero.advanced(by: .seconds(second)))
        }
        #expect(told.count { $0 } == 2)
    }

    /// Otherwise "lost" would be the log's last line about a receiver that is online.
    @Test func aRecoveryIsLoggedIfItsFaultWas() {
        var repeats = RepeatedFaults()
        let script: [(second: Int, message: String, count: Int?)] = [
            (0, "online", 1), (20, "lost", 1), (21, "online", 1), (30, "lost", nil), (31, "online", nil),
            (40, "lost for another reason", 1), (41, "online", 2), (81, "lost", 2), (82, "online", 1),
            (83, "online", nil), (142, "online", 2),
        ]
        for (second, message, count) in script {
            let now = MonotonicTime.zero.advanced(by: .seconds(second))
            let isFault = message.hasPrefix("lost")
            #expect(repeats.admits(message, isFault: isFault, at: now) == count, "\(message) at \(second) s")
        }
    }
}
