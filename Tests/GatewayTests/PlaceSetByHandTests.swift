import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A landing point set by a command, and a landing that was observed and is taken back.
@Suite struct PlaceSetByHandTests {
    private static let place = Coordinate(latitude: 47.2, longitude: 8.2)

    /// A sonde whose altitude stood still at 3000 m, so that it seemed to land there.
    private static func stuck() throws -> (chased: Chased, outcome: Script.Outcome) {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        var outcome = chased.go(1300, up: 5)
        outcome += chased.script.command("{\"landing_point\":{\"latitude\":47.2,\"longitude\":8.2}}")
        outcome += chased.fall(to: 3000, rate: 6)
        #expect(chased.landing?.source == "manual")
        let rest = chased.go(120, north: 0)
        #expect(rest.told(.landed).count == 1 && chased.landing?.source == "observed")
        return (chased, outcome + rest)
    }

    private static func fallOn(_ chased: inout Chased) -> Script.Outcome {
        var outcome = Script.Outcome()
        while chased.altitude > 2000 { outcome += chased.go(1, up: -6) }
        #expect(outcome.told(.landingRevoked).count == 1)
        return outcome
    }

    /// The crew's point counts again, and the store knows it.
    @Test func itComesBackWithTheRevocation() throws {
        var (chased, outcome) = try Self.stuck()
        outcome += Self.fallOn(&chased)
        #expect(chased.landing?.source == "manual" && chased.landing?.coordinate == Self.place)
        let again = Chased(prediction: .ownWindsOnly, memory: try outcome.memory(endedAgo: 30))
        #expect(again.landing?.source == "manual" && again.landing?.coordinate == Self.place)
    }

    /// The gateway restarts between the landing and its revocation.
    @Test func itComesBackAfterARestart() throws {
        let (before, outcome) = try Self.stuck()
        var chased = Chased(
            altitude: before.altitude, prediction: .ownWindsOnly, memory: try outcome.memory(endedAgo: 5))
        chased.latitude = before.latitude
        #expect(chased.landing?.source == "observed")
        _ = Self.fallOn(&chased)
        #expect(chased.landing?.source == "manual" && chased.landing?.coordinate == Self.place)
    }

    /// The command takes the point back while the landing hides it.
    @Test func itIsTakenBackWhileHidden() throws {
        var (chased, _) = try Self.stuck()
        let back = chased.script.command("{\"landing_point\":null}")
        #expect(back.entries.contains(.setting(.landingPoint, nil)) && chased.landing?.source == "observed")
        _ = Self.fallOn(&chased)
        #expect(chased.landing?.source == "predicted")
    }

    /// A point hidden by the landing of a flight that is long over does not come back with the sonde's next flight.
    @Test func itStaysHiddenInAnotherFlight() {
        var memory = GatewayMemory()
        memory.settings[.landingPoint] = "V4210150 47.2 8.2 \(Script.noon - 86_400_000) landed"
        var chased = Chased(altitude: 3000, prediction: .ownWindsOnly, memory: memory)
        chased.fall(to: 1000, rate: 8)
        #expect(chased.landing?.source == "predicted")
    }
}
