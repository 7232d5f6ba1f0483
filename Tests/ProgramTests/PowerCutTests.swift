import Foundation
import TestSupport
import Testing

/// The power goes while the program records a flight. `CUTS=1000` cuts more often.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PowerCutTests {
    private static let cuts = ProcessInfo.processInfo.environment["CUTS"].flatMap { Int($0) } ?? 20
    /// The longest time of lost points and messages in seconds.
    private static let limit = 5.0

    /// What a reader finds after a cut.
    private struct Found: Decodable {
        var integrity: String
        /// The times of points, milliseconds since 1970.
        var points: [Double]
        /// The messages that wait, in the order of their keys.
        var messages: [String]
        var burstAltitude: Double?
        /// The latitude of the landing point that a command has set.
        var landingLatitude: Double?
    }

    private static let reader = """
        import json, sqlite3, sys
        s = sqlite3.connect(sys.argv[1])
        def setting(name, part):
            row = s.execute('SELECT value FROM setting WHERE name = ?', [name]).fetchone()
            return part(json.loads(row[0])) if row else None
        print(json.dumps({
            'integrity': s.execute('PRAGMA integrity_check').fetchone()[0],
            'points': [row[0] for row in s.execute('SELECT at FROM point ORDER BY at')],
            'messages': [row[0].decode() for row in s.execute('SELECT payload FROM spool ORDER BY key')],
            'burstAltitude': setting('option_burst_altitude_m', lambda stored: stored['value']),
            'landingLatitude': setting(
                'option_landing_point', lambda stored: stored['places'][-1]['place']['latitude'])}))
        """

    /// Frames, commands and events, first with a broker and then without.
    @Test func aPowerCutLosesFiveSecondsAndNothingThatWasSaid() async throws {
        let cut = try await PowerCut()
        let notify = try NotifySocket()
        let bench = try await FrameBench(
            state: cut.folder, environment: cut.environment.merging(["NOTIFY_SOCKET": notify.path]) { $1 })
        var readyAt: Date?
        for number in 0..<30 {
            try await bench.feed(3, every: .milliseconds(120))
            let command = #"{"id":\#(number),"options":{"burst_altitude_m":\#(20_000 + number)}}"#
            try publish(port: bench.port, topic: "sondygo/test/command", command)
            if number % 3 == 0 {
                try publish(
                    port: bench.port, topic: "sondygo/test/command",
                    #"{"landing_point":{"latitude":47.\#(100 + number),"longitude":8.2}}"#)
            }
            if notify.received().contains("READY=1") { readyAt = Date() }
        }
        let begin = try #require(readyAt).timeIntervalSince1970
        let broker = Date().timeIntervalSince1970
        try await bench.killBroker()
        try await bench.feed(90, every: .milliseconds(120))
        let end = Date().timeIntervalSince1970
        bench.gateway.kill(SIGKILL)
        let disk = try cut.recorded()
        var random = SeededRandom(seed: 31)
        var worst = 0.0
        for number in 0..<Self.cuts {
            let time = number == 0 ? begin : Double.random(in: begin...end, using: &random)
            let folder = try temporaryDirectory()
            let index = disk.times.firstIndex { $0.timeIntervalSince1970 > time } ?? disk.count
            try disk.restore(before: index, into: folder, using: &random)
            let child = try Child("python3", ["-c", Self.reader, folder.path + "/gateway.sqlite"])
            #expect(try await child.exitCode() == 0, "\(child.text)")
            let found = try JSONDecoder().decode(Found.self, from: Data(child.text.utf8))
            #expect(found.integrity == "ok")
            verify(found, said: bench.messages.filter { $0.arrivedAt.map { $0 <= time } ?? false })
            worst = max(worst, loss(found, bench, begin: begin, cutAt: time, broker: broker))
            try FileManager.default.removeItem(at: folder)
        }
        #expect(worst <= Self.limit + bench.longestPause)
        print("\(Self.cuts) cuts: at most \(worst) s lost; \(disk.syncs) syncs in \(Int(end - begin)) s")
    }

    /// Nothing is lost that was answered or announced.
    private func verify(_ found: Found, said: [Subscriber.Message]) {
        let done = said.last { message in
            let applied = message.json["applied"] as? [String: Any]
            return message.json["status"] as? String == "done" && applied?["burst_altitude_m"] != nil
        }
        if let done, let id = done.json["id"] as? Int {
            #expect(done.json["error"] is NSNull)
            #expect(found.burstAltitude ?? 0 >= Double(20_000 + id))
        }
        let places = said.compactMap { message -> Double? in
            let applied = message.json["applied"] as? [String: Any]
            guard message.json["status"] as? String == "done" else { return nil }
            return (applied?["landing_point"] as? [String: Any])?["latitude"] as? Double
        }
        if let place = places.last {
            #expect(found.landingLatitude ?? 0 >= place)
        }
        guard let event = said.last(where: { $0.topic.hasSuffix("/event") }) else { return }
        let at = time(event, "at")
        let known = said.last { $0.topic.hasSuffix("/position") && time($0, "received_at") <= at }
        guard let known else { return }
        // One point a second stays, the first. The newest may still wait for the next one, which shows whether it is an
        // outlier: on a busy machine two frames can come too soon after each other.
        #expect((found.points.last ?? 0) / 1000 >= time(known, "received_at").rounded(.down) - 1)
    }

    private func time(_ message: Subscriber.Message, _ key: String) -> Double {
        (message.json[key] as? String).map(seconds) ?? .infinity
    }

    private func seconds(_ time: String) -> Double {
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return format.date(from: time)?.timeIntervalSince1970 ?? .infinity
    }

    /// - Returns: how many seconds of flight are missing, in points or in messages.
    private func loss(
        _ found: Found, _ bench: FrameBench, begin: Double, cutAt time: Double, broker: Double
    ) -> Double {
        let points = time - max(begin, (found.points.last ?? 0) / 1000)
        guard time > broker + 1 else { return points }
        let times = found.messages.compactMap { text -> Double? in
            let json = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            return (json?["received_at"] as? String).map(seconds)
        }
        // The order is that of the frames, without a gap.
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 < 2 + bench.longestPause })
        return max(points, time - max(broker, times.last ?? 0))
    }
}
