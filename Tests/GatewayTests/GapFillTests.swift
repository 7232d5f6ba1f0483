import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The gateway fetches from SondeHub the points that it has not heard.
@Suite struct GapFillTests {
    /// A flight that lasts `seconds` and ends now: the first half rises at 5 m/s, the second half falls at 10 m/s.
    private static func flight(_ serial: String, seconds: Int, until end: Double = 0) -> [SondeHubRecord] {
        (0..<seconds).map { second in
            let top = Double(seconds) * 2 / 3
            let altitude = 500 + 5 * min(Double(second), top) - 10 * max(0, Double(second) - top)
            return Script.record(
                serial, at: end - Double(seconds - 1 - second), latitude: 47 + Double(second) * 1e-5, altitude: altitude
            )
        }
    }

    /// The receiver is deaf, or there is none. In an earlier version a fetch of 15 s cancelled the fetch of the whole
    /// flight: 14 of 1800 points came, without climb and burst.
    @Test(arguments: [true, false])
    func whenSondeHubHearsTheSondeFirstItsWholeFlightIsFetched(_ hasReceiver: Bool) throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        if hasReceiver { script.connect() } else { script.run(.linkFailed(TransportError(.notFound, "no adapter"))) }
        let flight = Self.flight("V1", seconds: 1800)
        var outcome = script.answerPoll(Array(flight.suffix(1)))
        #expect(script.state == .aprsFlying)
        #expect(outcome.positions.count == 1)
        outcome += script.wait(30)
        #expect(outcome.tracks.map(\.duration) == [.threeHours])
        #expect(outcome.cancelled.isEmpty)
        script.answerTrack(outcome.tracks.first?.id, flight)
        #expect(script.flight?.trackPoints == 1800)
        #expect(script.announcements.contains { $0.name == "burst" })
    }

    /// A fetched flight that begins in the air was longer than the requested duration.
    @Test func aFlightThatBeginsInTheAirIsFetchedWider() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let high = (0..<60).map { Script.record("V1", at: Double($0 - 60), altitude: 20_000 + Double($0)) }
        var tracks = script.answerPoll([Script.record("V1", altitude: 20_060)]).tracks
        #expect(tracks.map(\.duration) == [.threeHours])
        tracks = script.answerTrack(tracks.first?.id, high).tracks
        #expect(tracks.map(\.duration) == [.sixHours])
        let low = Script.record("V1", at: -14_000, altitude: 600)
        tracks = script.answerTrack(tracks.first?.id, [low] + high).tracks
        #expect(tracks.isEmpty, "near the ground it began")
    }

    /// After a restart in flight the gap is filled, also without a receiver. An earlier version left a gap of 53 s for
    /// ever.
    @Test func aRestartOnSondeHubLeavesNoHole() throws {
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let flight = Self.flight("V1", seconds: 600)
        let known = flight.dropLast(53).map { TrackPoint($0) }
        let memory = GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: known),
            lastHeard: [serial: try #require(known.last).time])
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: memory)
        script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        var outcome = script.begin
        outcome += script.answerPoll(Array(flight.suffix(1)))
        #expect(script.state == .aprsFlying)
        let open = outcome.tracks.filter { !outcome.cancelled.contains($0.id) }
        #expect(open.map(\.duration) == [.minute])
        script.answerTrack(open.first?.id, Array(flight.suffix(60)))
        #expect(script.flight?.trackPoints == 600)
    }

    /// The clock is ten minutes behind at the start, and measures a wrong gap. The gap is corrected, whichever answer
    /// comes first. An earlier version never corrected it.
    @Test(arguments: [true, false])
    func aClockThatIsSetMeasuresTheGapAnew(_ isTrackFirst: Bool) throws {
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let flight = Self.flight("V1", seconds: 1200, until: 600)
        let known = flight.prefix(595).map { TrackPoint($0) }
        let memory = GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: known),
            lastHeard: [serial: try #require(known.last).time])
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: memory, isClockSynced: false)
        let utc = script.now.wall.advanced(by: .seconds(600))
        var begun = script.begin
        begun += script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        begun += script.wait(0)
        let (early, poll) = (try #require(begun.tracks.first), try #require(begun.polls.first))
        #expect(early.duration == .quarterMinute)
        var outcome = Script.Outcome()
        if isTrackFirst { outcome += script.answerTrack(early.id, Array(flight.suffix(15))) }
        outcome += script.run(
            .answered(poll.id, .sondes(SondeHubAnswer(records: Array(flight.suffix(1)), answeredAt: utc))))
        #expect(outcome.cancelled == (isTrackFirst ? [] : [early.id]))
        #expect(outcome.tracks.map(\.duration) == [.halfHour])
        outcome = script.answerTrack(outcome.tracks.first?.id, flight)
        outcome += script.wait(30)
        #expect(script.flight?.trackPoints == 1200)
        #expect(outcome.tracks.isEmpty, "once is enough")
    }

    /// A failed fetch is tried again, after a longer time each time, and the points that came are kept. A refused fetch
    /// is tried again after 5 min.
    @Test func failedFetchesAreTriedAgain() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        var track = try #require(script.frame(Script.position("V1")).tracks.first)
        script.run(.answered(track.id, .trackPart(SondeHubAnswer(records: [Script.record("V1", at: -300)]))))
        script.run(.answered(track.id, .failed(OnlineServiceError(.malformed, "breaks off"))))
        #expect(script.flight?.trackPoints == 2)
        for wait in [10.0, 20, 40, 80] {
            #expect(script.wait(wait * 0.8).tracks.isEmpty)
            track = try #require(script.wait(wait * 0.4).tracks.first)
            script.run(.answered(track.id, .failed(OnlineServiceError(.timedOut, "late"))))
        }
        #expect(script.wait(290).tracks.isEmpty, "five attempts, then a pause of 5 min")
        #expect(script.wait(20).tracks.count == 1)
        track = try #require(script.command("{\"hunt\":\"V9\"}").tracks.first)
        script.run(.answered(track.id, .failed(OnlineServiceError(.refused, "bad duration"))))
        #expect(script.wait(290).tracks.isEmpty, "a refusal is asked again after 5 min")
        #expect(script.wait(20).tracks.count == 1)
    }

    /// When the receiver hears the sonde again, its whole silence is fetched, not only the time since the last poll.
    @Test func theReceiversSilenceIsFilled() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.answerTrack(script.frame(Script.position("V1")).tracks.first?.id, [Script.record("V1", at: 0)])
        script.closeLink(.silent)
        script.wait(700)
        script.openLink()
        #expect(script.frame(Script.position("V1")).tracks.map(\.duration) == [.halfHour])
    }

    /// A running fetch that reaches further back goes on. A wider one replaces it.
    @Test func oneFetchAtATime() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let whole = try #require(script.frame(Script.position("V1")).tracks.first)
        script.closeLink(.silent)
        var later = script.wait(100)
        script.openLink()
        later += script.frame(Script.position("V1"))
        #expect(later.tracks.isEmpty && later.cancelled.isEmpty)
        script.answerTrack(whole.id, [Script.record("V1", at: 50)])
        #expect(script.flight?.trackPoints == 3)
    }

    /// Following another sonde cancels the old sonde's fetch and drops its late answer.
    @Test func aLateAnswerForTheOldSondeIsDropped() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let old = try #require(script.frame(Script.position("V1")).tracks.first)
        var change = Script.Outcome()
        for _ in 0..<3 { change += script.frame(Script.position("V2", frequency: "404.000")) }
        #expect(change.cancelled == [old.id])
        #expect(change.tracks.map(\.serial.canonical) == ["V2"])
        #expect(script.answerTrack(old.id, [Script.record("V1", at: -300)]).actions.isEmpty)
        #expect(script.flight?.trackPoints == 1)
    }
}
