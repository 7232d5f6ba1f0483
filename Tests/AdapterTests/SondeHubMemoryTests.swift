import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubClient
import TestSupport
import Testing

/// The memory that the worst answers need, each in a process of its own.
@Suite(.timeLimit(.minutes(10)), .serialized) struct SondeHubMemoryTests {
    /// 60 MB of tiny records, the same as gzip, 80 kB that unpack to 80 MB, an endless stream, records of 5 MB.
    @Test(arguments: ["flood", "floodgzip", "bomb", "endless", "longrecord"])
    func hugeAnswersTakeLittleMemory(_ behaviour: String) async throws {
        let server = try await FakeSondeHub()
        try server.serve("site", Fixtures.text("Fixtures/sondehub/site.json"))
        try server.serve("track", Fixtures.text("Fixtures/sondehub/track.json"))
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [port = server.port as Int, behaviour = behaviour as String] in
            let peak = try await MemoryOfAnswers(port: port).measure(behaviour)
            print("SondeHub memory, \(behaviour): \(peak)")
            // It has read the expected answer.
            #expect(peak.outcome == MemoryOfAnswers.outcomes[behaviour])
            #expect(peak.pollMB < 5)
            #expect(peak.trackMB < 5)
            #expect(peak.afterwardsMB < 5)
        }
        print(String(decoding: child?.standardOutputContent ?? [], as: UTF8.self))
    }
}

/// Megabytes above idle.
struct MemoryPeak: Sendable {
    var pollMB = 0.0
    var trackMB = 0.0
    /// After the answer.
    var afterwardsMB = 0.0
    /// The result of the poll.
    var outcome = ""
}

struct MemoryOfAnswers {
    /// The results of polls by behaviour.
    static let outcomes = [
        "flood": "640 records, 859520 dropped, 1 skipped", "floodgzip": "640 records, 859520 dropped, 1 skipped",
        "bomb": "too_large", "endless": "too_large", "longrecord": "3 records, 0 dropped, 7 skipped",
    ]

    let port: Int

    func measure(_ behaviour: String) async throws -> MemoryPeak {
        // Creates the threads, pools and buffers that each answer needs.
        for warmUp in ["good", "gzip"] { _ = try await ask(warmUp) }
        let idle = try Self.megabytes("VmRSS")
        var peak = MemoryPeak()
        peak.outcome = try await ask(behaviour)
        peak.pollMB = try Self.megabytes("VmHWM") - idle
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        _ = try await ask(behaviour, track: true)
        peak.trackMB = try Self.megabytes("VmHWM") - idle
        peak.afterwardsMB = try Self.megabytes("VmRSS") - idle
        return peak
    }

    /// Asks once and returns the result.
    private func ask(_ behaviour: String, track: Bool = false) async throws -> String {
        var configuration = SondeHubClient.Configuration(
            url: "http://127.0.0.1:\(port)/\(behaviour)", userAgent: "sondygo2mqtt/test")
        configuration.pollTimeout = .seconds(60)
        configuration.trackTimeout = .seconds(60)
        let client = try SondeHubClient(configuration)
        let serial = try #require(SondeSerial(name: "T1", type: .rs41))
        var outcome: String
        do throws(OnlineServiceError) {
            if track {
                var points = 0
                try await client.track(of: serial, last: .day) { points += $0.count }
                outcome = "\(points) points"
            } else {
                let answer = try await client.sondes(.site("06610"))
                outcome = "\(answer.records.count) records, \(answer.dropped) dropped, \(answer.skipped) skipped"
            }
        } catch {
            outcome = error.code.rawValue
        }
        await client.close()
        return outcome
    }

    private static func megabytes(_ field: String) throws -> Double {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
        return (Double(line.filter(\.isNumber)) ?? 0) / 1024
    }
}
