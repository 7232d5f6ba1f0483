import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

@Suite struct TelemetryTests {
    /// The frame types of each channel.
    @Test(arguments: [
        (Script.searching, ["radio"]), (Script.position(), ["position", "tracker", "radio"]),
        ("2/RS41/403.500/V4210150/117.5/100/0/4274/0/3.10/o", ["radio"]), (Script.configuration, ["settings"]),
        ("4/abc/o", []), (Script.position(latitude: "91"), ["radio"]),
    ])
    func channels(_ frame: String, _ expected: [String]) {
        var script = Script()
        script.connect()
        let topics = script.frame(frame).published.map { String($0.topic.dropFirst("sondygo/test/".count)) }
        #expect(topics.filter { ["position", "tracker", "radio", "settings"].contains($0) } == expected)
    }

    @Test func timesOfASondeStrictlyIncrease() {
        var script = Script()
        script.connect()
        var times: [WallTime] = []
        for _ in 0..<5 { times += script.frame(Script.position()).positions.map(\.time) }
        script.now.wall = script.now.wall.advanced(byMilliseconds: -500)
        times += script.frame(Script.position()).positions.map(\.time)
        #expect(times.count == 6)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func threeFramesMakeANewSondeAndNoneIsLost() throws {
        var script = Script()
        script.connect()
        #expect(serials(script.frame(Script.position("V1"))) == ["V1"])
        // The old one keeps its place for 30 s.
        script.advance(30)
        #expect(serials(script.frame(Script.position("V2"))) == [])
        #expect(serials(script.frame(Script.position("V2"))) == [])
        let outcome = script.frame(Script.position("V2"))
        #expect(serials(outcome) == ["V2", "V2", "V2"])
        let (old, new) = (SondeSerial(name: "V1", type: .rs41), SondeSerial(name: "V2", type: .rs41))
        #expect(outcome.announcements == [.sondeChanged(to: try #require(new), from: old, type: .rs41)])
        #expect(script.health()?.rejects == [:])
    }

    @Test func aBitErrorInTheNameChangesNoSonde() {
        var script = Script()
        script.connect()
        var seen: [String] = []
        for serial in ["V1", "V2", "V2", "V1", "V2", "V3", "V2", "V2", "V1"] {
            script.advance(1)
            seen += serials(script.frame(Script.position(serial)))
        }
        #expect(seen == ["V1", "V1", "V1"])
        #expect(script.health()?.unconfirmed == 6)
    }

    @Test func aJumpIsRejectedUnlessItIsAnotherSonde() {
        var script = Script()
        script.connect()
        script.frame(Script.position("V1", latitude: "47"))
        #expect(script.frame(Script.position("V1", latitude: "57")).positions.isEmpty)
        #expect(script.health()?.rejects == ["position_jump": 1])
        for _ in 0..<3 { script.frame(Script.position("V2", frequency: "404.000", latitude: "57")) }
        #expect(script.serial == "V2")
        #expect(script.health()?.rejects == ["position_jump": 1])
    }

    @Test func burstKillerBecomesAWallClockTimeAndANewLinkForgetsIt() {
        var script = Script()
        script.connect()
        let position = script.frame(Script.position("V1", burstKiller: 60)).positions.first
        #expect(position?.burstKillerAt == script.now.wall.advanced(by: .seconds(60)))
        script.closeLink(.silent)
        script.openLink()
        script.frame(Script.searching)
        // A type 2 frame names the sonde, but holds no burst killer.
        script.frame("2/RS41/403.500/V1/117.5/100/0/4274/0/3.10/o")
        let idle = "1/RS41/403.500/V1/47.38/8.54/500/10/2/117.5/100/0/0/30600/4274/0/0/0/0/3.10/o"
        #expect(script.frame(idle).positions.map(\.burstKillerAt) == [nil])
    }

    @Test func afcMeanIsOfTheLastTwentyOnOneFrequency() {
        var script = Script()
        script.connect()
        var radios: [RadioReport] = []
        for afc in 1...30 {
            script.advance(1)
            radios += script.frame(Script.position(afc: afc)).radios
        }
        #expect(radios.first?.afcMeanHz == 1)
        #expect(radios.last?.afcMeanHz == 20.5)
        #expect(script.frame(Script.position(frequency: "404.000", afc: 7)).radios.last?.afcMeanHz == 7)
    }

    /// The states that the receiver alone can reach: event, seconds -> state and reason.
    @Test(
        arguments: [
            (0, false, false, .startup, .started), (14, false, false, .startup, .started),
            (15, false, false, .noTelemetry, .timedOut), (0, true, false, .noTelemetry, .nothingHeard),
            (0, true, true, .liveBLEFlying, .receiverTelemetry),
        ] as [(Double, Bool, Bool, TelemetryState, TelemetryState.Reason)])
    func statesFromStartup(
        _ seconds: Double, _ hasFrame: Bool, _ hasPosition: Bool, _ state: TelemetryState,
        _ reason: TelemetryState.Reason
    ) {
        var script = Script()
        script.openLink()
        if hasPosition { script.frame(Script.position()) } else if hasFrame { script.frame(Script.searching) }
        script.wait(seconds)
        #expect(script.state == state)
        #expect(script.stateReport?.reason == reason)
    }

    @Test func lostTelemetryWaitsFifteenSeconds() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.closeLink(.silent)
        #expect(script.state == .waitingForAPRS)
        script.wait(14.9)
        #expect(script.state == .waitingForAPRS)
        #expect(script.wait(0.2).states.last?.state == .noTelemetry)
        script.connect()
        script.frame(Script.position())
        #expect(script.state == .liveBLEFlying)
    }

    /// If SondeHub had the sonde before the receiver, that answer does not count when the receiver falls silent.
    @Test func availabilityIsNeverLeftOver() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.openLink()
        script.frame(Script.searching)
        script.answerPoll([Script.record("V4210150", latitude: 47.38)])
        #expect(script.state == .aprsFlying)
        script.frame(Script.position())
        #expect(script.state == .liveBLEFlying)
        script.closeLink(.silent)
        #expect(script.state == .waitingForAPRS)
        #expect(script.stateReport?.sondeHub.isAvailable == false)
    }

    private func serials(_ outcome: Script.Outcome) -> [String] {
        outcome.positions.compactMap { $0.serial?.canonical }
    }
}
