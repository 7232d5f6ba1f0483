import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The rest of a gap meets a burst, a restart, another sonde, the receiver, and a clock that is set.
@Suite struct GapFillMeetingTests {
    private static var streams: SondeHubOptions {
        var options = SondeHubOptions.payerne
        options.streams = true
        return options
    }

    /// A flight that climbs at 5 m/s until `burst` and then falls at 10 m/s.
    private static func record(at second: Int, burst: Int = 900) -> SondeHubRecord {
        let altitude = 10_000 + 5 * Double(min(second, burst)) - 10 * Double(max(0, second - burst))
        var record = Script.record("V1", at: Double(second), altitude: altitude)
        record.coordinate = Coordinate(latitude: 47 + Double(second) * 1e-4, longitude: 8.54)
        (record.verticalSpeed, record.horizontalSpeed) = (second < burst ? 5 : -10, 11)
        return record
    }

    /// A sonde on the live stream. Answers for tracks are two minutes old.
    private struct Streamed {
        var script: Script
        var outcome = Script.Outcome()
        /// When SondeHub was asked for a track, and for which.
        var asked: [(second: Int, serial: String)] = []
        private var stream: CallID?

        init(_ script: Script) { self.script = script }

        var second: Int { Int(script.now.wall.seconds(since: WallTime(millisecondsSince1970: Script.noon)).rounded()) }

        private static let unreachable = Answer.failed(OnlineServiceError(.unreachable, "no network"))

        /// Answers the calls of a step, and those that follow.
        private mutating func note(_ step: Script.Outcome, isUp: Bool) -> Script.Outcome {
            var all = step
            if let stream, step.cancelled.contains(stream) { self.stream = nil }
            for next in step.streams {
                stream = isUp ? next.id : nil
                all += note(script.run(.answered(next.id, isUp ? .stream(.opened) : Self.unreachable)), isUp: isUp)
            }
            for poll in step.polls {
                let answered = isUp ? script.answer(poll.id, []) : script.run(.answered(poll.id, Self.unreachable))
                all += note(answered, isUp: isUp)
            }
            for track in step.tracks {
                asked.append((second, track.serial.canonical))
                let first = max(-600, second - 10_800)
                let seconds = track.serial.canonical == "V1" ? first..<max(first, second - 120) : 0..<0
                let records = seconds.map { GapFillMeetingTests.record(at: $0) }
                let answered =
                    isUp ? script.answerTrack(track.id, records) : script.run(.answered(track.id, Self.unreachable))
                all += note(answered, isUp: isUp)
            }
            return all
        }

        mutating func run(_ body: (inout Script) -> Script.Outcome) {
            let step = body(&script)
            outcome += note(step, isUp: true)
        }

        /// Lets time pass, with a frame of V1 in each second if the stream is up.
        mutating func wait(_ seconds: Int, isUp: Bool = true) {
            if !isUp, let stream {
                self.stream = nil
                outcome += note(script.run(.answered(stream, Self.unreachable)), isUp: false)
            }
            for _ in 0..<seconds {
                let step = script.wait(1)
                outcome += note(step, isUp: isUp)
                let answer = SondeHubAnswer(records: [GapFillMeetingTests.record(at: second)])
                guard isUp, let stream else { continue }
                run { $0.run(.answered(stream, .stream(.frames(answer)))) }
            }
        }

        /// The seconds of a range that the track lacks.
        func missing(_ range: Range<Int>) -> [Int] {
            let known = Set(script.machine.sonde.flight.track.points.map(\.second))
            return range.filter { !known.contains(Script.noon / 1000 + Int64($0)) }
        }
    }

    /// V1 is hunted and streamed for 300 s.
    private func streamed() -> Streamed {
        var script = Script(sondeHub: Self.streams)
        script.connect()
        script.closeLink()
        var streamed = Streamed(script)
        streamed.run { $0.command("{\"hunt\":\"V1\"}") }
        streamed.wait(300)
        return streamed
    }

