import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A valley: the network comes and goes every 20 s. SondeHub hears the sonde all the time. Its answers to REST calls come
/// from a cache.
@Suite struct SondeHubValleyTests {
    /// How old SondeHub's answers are.
    enum CacheAge: CustomTestStringConvertible, Sendable {
        case fixed(Int)
        /// A new copy is made when the last one has this age.
        case growing(to: Int)

        /// When the copy was made that a call gets.
        func copied(at second: Int) -> Int {
            switch self {
            case .fixed(let age): max(0, second - age)
            case .growing(let limit): second / limit * limit
            }
        }

        var testDescription: String {
            switch self {
            case .fixed(let age): "\(age) s old"
            case .growing(let limit): "up to \(limit) s old"
            }
        }
    }

    /// The calls that wait for the network, and those made.
    private struct Network {
        var stream: CallID?
        var isStreamOpen = false
        var polls: [CallID] = []
        var tracks: [(id: CallID, duration: TrackDuration)] = []
        var made = (polls: 0, tracks: 0, streams: 0)

        mutating func note(_ outcome: Script.Outcome) {
            for poll in outcome.polls { polls.append(poll.id) }
            for track in outcome.tracks { tracks.append((track.id, track.duration)) }
            if let next = outcome.streams.first { (stream, isStreamOpen) = (next.id, false) }
            if let stream, outcome.cancelled.contains(stream) { self.stream = nil }
            made.polls += outcome.polls.count
            made.tracks += outcome.tracks.count
            made.streams += outcome.streams.count
        }
    }

    private static let unreachable = Answer.failed(OnlineServiceError(.unreachable, "no network"))
    /// `VALLEY_SECONDS=7200` stays for two hours.
    private static let seconds =
        ProcessInfo.processInfo.environment["VALLEY_SECONDS"].flatMap { Int($0) } ?? 1200

    private func record(at second: Int) -> SondeHubRecord {
        // A floater, so that no phase of the flight ends.
        Script.record("V1", at: Double(second), latitude: 47 + Double(second) * 1e-5, altitude: 12_000 + Double(second))
    }

    /// One second of the network.
    private func pass(
        _ second: Int, isUp: Bool, cache: CacheAge, _ network: inout Network, _ script: inout Script
    ) -> Script.Outcome {
        var outcome = Script.Outcome()
        let (polls, tracks) = (network.polls, network.tracks)
        (network.polls, network.tracks) = ([], [])
        let copied = cache.copied(at: second)
        let age = Duration.seconds(second - copied)
        for id in polls {
            outcome +=
                isUp
                ? script.answer(id, [record(at: copied - 2)], cacheAge: age)
                : script.run(.answered(id, Self.unreachable))
        }
        for track in tracks {
            let first = max(0, copied - Int(track.duration.duration.components.seconds))
            outcome +=
                isUp
                ? script.answerTrack(track.id, (first..<max(first, copied - 1)).map(record))
                : script.run(.answered(track.id, Self.unreachable))
        }
        guard let stream = network.stream else { return outcome }
        guard isUp else {
            network.stream = nil
            return outcome + script.run(.answered(stream, Self.unreachable))
        }
        if !network.isStreamOpen { outcome += script.run(.answered(stream, .stream(.opened))) }
        network.isStreamOpen = true
        return outcome
            + script.run(.answered(stream, .stream(.frames(SondeHubAnswer(records: [record(at: second - 2)])))))
    }

    /// No time goes back, nothing is missing from the track but the last 7 min, and the attempts per hour stay few.
    @Test(arguments: [CacheAge.fixed(0), .fixed(60), .fixed(120), .growing(to: 120)])
    func nothingIsLostInAValley(_ cache: CacheAge) throws {
        var options = SondeHubOptions.payerne
        options.streams = true
        var script = Script(sondeHub: options)
        var network = Network()
        script.connect()
        network.note(script.command("{\"hunt\":\"V1\"}"))
        var times: [WallTime] = []
        for second in 1...Self.seconds {
            // Not whole seconds: the jitter of a wait comes from the clock's microseconds.
            var outcome = script.wait(1.0001)
            network.note(outcome)
            let answered = pass(second, isUp: second / 20 % 2 == 0, cache: cache, &network, &script)
            network.note(answered)
            outcome += answered
            times += outcome.positions.map(\.time)
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times.count > Self.seconds / 3)
        let seconds = script.machine.sonde.flight.track.points.map { $0.time.millisecondsSince1970 / 1000 }
        #expect(Set(seconds).count == seconds.count)
        let known = Set(seconds)
        let missing = (0..<(Self.seconds - 420)).filter { !known.contains(Script.noon / 1000 + Int64($0)) }
        #expect(missing.isEmpty, "\(missing.count) missing: \(missing)")
        let made = [network.made.polls, network.made.tracks, network.made.streams]
        let hourly = made.map { $0 * 3600 / Self.seconds }
        print("valley, answers \(cache.testDescription): polls, tracks, connections in an hour:", hourly)
        // Most connections are attempts without a network.
        #expect(hourly[0] <= 60 && hourly[1] <= 48 && hourly[2] <= 720)
    }
}
