import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The machine with SondeHub and the receiver, or with SondeHub alone.
@Suite struct SondeHubTests {
    /// If SondeHub answers before the receiver, its frame is shown when startup ends.
    @Test func anEarlyAnswerIsShownWhenStartupEnds() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        #expect(script.answerPoll([Script.record("V1", at: -10)]).positions.isEmpty)
        script.openLink()
        let positions = script.frame(Script.searching).positions
        #expect(positions.map(\.source) == [.sondehub])
        #expect(positions.first?.age(at: script.now.monotonic) == .seconds(10))
    }

    /// A stopping gateway makes no more calls, so it never names SondeHub as the source.
    @Test func stoppingAsksNobody() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.frame(Script.position("V1"))
        script.closeLink(.stopping)
        #expect(script.state == .noTelemetry)
        let later = script.wait(60)
        #expect(later.polls.isEmpty && later.tracks.isEmpty)
    }

    /// An error does not say that SondeHub lacks the sonde. An earlier version's page said "does not have it" then.
    @Test(arguments: [OnlineServiceError.Code.status, .unreachable, .rateLimited, .timedOut])
    func anErrorIsNoAnswer(_ code: OnlineServiceError.Code) throws {
        func told(_ outcome: Script.Outcome) -> String? {
            (outcome.objects(on: "/test/state").last?["sondehub"] as? [String: Any])?["error"] as? String
        }
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let poll = try #require(script.wait(0).polls.first)
        #expect(told(script.run(.answered(poll.id, .failed(OnlineServiceError(code, "no"))))) == code.rawValue)
        let next = try #require(script.wait(60).polls.first)
        let good = script.answer(next.id, [])
        #expect(!good.objects(on: "/test/state").isEmpty && told(good) == nil)
    }

    /// A stop ends in `noTelemetry`. In an earlier version the retained state named SondeHub as the source after a
    /// clean stop.
    @Test func aStopOnSondeHubEndsInNoTelemetry() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.answerPoll([Script.record("V1")])
        #expect(script.state == .aprsFlying)
        let outcome = script.stop()
        #expect(outcome.objects(on: "/test/state").last?["state"] as? String == "noTelemetry")
        #expect(outcome.objects(on: "/test/state").last?["reason"] as? String == "stopping")
        #expect(outcome.texts(on: "/receiver/state") == ["offline"])
    }

    /// An old frame never becomes a live position. A sonde with only an old frame does not count as landed.
    @Test func anOldFrameIsNoPosition() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        #expect(script.answerPoll([Script.record("V1", at: -7200)]).positions.isEmpty)
        #expect(script.state == .aprsFlying)
        #expect(script.stateReport?.phase.reason != .sondeHubSilent)
    }

    /// While the receiver sends frames, `radio` is the receiver's, with SondeHub's frequency in its own field. In an
    /// earlier version it alternated between the sources, and a dashboard's frequency control moved by itself.
    @Test func radioIsTheReceiversWhileItTalks() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        #expect(script.answerPoll([Script.record("V1", frequency: 404.2)]).radios.isEmpty)
        let radio = script.frame(Script.searching).radios.first
        #expect(radio?.source == .ble)
        #expect(radio?.frame?.frequencyMHz == 403.5)
        #expect(radio?.sondeFrequencyMHz == 404.2)
        script.closeLink()
        script.advance(15)
        let away = script.answerPoll([Script.record("V1", at: 14, frequency: 404.2)]).radios
        #expect(away.map(\.source) == [.sondehub])
        #expect(away.first?.frame == nil)
        #expect(away.first?.sondeFrequencyMHz == 404.2)
    }

    /// If the site has no sonde, the area around the car is polled, even without a configured place and after flights
    /// elsewhere.
    @Test func aroundTheCar() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        var asked: [SondeHubQuery] = []
        for _ in 0..<700 {
            script.fix()
            for poll in script.wait(1).polls {
                asked.append(poll.query)
                script.answer(poll.id, [])
            }
        }
        #expect(asked.first == .site("06610"))
        #expect(asked.dropFirst().contains(.area(Script.car, radiusMetres: 400_000)), "\(asked)")
    }

    /// A hunted sonde that neither the site nor the area has is asked for by its serial.
    @Test func aHuntedSondeOutsideTheSiteIsAskedForByItself() throws {
        let serial = try #require(SondeSerial(name: "V9", type: .rs41))
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.answerPoll([])
        let hunt = script.command("{\"hunt\":\"V9\"}")
        #expect(hunt.answers == ["done!"])
        let site = script.wait(0).polls
        #expect(site.map(\.query) == [.site("06610")])
        script.answer(site.first?.id, [Script.record("V1")])
        let own = script.wait(0).polls
        #expect(own.map(\.query) == [.sonde(serial)])
        let found = script.answer(own.first?.id, [Script.record("V9", at: -3)])
        #expect(found.positions.map(\.serial) == [serial])
        #expect(script.state == .aprsFlying)
    }

    /// A record from the future is refused. In an earlier version it became the newest: all later frames of the
    /// receiver got its time plus a millisecond, and the track stood still.
    @Test func aRecordFromTheFutureIsABadRecord() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let outcome = script.answerPoll([Script.record("V1", at: 600), Script.record("V1", at: -5, latitude: 47.38)])
        #expect(outcome.positions.map(\.time) == [script.now.wall.advanced(by: .seconds(-5))])
        var times: [WallTime] = []
        for _ in 0..<5 {
            script.advance(1)
            times += script.frame(Script.position("V1")).positions.map(\.time)
            #expect(times.last == script.now.wall)
        }
        #expect(times.count == 5)
    }

    /// A track's point from the future is refused, too.
    @Test func aTracksPointFromTheFutureIsABadPoint() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let track = try #require(script.frame(Script.position("V1")).tracks.first)
        script.answerTrack(track.id, [Script.record("V1", at: 600), Script.record("V1", at: -60)])
        #expect(script.flight?.trackPoints == 2)
        for _ in 0..<5 {
            script.advance(1)
            #expect(script.frame(Script.position("V1")).positions.map(\.time) == [script.now.wall])
        }
        #expect(script.flight?.trackPoints == 7)
    }

    /// A record that is less than a minute ahead gets the present time, so no future time is published.
    @Test func aRecordALittleAheadIsOfNow() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let outcome = script.answerPoll([Script.record("V1", at: 30, latitude: 47.38)])
        #expect(outcome.positions.map(\.time) == [script.now.wall])
        script.advance(1)
        #expect(script.frame(Script.position("V1")).positions.map(\.time) == [script.now.wall])
    }

    /// If the machine's clock is behind and not synchronised, SondeHub's clock corrects the gateway's time, and frames
    /// keep their distances in time. In an earlier version each frame came a millisecond after SondeHub's newest.
    @Test func aClockBehindUTCIsSetBySondeHub() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne, isClockSynced: false)
        script.connect()
        let utc = script.now.wall.advanced(by: .seconds(600))
        let poll = try #require(script.wait(0).polls.first)
        let answer = SondeHubAnswer(
            records: [Script.record("V1", at: 590, latitude: 47.38)], cacheAge: .seconds(5),
            answeredAt: utc.advanced(by: .seconds(-5)))
        let outcome = script.run(.answered(poll.id, .sondes(answer)))
        #expect(outcome.positions.map(\.time) == [utc.advanced(by: .seconds(-10))])
        var times: [WallTime] = []
        for _ in 0..<3 {
            script.advance(5)
            times += script.frame(Script.position("V1")).positions.map(\.time)
        }
        #expect(times == [5, 10, 15].map { utc.advanced(by: .seconds($0)) })
    }
}
