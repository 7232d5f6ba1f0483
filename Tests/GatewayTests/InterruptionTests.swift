import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Another sonde on the frequency interrupts a flight, and does not end it.
@Suite struct InterruptionTests {
    /// Frames of another sonde, one a second.
    private func intrude(_ chased: inout Chased, _ count: Int, frequency: String = "403.500") -> Script.Outcome {
        var outcome = Script.Outcome()
        for second in 0..<count {
            outcome += chased.script.wait(1)
            outcome += chased.script.frame(
                Script.position("W9", frequency: frequency, latitude: "47.5", altitude: 4000 - second * 6))
        }
        return outcome
    }

    private func falling() -> (chased: Chased, outcome: Script.Outcome) {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        var outcome = chased.go(1300, up: 5)
        outcome += chased.fall(to: 1200, rate: 6)
        return (chased, outcome)
    }

    /// Seconds in which another sonde is heard, from 1200 m on. The flight continues, and lands once.
    @Test(arguments: [5, 29, 45]) func theFlightGoesOn(_ seconds: Int) throws {
        var (chased, outcome) = falling()
        let before = try #require(chased.script.flight)
        let meanwhile = intrude(&chased, seconds)
        let isChange = seconds > 30
        #expect(chased.script.serial == (isChange ? "W9" : chased.serial))
        if isChange {
            // All frames that were held back came, in order.
            #expect(meanwhile.positions.count == seconds)
            let times = meanwhile.positions.map(\.time)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
        chased.altitude -= Double(seconds) * 6
        outcome += meanwhile
        outcome += chased.fall(to: 600, rate: 6) + chased.go(150, north: 0)
        #expect(outcome.told(.burst).count == 1 && outcome.told(.landed).count == 1)
        let after = try #require(chased.script.flight)
        #expect(chased.script.serial == chased.serial)
        #expect(after.burst == before.burst && after.trackPoints > before.trackPoints)
        #expect(chased.landing?.source == "observed")
        #expect(outcome.told(.sondeChanged).count == (isChange ? 3 : 1))
    }

    /// If two sondes are heard in turn, the first keeps its place.
    @Test func alternatingSerials() {
        var (chased, _) = falling()
        for _ in 0..<60 {
            _ = intrude(&chased, 1)
            chased.go(1, up: -6)
        }
        #expect(chased.script.serial == chased.serial)
    }

    /// The receiver was tuned: the old sonde can't be heard there.
    @Test func anotherFrequencyNeedsThreeFrames() {
        var (chased, _) = falling()
        _ = intrude(&chased, 2, frequency: "404.000")
        #expect(chased.script.serial == chased.serial)
        _ = intrude(&chased, 1, frequency: "404.000")
        #expect(chased.script.serial == "W9")
    }

    /// Hunts by command cost one call for the whole track of each sonde, and no second call for the same gap.
    @Test func huntsInTurn() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        var outcome = script.answerPoll([Script.record("V1"), Script.record("V2", at: -5)])
        for round in 0..<6 {
            for name in ["V2", "V1"] {
                outcome += script.command("{\"hunt\":\"\(name)\"}")
                let step = script.wait(3)
                outcome += step
                let record = Script.record(name, at: Double(round * 6))
                for poll in step.polls { outcome += script.answer(poll.id, [record]) }
            }
        }
        let whole = outcome.tracks.filter { $0.duration == .threeHours }
        #expect(whole.count <= 2)
        #expect(outcome.tracks.count <= 4, "\(outcome.tracks.map(\.duration))")
    }

    /// The store opens late, while another sonde is heard. The stored flight continues when its sonde is heard again.
    @Test func aStoredFlightGoesOnAfterAnother() throws {
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let points = (0..<600).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: Script.noon - Int64(660 - second) * 1000),
                coordinate: Coordinate(latitude: 47, longitude: 8.54),
                altitudeMetres: 20_000 - abs(Double(second) - 400) * 8, source: .ble)
        }
        var script = Script(memory: nil)
        script.connect()
        script.frame(Script.position("W9", latitude: "47.5"))
        script.run(
            .recalled(GatewayMemory(flight: RecordedFlight(serial: serial, sondeType: .rs41, points: points))))
        #expect(script.serial == "W9")
        for second in 0..<3 {
            script.wait(1)
            script.frame(
                Script.position(
                    serial.canonical, frequency: "404.000", latitude: "47.0", altitude: 17_000 - second * 8))
        }
        #expect(script.serial == serial.canonical)
        #expect(script.flight?.burst?.altitudeMetres == 20_000)
        #expect(script.flight?.trackPoints == 603)
    }

    /// The gateway restarts between two sondes. The store remembers both, and the earlier flight continues.
    @Test(arguments: [true, false]) func anEarlierSondeGoesOnAfterARestart(_ isLate: Bool) throws {
        func flight(_ name: String, endsBefore seconds: Int) throws -> RecordedFlight {
            let points = (0..<600).map { second in
                TrackPoint(
                    time: WallTime(millisecondsSince1970: Script.noon - Int64(seconds + 600 - second) * 1000),
                    coordinate: Coordinate(latitude: 47, longitude: 8.54),
                    altitudeMetres: 20_000 - abs(Double(second) - 400) * 8, source: .ble)
            }
            let serial = try #require(SondeSerial(name: name, type: .rs41))
            return RecordedFlight(serial: serial, sondeType: .rs41, points: points)
        }
        var memory = GatewayMemory(flight: try flight("W9", endsBefore: 5))
        memory.others = [try flight("V4210150", endsBefore: 700)]
        var script = Script(memory: isLate ? nil : memory)
        script.connect()
        if isLate {
            script.frame(Script.position("V4210150", latitude: "47.0", altitude: 14_000))
            let resumed = script.run(.recalled(memory))
            #expect(resumed.announcements.map(\.name) == ["flight_resumed"])
        }
        for second in 1...3 {
            script.wait(1)
            script.frame(
                Script.position(
                    "V4210150", frequency: "404.000", latitude: "47.0", altitude: 14_000 - second * 8))
        }
        #expect(script.serial == "V4210150")
        #expect(script.flight?.burst?.altitudeMetres == 20_000)
        #expect(script.flight?.trackPoints == (isLate ? 604 : 603))
    }

    /// After a pause several frames arrive at once. Only the last shows the present place.
    @Test(arguments: [-9.0, 5]) func framesThatComeAtOnce(_ up: Double) throws {
        var chased = Chased(altitude: up < 0 ? 500 : 600, prediction: .off)
        if up < 0 {
            chased.go(1000, up: 6)
            chased.go(200, up: up)
        } else {
            chased.go(200, up: up)
        }
        chased.script.advance(90)
        var altitude = chased.altitude
        for frame in 1...90 {
            altitude += up
            let text = Script.position(
                chased.serial, latitude: "\(chased.latitude)", altitude: Int(altitude), up: up)
            let bytes = Array(text.utf8)
            let parsed = try FrameParser.parse(bytes.span)
            _ = chased.script.machine.handle(.frame(parsed), at: chased.script.now, moreFollows: frame < 90)
            chased.script.now.monotonic = chased.script.now.monotonic.advanced(by: .milliseconds(1))
        }
        chased.altitude = altitude
        let later = chased.go(30, up: up)
        for flight in later.flights {
            #expect(flight.phase.phase == (up < 0 ? .descendingBelow10k : .ascending))
            #expect(abs((flight.motion?.verticalSpeed ?? 0) - up) < 2, "\(flight.motion)")
        }
    }
}
