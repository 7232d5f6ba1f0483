import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The receiver and a station of SondeHub hear one sonde. The sonde sends no time, and the station's clock is wrong.
@Suite struct WrongStationClockTests {
    /// How the station's frames reach the gateway.
    enum Way: CaseIterable, Sendable {
        case polled, cached, streamed

        /// The seconds from a frame until SondeHub answers with it.
        var delay: Int { self == .cached ? 60 : 2 }
    }

    /// A flight during which the receiver hears nothing three times, once at the burst.
    private struct Chase {
        static let seconds = 2400
        private static let (burst, landing) = (1500.0, 2125.0)
        private static let deaf = [600..<780, 1440..<1560, 1800..<1920]
        private static let name = "011-2-13333"

        var script: Script
        let way: Way
        /// How far the station's clock is ahead, seconds.
        let ahead: Double
        /// Whether SondeHub has measured the station's clock. Each upload of 15 s has another delay.
        let isMeasured: Bool
        /// The station's first second.
        let start: Int
        private(set) var second = 0
        private(set) var outcome = Script.Outcome()
        /// Positions of SondeHub that came while the receiver heard the sonde.
        private(set) var intrusions = 0
        private var stream: CallID?
        private var sent: [(second: Int, record: SondeHubRecord)] = []

        init(_ way: Way, ahead: Double, isMeasured: Bool = false, from start: Int = 1) {
            var options = SondeHubOptions.payerne
            options.streams = way == .streamed
            script = Script(sondeHub: options, prediction: .ownWindsOnly)
            (self.way, self.ahead, self.isMeasured, self.start) = (way, ahead, isMeasured, start)
            script.connect()
        }

        static func altitude(_ second: Double) -> Double {
            500 + 5 * min(second, burst) - 12 * max(0, min(second, landing) - burst)
        }

        static func place(_ second: Double) -> Coordinate {
            Coordinate(latitude: 47 + min(second, landing) * 10 / 111_195, longitude: 8.54)
        }

        var isDeaf: Bool { Self.deaf.contains { $0.contains(second) } }

        /// Flies on by a second.
        mutating func step() {
            var step = script.wait(1)
            second += 1
            step += isDeaf ? search() : hear()
            if second >= start, second % 7 != 3 { sent.append((second, record())) }
            let due = second - way.delay
            if let stream, let frame = sent.last(where: { $0.second == due }) {
                step += script.run(.answered(stream, .stream(.frames(SondeHubAnswer(records: [frame.record])))))
            }
            var calls = step
            while !calls.polls.isEmpty || !calls.tracks.isEmpty || !calls.streams.isEmpty {
                calls = answer(calls)
                step += calls
            }
            if script.state?.isLiveBLE == true { intrusions += step.positions.count { $0.source != .ble } }
            outcome += step
        }

        private mutating func hear() -> Script.Outcome {
            let second = Double(second)
            let speed = second < Self.burst ? 5.0 : second < Self.landing ? -12 : 0
            return script.frame(
                Script.position(
                    "011213333", type: "M10", latitude: String(format: "%.5f", Self.place(second).latitude),
                    altitude: Int(Self.altitude(second)), speed: second < Self.landing ? 36 : 0, up: speed))
        }

        private mutating func search() -> Script.Outcome {
            second % 2 == 0 ? script.frame(Script.searching.replacing("RS41", with: "M10")) : Script.Outcome()
        }

        private func record() -> SondeHubRecord {
            let second = Double(second)
            var record = Script.record(
                Self.name, at: second + ahead, altitude: Self.altitude(second), type: .m10)
            record.coordinate = Self.place(second)
            let delay = 0.4 + Double(self.second / 15 % 4)
            let stamp = StationStamp(
                station: "A", time: record.time, ahead: isMeasured ? .seconds(ahead - delay) : nil)
            record.stamp = stamp
            record.time = stamp.time.advanced(by: .zero - stamp.error)
            return record
        }

