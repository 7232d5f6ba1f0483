import Foundation
import ReceiverProtocol
import Testing

@testable import GatewayCore

@Suite struct TelemetryTests {
    /// Which frame types feed which channel.
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
        var times: [String] = []
        for _ in 0..<5 {
            times += script.frame(Script.position()).texts(on: "/position").compactMap(time)
        }
        script.now.wall = script.now.wall.advanced(byMilliseconds: -500)
        times += script.frame(Script.position()).texts(on: "/position").compactMap(time)
        #expect(times.count == 6)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func threeFramesMakeANewSondeAndNoneIsLost() {
        var script = Script()
        script.connect()
        #expect(serials(script.frame(Script.position("V1"))) == ["V1"])
        #expect(serials(script.frame(Script.position("V2"))) == [])
        #expect(serials(script.frame(Script.position("V2"))) == [])
        let actions = script.frame(Script.position("V2"))
        #expect(serials(actions) == ["V2", "V2", "V2"])
        #expect(actions.texts(on: "/event").first?.contains("\"previous_serial\":\"V1\"") == true)
        #expect(script.machine.counters.rejects.isEmpty)
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
        #expect(script.machine.identity.unconfirmed == 6)
    }

    @Test func aJumpIsRejectedUnlessItIsAnotherSonde() {
        var script = Script()
        script.connect()
        script.frame(Script.position("V1", latitude: "47"))
        #expect(script.frame(Script.position("V1", latitude: "57")).texts(on: "/position").isEmpty)
        #expect(script.machine.counters.rejects == ["position_jump": 1])
        for _ in 0..<3 { script.frame(Script.position("V2", latitude: "57")) }
        #expect(script.machine.identity.current?.canonical == "V2")
        #expect(script.machine.counters.rejects == ["position_jump": 1])
    }

    @Test func burstKillerBecomesAWallClockTimeAndANewLinkForgetsIt() {
        var script = Script()
        script.connect()
        let counting = "1/RS41/403.500/V1/47.38/8.54/500/10/2/117.5/100/0/1/60/4274/0/0/0/0/3.10/o"
        #expect(
            script.frame(counting).texts(on: "/position").first?.contains(
                "\"burst_killer_at\":\"2026-01-01T12:01:00.000Z\"") == true)
        script.run(.linkClosed(.silent))
        script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 20)))
        script.frame(Script.searching)
        #expect(
            script.frame(Script.position("V1")).texts(on: "/position").first?.contains("\"burst_killer_at\":null")
                == true)
    }

    @Test func afcMeanIsOfTheLastTwenty() {
        var channels = TelemetryChannels()
        let moment = Script().now
        var frame = RadioFrame(kind: .telemetry, sondeType: .rs41, frequencyMHz: 403.5)
        for afc in 1...30 {
            frame.afcHz = afc
            _ = channels.reports(for: HeardFrame(frame, at: moment))
        }
        #expect(channels.afcMeanHz == 20.5)
        frame.frequencyMHz = 404
        frame.afcHz = 7
        _ = channels.reports(for: HeardFrame(frame, at: moment))
        #expect(channels.afcMeanHz == 7)
    }

    /// States the receiver alone can reach: steps -> state and reason.
    @Test(
        arguments: [
            (0, false, false, "startup", "started"), (14, false, false, "startup", "started"),
            (15, false, false, "noTelemetry", "timed_out"),
            (0, true, false, "noTelemetry", "nothing_heard"),
            (0, true, true, "liveBLEFlying", "receiver_telemetry"),
        ] as [(Double, Bool, Bool, String, String)])
    func statesFromStartup(
        _ seconds: Double, _ hasFrame: Bool, _ hasPosition: Bool, _ state: String, _ reason: String
    ) {
        var script = Script()
        script.run(.brokerConnected)
        script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 20)))
        if hasPosition { script.frame(Script.position()) } else if hasFrame { script.frame(Script.searching) }
        script.wait(seconds)
        #expect(script.machine.telemetryState.state.rawValue == state)
        #expect(script.machine.telemetryState.reason.rawValue == reason)
    }

    @Test func lostTelemetryWaitsFifteenSeconds() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.run(.linkClosed(.silent))
        #expect(script.machine.telemetryState.state == .waitingForAPRS)
        script.wait(14.9)
        #expect(script.machine.telemetryState.state == .waitingForAPRS)
        #expect(script.wait(0.2).texts(on: "/state").last?.contains("noTelemetry") == true)
        script.connect()
        script.frame(Script.position())
        #expect(script.machine.telemetryState.state == .liveBLEFlying)
    }

    private func serials(_ actions: [GatewayAction]) -> [String] {
        actions.texts(on: "/position").compactMap { text in
            text.range(of: "\"serial\":\"").map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }

    private func time(_ text: String) -> String? {
        text.range(of: "\"time\":\"").map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
    }
}

extension RadioFrame {
    fileprivate init(kind: FrameKind, sondeType: SondeType, frequencyMHz: Double) {
        let text = "1/\(sondeType.name)/\(frequencyMHz)/V1/47/8/500/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o"
        guard case .radio(var frame)? = try? FrameParser.parse(Array(text.utf8).span) else {
            preconditionFailure("not a radio frame: \(text)")
        }
        frame.kind = kind
        self = frame
    }
}
