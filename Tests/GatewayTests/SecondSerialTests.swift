import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A decoder gives a DFM a second serial for a few frames. The flight goes on under the first one.
@Suite struct SecondSerialTests {
    /// A DFM that falls by 6 m/s from 1200 m to the ground at 300 m, and drifts north.
    private struct Fall {
        static let (first, second) = ("D17-23072942", "D17-23072943")
        static let canonical = "23072942"

        var script: Script
        private(set) var seconds = 0
        private(set) var outcome = Script.Outcome()
        /// The calls for tracks, with their time.
        private(set) var calls: [(serial: String, at: Double)] = []

        init(memory: GatewayMemory = GatewayMemory()) {
            script = Script(sondeHub: SondeHubOptions.payerne, prediction: .ownWindsOnly, memory: memory)
            script.connect()
        }

        static func altitude(_ second: Int) -> Double { max(300, 1200 - 6 * Double(second)) }
        static func place(_ second: Int) -> Coordinate {
            Coordinate(latitude: 47 + Double(min(second, 150)) * 5 / 111_195, longitude: 8.54)
        }

        /// Hears one frame a second with this name. SondeHub knows nothing of the sonde.
        mutating func hear(_ name: String, _ count: Int) {
            for _ in 0..<count {
                var step = script.wait(1)
                seconds += 1
                let isFalling = seconds < 150
                step += script.frame(
                    Script.position(
                        name, type: "DFM", latitude: String(format: "%.5f", Self.place(seconds).latitude),
                        altitude: Int(Self.altitude(seconds)), speed: isFalling ? 18 : 0, up: isFalling ? -6 : 0))
                for poll in step.polls { step += script.answer(poll.id, []) }
                for track in step.tracks {
                    calls.append((track.serial.canonical, Double(seconds)))
                    step += script.answerTrack(track.id, [])
                }
                outcome += step
            }
        }

        /// The flight until now, as the store has it: a climb to 20 km, and a fall.
        static func recorded() throws -> RecordedFlight {
            let serial = try #require(SondeSerial(name: first, type: .dfm))
            let points = (-2400...0).map { second in
                let altitude = second < -1000 ? 20_000 + Double(second + 1000) * 5 : 1200 - 18.8 * Double(second)
                return TrackPoint(
                    time: WallTime(millisecondsSince1970: Script.noon + Int64(second - 20) * 1000),
                    coordinate: Coordinate(latitude: 47 + Double(second) * 5 / 111_195, longitude: 8.54),
                    altitudeMetres: altitude, source: .ble)
            }
            return RecordedFlight(serial: serial, sondeType: .dfm, points: points)
        }
    }

    /// The number of frames with the second serial. The restart comes before them.
    @Test(arguments: [4, 29]) func theFlightGoesOnAndLands(_ frames: Int) throws {
        var fall = Fall(memory: GatewayMemory(flight: try Fall.recorded()))
        fall.hear(Fall.first, 20)
        let before = try #require(fall.script.flight)
        #expect(before.burst?.altitudeMetres == 20_000)
        fall.hear(Fall.second, frames)
        #expect(fall.script.serial == Fall.canonical)
        fall.hear(Fall.first, 280)
        try check(fall, since: before)
    }

    /// After a restart the second serial comes first.
    @Test func aRestartBeforeTheSecondSerial() throws {
        var fall = Fall(memory: GatewayMemory(flight: try Fall.recorded()))
        let before = try #require(fall.script.flight)
        fall.hear(Fall.second, 4)
        #expect(fall.script.serial == "23072943")
        fall.hear(Fall.first, 300)
        try check(fall, since: before)
    }

    /// The second serial comes every third frame.
    @Test func takingTurns() throws {
        var fall = Fall(memory: GatewayMemory(flight: try Fall.recorded()))
        fall.hear(Fall.first, 1)
        let before = try #require(fall.script.flight)
        for _ in 0..<100 {
            fall.hear(Fall.first, 2)
            fall.hear(Fall.second, 1)
        }
        try check(fall, since: before)
        #expect(fall.outcome.told(.sondeChanged).isEmpty)
    }

    private func check(_ fall: Fall, since before: FlightReport) throws {
        let after = try #require(fall.script.flight)
        #expect(fall.script.serial == Fall.canonical)
        #expect(after.burst == before.burst && after.trackPoints > before.trackPoints)
        #expect(fall.outcome.told(.landed).count == 1 && fall.outcome.told(.landingRevoked).isEmpty)
        #expect(fall.outcome.told(.burst).isEmpty)
        let landed = try #require(after.landed)
        #expect(landed.coordinate.distanceMetres(to: Fall.place(150)) < 30)
        // One gap is asked for once in five minutes.
        for (serial, calls) in Dictionary(grouping: fall.calls, by: { $0.serial }) {
            #expect(zip(calls, calls.dropFirst()).allSatisfy { $1.at - $0.at >= 300 }, "\(serial): \(calls)")
        }
    }

