import TestSupport
import Testing

@testable import FlightMath

@Suite struct SilenceTests {
    /// Last altitude, configured ground, minutes since the predicted landing -> phase, reason.
    @Test(
        arguments: [
            (26_000, nil, nil, .descendingAbove10k, .silentInFlight),
            (26_000, nil, 4.9, .descendingAbove10k, .silentInFlight),
            (26_000, nil, 5.1, .landed, .sondeHubSilent),
            (2100, nil, nil, .descendingBelow10k, .silentInFlight),
            (1900, nil, nil, .landed, .sondeHubSilent),
            // The ground is lower here than at the launch, or higher.
            (1900, 100, nil, .descendingBelow10k, .silentInFlight),
            (1900, 3000, nil, .landed, .sondeHubSilent),
        ] as [(Double, Double?, Double?, FlightPhase, PhaseReason)])
    func silenceAfterTheBurstGivesALandingPoint(
        _ altitude: Double, _ ground: Double?, _ minutes: Double?, _ phase: FlightPhase, _ reason: PhaseReason
    ) {
        var path = FlightPath(spacing: 5)
        path.go(5400, up: 5, east: 10)
        path.fall(to: altitude, rate: 6, east: 10)
        var flight = Flight()
        flight.groundAltitudeMetres = ground
        _ = flight.add(path.points)
        let now = path.now.advanced(byMilliseconds: 125_000)
        let predicted = minutes.map { now.advanced(byMilliseconds: -Int64($0 * 60_000)) }
        let changes = flight.judgeSilence(isSilent: true, predictedLandingAt: predicted, at: now)
        #expect(flight.phase == PhaseVerdict(phase, reason))
        #expect(changes == (phase == .landed ? [.landedInSilence(path.points[path.points.count - 1])] : []))
        #expect(flight.judgeSilence(isSilent: true, predictedLandingAt: predicted, at: now).isEmpty)
        let again = flight.judgeSilence(isSilent: false, predictedLandingAt: nil, at: now)
        #expect(again == (phase == .landed ? [.heardAgain] : []))
        #expect(flight.phase.reason == .verticalSpeed)
    }

    /// A sonde that falls silent in its ascent never counts as landed.
    @Test func silenceDuringTheAscentGivesNoLandingPoint() {
        var path = FlightPath()
        path.go(200, up: 5)
        var flight = Flight()
        _ = flight.add(path.points)
        #expect(flight.judgeSilence(isSilent: true, predictedLandingAt: FlightPath.time(0), at: path.now).isEmpty)
        #expect(flight.phase == PhaseVerdict(.ascending, .verticalSpeed))
    }

    /// First heard at 8 km and lost a little lower: the first altitude is not taken for the ground.
    @Test(arguments: [(8000.0, 6500.0, false), (8000.0, 1400.0, true)])
    func theFirstReceptionIsNoGround(_ first: Double, _ last: Double, _ isLanding: Bool) {
        var path = FlightPath(altitude: first)
        path.fall(to: last, rate: 6)
        var flight = Flight()
        _ = flight.add(path.points)
        _ = flight.judgeSilence(isSilent: true, predictedLandingAt: nil, at: path.now)
        #expect((flight.phase.phase == .landed) == isLanding)
    }
}
