import Foundation
import GatewayReports
import TestSupport
import Testing

/// The pipeline of the unit in `deploy/speech` with the real espeak-ng. A file replaces the loudspeaker.
@Suite(.timeLimit(.minutes(10))) struct SpeechRecipeTests {
    private static let voice = "espeak-ng -s 170"

    private let folder: URL

    init() throws { folder = try temporaryDirectory() }

    private var sounds: URL { folder.appendingPathComponent("said.wav") }

    /// The unit's command with the test's broker. It also prints the spoken phonemes, one line each.
    private func speaker(_ broker: Broker) throws -> Child {
        let unit = try Fixtures.text("deploy/speech/sondygo2mqtt-speech.service")
        let prefix = "ExecStart=/bin/sh -c \""
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix(prefix) && $0.hasSuffix("\"") })
        let command = line.dropFirst(prefix.count).dropLast()
        // systemd would change these characters.
        #expect(!command.contains { "\"$%\\".contains($0) })
        #expect(command.contains("-h localhost") && command.hasSuffix(Self.voice))
        // The programs outlive the shell; they end with their input.
        let pipeline = command.replacing("mosquitto_sub -h localhost", with: "mosquitto_sub -W 100 -p \(broker.port)")
            .replacing(Self.voice, with: "\(Self.voice) -x -w \(sounds.path)")
        return try Child("/bin/sh", ["-c", String(pipeline)])
    }

    /// The phonemes of espeak-ng for a text: one line for each clause.
    private func phonemes(_ text: String, voice: String = "en") async throws -> [String] {
        let child = try Child("espeak-ng", ["-q", "-x", "-s", "170", "-v", voice, "--", text])
        #expect(try await child.exitCode() == 0)
        return child.lines
    }

    private func publish(_ payload: String, _ broker: Broker) throws {
        let file = folder.appendingPathComponent("payload")
        try Data(payload.utf8).write(to: file)
        let child = try Child(
            "mosquitto_pub", ["-p", "\(broker.port)", "-q", "1", "-t", "sondygo/car1/event", "-f", file.path])
        child.wait(atMost: 10)
    }

    private func event(_ text: String, speak: Any = true, language: Any = "en") throws -> String {
        let object: [String: Any] = [
            "event": "distance", "at": "2026-01-01T12:00:00.000Z", "text": text, "speak": speak, "language": language,
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    /// Other messages on the topic are ignored or read aloud, and have no other effect.
    @Test func onlySentencesAreSpoken() async throws {
        let broker = try await Broker()
        let speaker = try speaker(broker)
        let (first, last) = ("Half left.", "The sonde has landed 3.4 kilometres ahead, half left.")
        let begin = try await phonemes(first)
        // Repeats until the subscription stands.
        try await eventually("it speaks: \(speaker.text)") {
            try publish(try event(first), broker)
            return speaker.text.contains(begin.joined(separator: "\n")).orNil
        }
        let harmless = folder.appendingPathComponent("harmed").path
        let bad = [
            "", "nonsense", "{", "{\"speak\":true,\"text\":", "[1,2]", "\"text\"", "null", "{\"speak\":true}",
            "{\"speak\":true,\"text\":null}", "{\"speak\":true,\"text\":7}", "{\"speak\":true,\"text\":{\"a\":1}}",
            "{\"speak\":true,\"text\":[\"x\"]}", "\u{0}\u{1}\u{fffd}", String(repeating: "[", count: 60_000),
            try event("Nobody is to hear this", speak: false), try event("nor this", speak: "true"),
        ]
        for payload in bad { try publish(payload, broker) }
        let aloud = [
            "$(touch \(harmless)) `touch \(harmless)`; touch \(harmless) | touch \(harmless) 'x' \"x\" > \(harmless)",
            "-w \(harmless)", "--stdout", "-f /etc/passwd", "one\ntwo\r\n\u{1b}[31m three\u{0}",
            "<speak><audio src=\"/etc/passwd\"/></speak>", String(repeating: "y ", count: 30_000),
        ]
        for text in aloud { try publish(try event(text), broker) }
        try publish(try event(last), broker)
        let end = try await phonemes(last).joined(separator: "\n")
        try await eventually("the last sentence: \(speaker.text.suffix(2000))", within: 200) {
            speaker.text.contains(end).orNil
        }
        #expect(speaker.isRunning)
        #expect(!FileManager.default.fileExists(atPath: harmless))
        for quiet in ["Nobody is to hear this", "nor this"] {
            let silent = try await phonemes(quiet).joined(separator: "\n")
            #expect(!speaker.text.contains(silent), "\(quiet)")
        }
        // Reading all 60 kB aloud would take hours.
        #expect(speaker.text.utf8.count < 20_000, "\(speaker.text.utf8.count)")
        #expect(!speaker.text.contains("error"), "\(speaker.text)")
        // The file holds the last sentence.
        try await eventually("sound") { (try seconds(of: sounds) > 2.5).orNil }
    }

    private func seconds(of file: URL) throws -> Double {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        return Double((size ?? 0) - 44) / 2 / 22_050
    }

    /// Each event is said with a voice of its language; without one, or with nonsense, in English.
    @Test func theVoiceIsThatOfTheLanguage() async throws {
        let broker = try await Broker()
        let speaker = try speaker(broker)
        let begin = try await phonemes("Ready.").joined(separator: "\n")
        try await eventually("it speaks: \(speaker.text)") {
            try publish(try event("Ready."), broker)
            return speaker.text.contains(begin).orNil
        }
        for (language, voice, text) in [
            ("de", "de", "Noch 200 Meter, halb links."), ("fr", "fr", "Encore 200 mètres, devant à gauche."),
            ("it", "it", "Mancano 200 metri, davanti a sinistra."), (7, "en", "Straight ahead."),
            ("-w/tmp/x", "en", "To the right."),
        ] as [(Any, String, String)] {
            try publish(try event(text, language: language), broker)
            let said = try await phonemes(text, voice: voice).joined(separator: "\n")
            try await eventually("\(text): \(speaker.text)") { speaker.text.contains(said).orNil }
        }
    }

    /// Each sentence of each language, once: a voice needs 0.04 to 0.32 s for a character.
    @Test func everySentenceIsSpoken() async throws {
        let lines = try Fixtures.text("Fixtures/phrases.txt").split(separator: "\n")
        #expect(lines.count > 400)
        for line in lines {
            let text = String(line.dropFirst(3))
            let child = try Child(
                "espeak-ng", ["-s", "170", "-v", String(line.prefix(2)), "-w", sounds.path, "--", text])
            #expect(try await child.exitCode() == 0)
            let pace = try seconds(of: sounds) / Double(text.count)
            #expect((0.04...0.32).contains(pace), "\(pace) \(line)")
        }
    }

    /// A sentence takes at most seven seconds, the status nine, also with the longest values. The gateway waits for its end
    /// by the text alone, and so is right to within a second and a quarter.
    @Test func everySentenceIsShort() async throws {
        var longest = 0.0
        for line in try Fixtures.text("Fixtures/speech.txt").split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            let limit = try #require(Double(words[0]))
            let child = try Child("espeak-ng", ["-s", "170", "-v", words[1], "-w", sounds.path, "--", words[2]])
            #expect(try await child.exitCode() == 0)
            let seconds = try seconds(of: sounds)
            #expect(seconds <= limit, "\(seconds) s: \(line)")
            let language = try #require(Language(rawValue: words[1]))
            let judged = language.phrasebook.seconds(toSay: words[2])
            #expect(abs(judged - seconds) < 1.25, "\(judged) s, not \(seconds) s: \(line)")
            longest = max(longest, seconds)
        }
        #expect(longest > 5)
    }

    /// With the gateway's real events.
    @Test func theGatewaysEventsAreSpoken() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let speaker = try speaker(broker)
        let begin = try await phonemes("Ready.").joined(separator: "\n")
        try await eventually("it speaks: \(speaker.text)") {
            try publish(try event("Ready."), broker)
            return speaker.text.contains(begin).orNil
        }
        let gateway = try GatewayProgram.start([
            "run", "--transport", "simulator", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)",
        ])
        // The receiver is online: without its firmware.
        let message = try await subscriber.first(on: "sondygo/test/event") { $0.json["speech"] is String }
        let said = try await phonemes(
            try #require((message.json["speech"] ?? message.json["text"]) as? String)
        ).joined(separator: "\n")
        try await eventually("\(said): \(speaker.text)") { speaker.text.contains(said).orNil }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }
}