    // MARK: - Without a receiver

    /// Names and type of one sonde, that SondeHub's stations decode differently. Each answer has another newest.
    @Test(
        arguments: [
            (["23072942", "23072943", "23072944"], .dfm), (["501-1-00017", "501-2-00017", "501-3-00017"], .m20),
        ] as [([String], SondeType)])
    func threeSerialsOfOneSonde(_ names: [String], _ type: SondeType) throws {
        var around = Around()
        for round in 0..<40 {
            let second = around.seconds
            around.poll(
                names.enumerated().map { index, name in
                    let age = Double((index + round) % names.count)
                    return Script.record(
                        name, at: second - 2 - age, latitude: 47 + (second - age) * 1e-4,
                        altitude: 3000 + (second - age) * 5, type: type, frequency: 405)
                })
        }
        #expect(around.outcome.told(.sondeChanged).count == 1)
        #expect(Set(around.outcome.positions.map(\.serial?.canonical)).count == 1)
        #expect(around.outcome.positions.count >= 39)
    }

    /// One sonde has landed and still transmits, another flies. The newest record alternates.
    @Test(arguments: [true, false]) func oneLandedAndOneFlying(_ isLandedFirst: Bool) throws {
        var around = Around()
        for round in 0..<60 {
            let second = around.seconds
            var landed = Script.record("V1", at: second - Double(round % 2), latitude: 46.5, altitude: 440)
            (landed.horizontalSpeed, landed.verticalSpeed) = (0, 0)
            var flying = Script.record(
                "V2", at: second - Double((round + 1) % 2), latitude: 47 + second * 1e-4, altitude: 3000 + second * 5)
            (flying.horizontalSpeed, flying.verticalSpeed) = (11, 5)
            around.poll(isLandedFirst && round < 10 ? [landed] : [landed, flying])
        }
        let chosen = around.outcome.positions.compactMap(\.serial?.canonical)
        #expect(chosen.last == "V2")
        // A change, if there is one, comes once.
        #expect(zip(chosen, chosen.dropFirst()).count { $0 != $1 } == (isLandedFirst ? 1 : 0))
        #expect(around.outcome.told(.sondeChanged).count == (isLandedFirst ? 2 : 1))
    }

    /// The followed sonde lands while another one flies.
    @Test func theFollowedOneLands() throws {
        var around = Around()
        for round in 0..<120 {
            let second = around.seconds
            let altitude = max(440, 6000 - second * 8)
            var falling = Script.record(
                "V1", at: second - Double(round % 2), latitude: 46.5 + min(second, 700) * 1e-4, altitude: altitude)
            (falling.horizontalSpeed, falling.verticalSpeed) = altitude > 440 ? (11, -8) : (0, 0)
            var flying = Script.record(
                "V2", at: second - Double((round + 1) % 2), latitude: 47 + second * 1e-4, altitude: 3000 + second * 5)
            (flying.horizontalSpeed, flying.verticalSpeed) = (11, 5)
            around.poll(round == 0 ? [falling] : [falling, flying])
        }
        #expect(around.outcome.told(.landed).count == 1)
        #expect(around.outcome.told(.sondeChanged).compactMap(\.announcement.newSerial) == ["V1", "V2"])
        #expect(around.script.serial == "V2")
    }

    /// No receiver; SondeHub answers each poll.
    private struct Around {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        private(set) var outcome = Script.Outcome()

        init() {
            outcome += script.brokerConnected()
            outcome += script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        }

        var seconds: Double {
            script.now.wall.duration(since: WallTime(millisecondsSince1970: Script.noon)).inSeconds
        }

        /// Waits for a poll, and answers it.
        mutating func poll(_ records: [SondeHubRecord]) {
            for _ in 0..<600 {
                var step = outcome.polls.isEmpty && seconds == 0 ? script.wait(0) : script.wait(1)
                for track in step.tracks { step += script.answerTrack(track.id, []) }
                let polls = step.polls
                for poll in polls {
                    let answered = script.answer(poll.id, records)
                    step += answered
                    for track in answered.tracks { step += script.answerTrack(track.id, []) }
                }
                outcome += step
                if !polls.isEmpty { return }
            }
        }
    }
}