        private mutating func answer(_ calls: Script.Outcome) -> Script.Outcome {
            var outcome = Script.Outcome()
            for poll in calls.polls {
                let newest = sent.last { $0.second <= second - way.delay }
                outcome += script.answer(
                    poll.id, newest.map { [$0.record] } ?? [], cacheAge: .seconds(max(0, way.delay - 2)))
            }
            for track in calls.tracks {
                let start = script.now.wall.advanced(by: .zero - track.duration.duration)
                // SondeHub counts from the time that the station has sent.
                let records = sent.filter {
                    $0.second <= second - 2 && $0.record.stamp.map { $0.time >= start } ?? false
                }
                outcome += script.answerTrack(track.id, records.map { $0.record })
            }
            for call in calls.streams {
                stream = call.id
                outcome += script.run(.answered(call.id, .stream(.opened)))
            }
            return outcome
        }
    }

    /// How far the station's clock is ahead.
    private static let offsets = [-40.0, -20, -7, 0, 7, 20, 40]
    /// Clocks that nothing has set.
    private static let large = [-3600.0, -600, -120, 120, 600]

    /// The receiver has heard the same frames as the station, so the gateway knows the station's clock. Frames that come
    /// more than a minute before their time are refused.
    @Test(arguments: offsets + [-120, -600], Way.allCases)
    func theReceiverGivesTheTime(_ ahead: Double, _ way: Way) throws {
        var chase = Chase(way, ahead: ahead)
        var (rising, falling) = (0.0, 0.0)
        for _ in 1...Chase.seconds {
            chase.step()
            guard let motion = chase.script.flight?.motion else { continue }
            if (120..<1440).contains(chase.second) { rising = max(rising, abs(motion.verticalSpeed - 5)) }
            if (1680..<2100).contains(chase.second) { falling = max(falling, abs(motion.verticalSpeed + 12)) }
        }
        #expect(rising < 1 && falling < 2, "\(rising) \(falling)")
        check(chase)
        let track = chase.script.machine.sonde.flight.track.points
        #expect(zip(track, track.dropFirst()).allSatisfy { $0.second < $1.second })
        let start = WallTime(millisecondsSince1970: Script.noon)
        let wrong = track.filter { point in
            let second = point.time.duration(since: start).inSeconds
            return abs(point.altitudeMetres - Chase.altitude(second)) > 15
                || point.coordinate.distanceMetres(to: Chase.place(second)) > 15
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(track.count), first \(wrong.first as Any)")
        #expect(track.count { $0.source == .sondehub } > 100)
    }

    /// The station hears the sonde only after the receiver has lost it. The positions still never go back.
    @Test(arguments: offsets, Way.allCases) func withoutACommonFrame(_ ahead: Double, _ way: Way) {
        var chase = Chase(way, ahead: ahead, from: 610)
        for _ in 1...Chase.seconds { chase.step() }
        check(chase)
    }

    /// SondeHub has measured the station's clock. The station hears the sonde from the beginning, or only after the
    /// receiver has lost it.
    @Test(arguments: large, [1, 610]) func sondeHubGivesTheTime(_ ahead: Double, _ start: Int) {
        for way in Way.allCases {
            var chase = Chase(way, ahead: ahead, isMeasured: true, from: start)
            for _ in 1...Chase.seconds { chase.step() }
            check(chase)
        }
    }

    private func check(_ chase: Chase) {
        let outcome = chase.outcome
        let positions = outcome.positions
        #expect(zip(positions, positions.dropFirst()).allSatisfy { $0.time < $1.time })
        // The receiver rounds a place to 1 m.
        let places = positions.map(\.coordinate.latitude)
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 + 2e-5 })
        #expect(chase.intrusions == 0)
        #expect(positions.contains { $0.source == .sondehub })
        #expect(outcome.told(.sondeChanged).count == 1)
        #expect(Set(positions.map(\.serial?.canonical)) == ["011-2-13333"])
        #expect(outcome.told(.burst).count == 1 && outcome.told(.burstRevoked).isEmpty)
        #expect(outcome.told(.landed).count == 1 && outcome.told(.landingRevoked).isEmpty)
        #expect(outcome.told(.moved).isEmpty)
        let landed = chase.script.flight?.landed?.coordinate
        #expect(landed.map { $0.distanceMetres(to: Chase.place(9999)) < 30 } ?? false)
    }
}
