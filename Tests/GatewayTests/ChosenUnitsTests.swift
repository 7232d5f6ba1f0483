import GatewayTestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The units of sentences: each unit has round values of its own that are worth a sentence.
@Suite struct ChosenUnitsTests {
    private func told(_ event: EventName, _ outcome: Script.Outcome) -> [String] {
        outcome.reports.compactMap { report in
            guard case .announcement(let told) = report, told.announcement.event == event else { return nil }
            return told.text
        }
    }

    /// The distances of a whole approach.
    @Test(
        arguments: [
            (
                .metric,
                ["5 kilometres", "2 kilometres", "1 kilometre", "500 metres", "200 metres"]
            ),
            (.imperial, ["5 miles", "2 miles", "1 mile", "2000 feet", "500 feet"]),
            (.aviation, ["5 nautical miles", "2 nautical miles", "1 nautical mile", "2000 feet", "500 feet"]),
        ] as [(Units, [String])])
    func distances(_ units: Units, _ said: [String]) {
        var script = Script.toGoal(ChaseOptions(units: units))
        var texts: [String] = []
        for metres in stride(from: 0.0, through: 9990, by: 22) {
            let outcome = script.fix(at: Script.car.moved(east: metres, north: 0)) + script.wait(1)
            texts += told(.distance, outcome)
        }
        #expect(texts == said.map { "\($0) to go, straight ahead." })
    }

    /// The altitudes of a whole flight, with the configured step in metres.
    @Test(
        arguments: [
            (
                .metric, 5000, ["5 kilometres", "10 kilometres"],
                ["10 kilometres", "5 kilometres", "2 kilometres", "1 kilometre"]
            ),
            (
                .imperial, 5000, ["15 thousand feet", "30 thousand feet"],
                ["30 thousand feet", "15 thousand feet", "6000 feet", "3000 feet"]
            ),
            (
                .aviation, 3000, ["10 thousand feet", "20 thousand feet", "30 thousand feet", "40 thousand feet"],
                ["30 thousand feet", "15 thousand feet", "6000 feet", "3000 feet"]
            ),
            (.aviation, 0, [], []),
        ] as [(Units, Double, [String], [String])])
    func altitudes(_ units: Units, _ step: Double, _ up: [String], _ down: [String]) {
        var chased = Chased(altitude: 500, prediction: .off)
        chased.script.run(.chaseChanged(ChaseOptions(units: units, altitudeStepMetres: step), []))
        var outcome = chased.go(2400, up: 5)
        outcome += chased.fall(to: 600, rate: 6)
        let texts = up.map { "Climbing through \($0)." } + down.map { "Falling through \($0)." }
        #expect(told(.altitude, outcome) == texts)
    }

    /// Steps of the configuration in metres -> the round steps in feet.
    @Test(arguments: [(500, 2000), (1000, 3000), (1500, 5000), (2000, 5000), (5000, 15_000), (20_000, 65_000)])
    func roundSteps(_ metres: Double, _ feet: Double) {
        #expect(abs(Units.imperial.roundStep(near: metres) / 0.3048 - feet) < 1e-6)
        #expect(Units.metric.roundStep(near: metres) == metres)
    }

    /// A SIGHUP changes the units at once. What has been said in the old ones is not said again in the new ones.
    @Test func otherUnitsTakeEffectAtOnce() {
        var script = Script.toGoal()
        func near(_ metres: Double) -> [String] {
            script.wait(200)
            return told(.distance, script.fix(at: Script.goal.moved(east: -metres, north: 0)))
        }
        #expect(near(4900) == ["5 kilometres to go, straight ahead."])
        let changed = script.run(.chaseChanged(ChaseOptions(units: .imperial), []))
        #expect(changed.objects(on: "/bridge/info").map { $0["units"] as? String } == ["imperial"])
        #expect(near(4500) == [])
        #expect(near(3200) == ["2 miles to go, straight ahead."])
    }
}
