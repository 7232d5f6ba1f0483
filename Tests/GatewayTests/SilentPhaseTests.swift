import GatewayTestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Nobody hears the sonde, and there is no network. The crew still reads its last phase.
@Suite struct SilentPhaseTests {
    /// Seconds after the last frame, at 10 km -> phase and reason.
    @Test(arguments: [true, false]) func thePhaseStays(_ isFalling: Bool) {
        var chased = Chased(altitude: isFalling ? 13_000 : 9000, prediction: .off)
        if isFalling { chased.fall(to: 10_200, rate: 6) } else { chased.go(200, up: 5) }
        let phase: FlightPhase = isFalling ? .descendingAbove10k : .ascending
        #expect(chased.script.flight?.phase == PhaseVerdict(phase, .verticalSpeed))
        chased.script.closeLink()
        var shown: [String] = []
        for seconds in [10.0, 9, 2, 30, 600] {
            chased.script.wait(seconds)
            shown.append(chased.script.flight?.phase.reason?.rawValue ?? "")
            #expect(chased.script.flight?.phase.phase == phase)
        }
        #expect(chased.script.state == .noTelemetry)
        let silent = "silent_in_flight"
        #expect(shown == ["vertical_speed", "vertical_speed", silent, silent, silent])
        // Three hours later the phase is unknown; a sonde that fell is down by then.
        chased.script.wait(10_800 - 640)
        #expect(chased.script.flight?.phase.phase == (isFalling ? .landed : .unknown))
        // When the sonde is heard again, its phase is the same as before.
        chased.script.openLink()
        chased.go(3, up: isFalling ? -8 : 5)
        #expect(chased.script.flight?.phase.phase != .unknown)
    }

    /// The reason stays while SondeHub's answers come in time, however long the polls' interval is.
    @Test func sondeHubsAnswersAreNoSilence() {
        var chased = Chased(altitude: 13_000, prediction: .off, sondeHub: SondeHubOptions.payerne)
        let begun = chased.fall(to: 12_000, rate: 6)
        chased.script.answer(begun.polls.first?.id, [])
        chased.script.closeLink()
        let outcome = chased.goOnSondeHub(120, up: -10)
        #expect(chased.script.state == .aprsFlying)
        #expect(outcome.flights.allSatisfy { $0.phase.reason == .verticalSpeed })
    }
}
