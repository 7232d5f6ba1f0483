import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// How long the sonde can still be heard.
@Suite struct SwitchOffTests {
    private static func record(at seconds: Double, timer: Int?) -> SondeHubRecord {
        var record = Script.record("V4210150", at: seconds)
        record.secondsUntilOff = timer
        return record
    }

    private static func said(_ outcome: Script.Outcome) -> [Announcement] {
        outcome.announcements.filter { $0.event == .switchesOff }
    }

    @Test func theReceiversTimerTellsIt() {
        var script = Script()
        script.connect()
        let end = script.now.wall.advanced(by: .seconds(7200))
        script.frame(Script.position(burstKiller: 7200))
        #expect(script.flight?.transmission == TransmissionEnd(at: end, basis: .burstKiller))
        // The timer tells whole seconds, so its end does not move with each frame.
        script.advance(1.4)
        script.frame(Script.position(burstKiller: 7199))
        #expect(script.flight?.transmission?.at == end)
        // A timer that was stopped says nothing.
        script.advance(1)
        script.frame(Script.position())
        #expect(script.flight?.transmission == nil)
    }

    @Test func sondeHubsTimerTellsItFromTheTimeOfItsFrame() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let end = script.now.wall.advanced(by: .seconds(3600 - 10))
        let positions = script.answerPoll([Self.record(at: -10, timer: 3600)]).positions
        #expect(script.flight?.transmission == TransmissionEnd(at: end, basis: .burstTimer))
        #expect(positions.map(\.burstKillerAt) == [end])
    }

    /// A record without the timer says nothing about it: not every station sends it.
    @Test func anotherStationsRecordDoesNotForgetIt() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.answerPoll([Self.record(at: -10, timer: 3600)])
        let end = script.flight?.transmission?.at
        script.wait(60)
        script.answerPoll([Self.record(at: 55, timer: nil)])
        #expect(end != nil && script.flight?.transmission?.at == end)
    }

    @Test func itIsSaidOnceWithThirtyMinutesLeft() {
        var script = Script()
        script.connect()
        script.frame(Script.position(burstKiller: 2000))
        let before = script.wait(199)
        #expect(Self.said(before).isEmpty)
        let end = script.now.wall.advanced(by: .seconds(1801))
        #expect(Self.said(script.wait(2)) == [.switchesOff(at: end, in: .seconds(1800))])
        script.frame(Script.position(burstKiller: 1798))
        #expect(Self.said(script.wait(2000)).isEmpty)
    }

    /// One frame with a wrong number must not use up the notice. Frames have no checksum.
    @Test func aWrongTimerDoesNotUseUpTheNotice() {
        var script = Script()
        script.connect()
        script.frame(Script.position(burstKiller: 7200))
        script.advance(1)
        script.frame(Script.position(burstKiller: 71))
        script.advance(1)
        script.frame(Script.position(burstKiller: 7198))
        #expect(Self.said(script.wait(5390)).isEmpty)
        #expect(Self.said(script.wait(20)).count == 1)
    }

    @Test func aRestartShortBeforeTheEndTellsTheTimeThatIsLeft() {
        var script = Script()
        script.connect()
        script.frame(Script.position(burstKiller: 700))
        #expect(Self.said(script.wait(1)).isEmpty)
        #expect(script.announcements.contains { $0.event == .switchesOff })
    }

    @Test(arguments: [RecoveryState.recovered, .planned]) func nobodyNeedsItForARecoveredSonde(_ state: RecoveryState)
        throws
    {
        var chased = Chased(altitude: 12_000, prediction: .off, sondeHub: SondeHubOptions.payerne)
        _ = chased.go(60, up: 5)
        let asked = chased.fall(to: 430).actions.compactMap { action -> CallID? in
            if case .call(let id, .recoveries) = action { id } else { nil }
        }
        let recovery = try Recovery(
            #require(SondeSerial(name: chased.serial, type: .rs41)), state, by: "HB9XYZ", at: chased.script.now.wall,
            coordinate: nil, altitudeMetres: 430)
        for id in asked { chased.script.run(.answered(id, .recoveries([recovery]))) }
        #expect(!asked.isEmpty)
        chased.script.frame(Script.position(chased.serial, altitude: 430, burstKiller: 1900))
        #expect(Self.said(chased.script.wait(300)).count == (state == .recovered ? 0 : 1))
    }

    /// The clock was wrong when the timer was heard, and is set later.
    @Test func theTimeFollowsTheClock() {
        var script = Script(isClockSynced: false)
        script.connect()
        script.frame(Script.position(burstKiller: 7200))
        script.now.wall = script.now.wall.advanced(by: .seconds(7200))
        script.now.isClockSynced = true
        script.advance(1)
        script.frame(Script.position(burstKiller: 7199))
        let end = script.now.wall.advanced(by: .seconds(7199))
        #expect(script.flight?.transmission?.at == end)
    }

    /// The batteries of an RS41 last at least 240 minutes; when it was let go is known only if the launch was heard.
    @Test(arguments: [(40, true), (0, false)])
    func theTypeTellsItAfterALaunchThatWasHeard(_ secondsOnPad: Int, _ isKnown: Bool) {
        var script = Script()
        script.connect()
        for second in 0..<(secondsOnPad + 120) {
            script.advance(1)
            let up = max(0, second - secondsOnPad)
            script.frame(Script.position(latitude: "47.\(380_000 + up * 40)", altitude: 500 + 5 * up))
        }
        let launch = WallTime(millisecondsSince1970: Script.noon + Int64(secondsOnPad) * 1000)
        let transmission = script.flight?.transmission
        #expect((transmission != nil) == isKnown)
        if let transmission {
            #expect(transmission.basis == .type)
            #expect(abs(transmission.at.seconds(since: launch) - 240 * 60) < 30)
        }
    }
}
