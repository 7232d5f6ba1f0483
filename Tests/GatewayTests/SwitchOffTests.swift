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

    // MARK: - Restarts

    /// A flight with this timer, the seconds that follow, and what the store has of it.
    private static func before(_ timer: Int, then seconds: Double = 1) -> Script.Outcome {
        var script = Script()
        script.connect()
        return script.frame(Script.position(burstKiller: timer)) + script.wait(seconds)
    }

    /// Nobody hears the sonde after the restart, so nobody tells its timer again.
    @Test func aRestartKnowsTheEnd() throws {
        let memory = try Self.before(7200).memory(endedAgo: 600)
        var after = Script(memory: memory)
        let end = after.now.wall.advanced(by: .seconds(6600))
        #expect(after.flight?.transmission == TransmissionEnd(at: end, basis: .burstKiller))
        // It is said when it is due, although nobody hears the sonde.
        #expect(Self.said(after.wait(4799)).isEmpty)
        try Self.expect(Self.said(after.wait(2)), end, secondsLeft: 1800)
    }

    /// The crew was told, and the receiver hears the sonde again after the restart.
    @Test func aRestartDoesNotSayItAgain() throws {
        let told = Self.before(2000, then: 201)
        #expect(Self.said(told).count == 1)
        var after = Script(memory: try told.memory(endedAgo: 300))
        after.connect()
        #expect(after.flight?.transmission != nil)
        #expect(Self.said(after.frame(Script.position(burstKiller: 1700)) + after.wait(1800)).isEmpty)
    }

    /// A set clock doesn't move the end that an earlier run has stored. It shows how much time is left, and before that
    /// nothing is said.
    @Test func aSetClockDoesNotMoveTheStoredEnd() throws {
        var after = Script(memory: try Self.before(3000).memory(endedAgo: 60), isClockSynced: false)
        let end = after.now.wall.advanced(by: .seconds(2940))
        #expect(Self.said(after.wait(1200)).isEmpty)
        after.now.wall = after.now.wall.advanced(by: .seconds(600))
        after.now.isClockSynced = true
        let set = after.run(.healthDue(ProcessHealth())) + after.wait(1)
        #expect(after.flight?.transmission?.at == end)
        try Self.expect(Self.said(set), end, secondsLeft: 1140)
    }

    /// Once a source of this run has told the timer, its end follows the clock, and is stored so.
    @Test func theStoredEndFollowsTheClock() throws {
        var script = Script(isClockSynced: false)
        script.connect()
        script.frame(Script.position(burstKiller: 7200))
        let end = script.now.wall.advanced(by: .seconds(7200 + 900))
        script.now.wall = script.now.wall.advanced(by: .seconds(900))
        script.now.isClockSynced = true
        let stored = Self.stored(script.run(.healthDue(ProcessHealth())))
        #expect(stored.compactMap { $0 }.last?.end == end)
    }

    /// A timer that was stopped is forgotten by the store, too.
    @Test func aStoppedTimerIsNotStored() {
        var script = Script()
        script.connect()
        #expect(Self.stored(script.frame(Script.position(burstKiller: 7200))).last??.isTold == false)
        script.advance(1)
        #expect(Self.stored(script.frame(Script.position())) == [nil])
    }

    /// The seconds from the sonde's last point to a stored end, and its serial. An end before that point, or half a day
    /// after it, is another flight's.
    @Test(
        arguments: [
            (3600, "V4210150", true), (-60, "V4210150", false), (43_200, "V4210150", false), (3600, "V1", false),
        ])
    func anotherFlightsEndIsNotRestored(_ seconds: Int, _ name: String, _ isOwn: Bool) throws {
        var memory = try Self.before(0).memory(endedAgo: 10)
        let last = try #require(memory.flight?.points.last?.time)
        memory.settings[.switchOff] =
            StoredSwitchOff(
                serial: try #require(SondeSerial(name: name, type: .rs41)), end: last.advanced(by: .seconds(seconds)),
                basis: "burst_timer", isTold: false
            ).stored
        #expect((Script(memory: memory).flight?.transmission != nil) == isOwn)
    }

    /// One sentence, with this end, and so much left to a second.
    private static func expect(_ said: [Announcement], _ end: WallTime, secondsLeft: Double) throws {
        #expect(said.count == 1)
        guard case .switchesOff(let at, let left) = try #require(said.first) else { return }
        #expect(at == end && abs(left / .seconds(1) - secondsLeft) < 1)
    }

    /// The values of the setting, in order; nil deletes it.
    private static func stored(_ outcome: Script.Outcome) -> [StoredSwitchOff?] {
        outcome.entries.compactMap { entry -> StoredSwitchOff?? in
            guard case .setting(.switchOff, let text) = entry else { return nil }
            return .some(text.flatMap { StoredSwitchOff(stored: $0) })
        }
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