    /// The burst lies in a gap whose first answer does not reach it. The points come in late: no position goes back,
    /// nothing is announced twice, and each second is there once.
    @Test func lateRecordsOnlyFillTheTrack() {
        var streamed = streamed()
        streamed.wait(560)
        streamed.wait(60, isUp: false)
        let before = streamed.outcome
        streamed.wait(900)
        let all = streamed.outcome
        #expect(streamed.missing(0..<1360).isEmpty, "\(streamed.missing(0..<1360))")
        #expect(before.told(.burst).isEmpty && all.told(.burst).count == 1)
        #expect(all.told(.landed).isEmpty && all.told(.burstRevoked).isEmpty && all.told(.sondeChanged).count == 1)
        let times = all.positions.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 } && times.count > 1000)
        let seconds = streamed.script.machine.sonde.flight.track.points.map(\.second)
        #expect(Set(seconds).count == seconds.count && seconds == seconds.sorted())
        // What the store gets late is sorted, too.
        for case .points(_, _, let points) in all.entries where points.count > 1 {
            #expect(zip(points, points.dropFirst()).allSatisfy { $0.time < $1.time })
        }
    }

    /// The gateway ends before the rest is asked for. The next run finds the hole in the recorded flight.
    @Test func aRestartFindsTheHole() throws {
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let points = (-500...0).filter { !(-200 ..< -160).contains($0) }.map { TrackPoint(Self.record(at: $0)) }
        let memory = GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: points),
            lastHeard: [serial: try #require(points.last).time])
        var streamed = Streamed(Script(sondeHub: Self.streams, memory: memory))
        let begin = streamed.script.begin
        streamed.run { _ in begin }
        streamed.run { $0.run(.linkFailed(TransportError(.notFound, "no adapter"))) }
        streamed.run { $0.command("{\"hunt\":\"V1\"}") }
        streamed.wait(900)
        #expect(streamed.missing(-500..<400).isEmpty, "\(streamed.missing(-500..<400))")
    }

    /// While V2 is hunted, nothing is asked for V1. When V1 is back, its rest is asked for.
    @Test func anotherSondeIsHuntedMeanwhile() {
        var streamed = streamed()
        streamed.wait(60, isUp: false)
        streamed.wait(10)
        let count = streamed.asked.filter { $0.serial == "V1" }.count
        streamed.run { $0.command("{\"hunt\":\"V2\"}") }
        streamed.wait(30)
        #expect(streamed.asked.filter { $0.serial == "V1" }.count == count)
        streamed.run { $0.command("{\"hunt\":\"V1\"}") }
        streamed.wait(900)
        #expect(streamed.missing(0..<880).isEmpty, "\(streamed.missing(0..<880))")
        let times = streamed.asked.filter { $0.serial == "V1" }.map(\.second)
        #expect(times.count <= 6, "\(times)")
    }

    /// The receiver hears the sonde again, so the stream is off. The rest is asked for all the same.
    @Test func theReceiverTalksAgain() {
        var streamed = streamed()
        streamed.wait(60, isUp: false)
        streamed.wait(5)
        streamed.run { $0.openLink() }
        for second in 0..<700 {
            streamed.run {
                $0.frame(
                    Script.position(
                        "V1", latitude: "\(47.0365 + Double(second) * 1e-4)", altitude: 11_800 + 5 * second, up: 5))
            }
            streamed.wait(1)
        }
        #expect(streamed.script.state == .liveBLEFlying)
        #expect(streamed.missing(0..<1060).isEmpty, "\(streamed.missing(0..<1060))")
        #expect(streamed.outcome.positions.map(\.time) == streamed.outcome.positions.map(\.time).sorted())
    }

    /// The clock is ten minutes behind while the gap is measured, and then it is set.
    @Test func theClockIsSet() throws {
        var fill = GapFill()
        var clocks = StationClocks()
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let start = WallTime(millisecondsSince1970: Script.noon)
        var turn = Turn(at: Moment(monotonic: .zero, wall: start, isClockSynced: false), calls: Calls())
        fill.known.insert(.min..<start.wholeSeconds - 59)
        fill.want(until: start)
        fill.askForWanted(of: serial, newest: nil, &turn)
        _ = fill.take(Reply(id: CallID(1), answer: .trackEnd), &turn)
        _ = fill.ended(nil, by: &clocks, heard: ReceiverTimes(track: []), &turn)
        let utc = start.advanced(by: .seconds(630))
        turn = Turn(
            at: Moment(monotonic: .zero.advanced(by: .seconds(30)), wall: utc, isClockSynced: true), calls: turn.calls)
        fill.clockSet(ClockStep(byMilliseconds: 600_000, since: start.advanced(by: .seconds(-100))))
        fill.askForWanted(of: serial, newest: nil, &turn)
        #expect(turn.actions.count == 1 && fill.calls == 2)
        let records = (0..<700).map { Script.record("V1", at: Double($0 - 70), latitude: 47 + Double($0) * 1e-5) }
        fill.collect(records)
        _ = fill.take(Reply(id: CallID(2), answer: .trackEnd), &turn)
        let points = fill.ended(nil, by: &clocks, heard: ReceiverTimes(track: []), &turn)
        #expect(points.count == 700)
        turn = Turn(
            at: Moment(
                monotonic: .zero.advanced(by: .seconds(3600)), wall: utc.advanced(by: .seconds(3570)),
                isClockSynced: true), calls: turn.calls)
        fill.askForWanted(of: serial, newest: nil, &turn)
        #expect(fill.calls == 2 && fill.deadline == nil)
    }
}
