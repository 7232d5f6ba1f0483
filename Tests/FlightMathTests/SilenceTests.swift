import TestSupport
import Testing

@testable import FlightMath

@Suite struct SilenceTests {
    /// Last altitude, seconds of silence, seconds since the predicted landing -> landed, or the phase before. A low
    /// sonde has not landed yet: from 1500 m above the ground it falls for minutes.
    @Test(
        arguments: [
            (26_000, 19, nil, .descendingAbove10k, .verticalSpeed),
            (26_000, 21, nil, .descendingAbove10k, .silentInFlight),
            (26_000, 125, nil, .descendingAbove10k, .silentInFlight),
            (26_000, 125, 59, .descendingAbove10k, .silentInFlight), (26_000, 125, 60, .landed, .sondeHubSilent),
            (26_000, 119, 3000, .descendingAbove10k, .silentInFlight),
            (1900, 125, nil, .descendingBelow10k, .silentInFlight),
            (1900, 125, 59, .descendingBelow10k, .silentInFlight), (1900, 125, 61, .landed, .sondeHubSilent),
            // Without a prediction it counts as landed after 5 minutes, if it can be down.
            (1900, 299, nil, .descendingBelow10k, .silentInFlight), (1900, 300, nil, .landed, .sondeHubSilent),
            (9000, 900, nil, .descendingBelow10k, .silentInFlight), (9000, 1800, nil, .landed, .sondeHubSilent),
            (26_000, 1800, nil, .descendingAbove10k, .silentInFlight),
        ] as [(Double, Double, Double?, FlightPhase, PhaseReason)])
    func silenceAfterTheBurstGivesALandingPoint(
        _ altitude: Double, _ silent: Double, _ overdue: Double?, _ phase: FlightPhase, _ reason: PhaseReason
    ) {
        var path = FlightPath(spacing: 5)
        path.go(5400, up: 5, east: 10)
        path.fall(to: altitude, rate: 6, east: 10)
        var flight = Flight()
        flight.knownGround = Ground(metres: 500, origin: .config)
        _ = flight.add(path.points)
        let last = path.points[path.points.count - 1]
        let now = last.time.advanced(by: .seconds(silent))
        let predicted = overdue.map { now.advanced(by: .seconds(-$0)) }
        let changes = flight.concludeFromSilence(of: .seconds(silent), predictedLandingAt: predicted, at: now)
        #expect(flight.phase == PhaseVerdict(phase, reason))
        #expect(changes == (phase == .landed ? [.landedInSilence(last)] : []))
        #expect(flight.concludeFromSilence(of: .seconds(silent), predictedLandingAt: predicted, at: now).isEmpty)
        let again = flight.concludeFromSilence(of: .zero, predictedLandingAt: nil, at: now)
        #expect(again == (phase == .landed ? [.heardAgain] : []))
        #expect(flight.phase.reason == .verticalSpeed)
    }

    /// The predicted landing lies on the ground that is believed, also where nobody knows it. Silence counts as a landing
    /// a minute after that.
    @Test(
        arguments: [
            (.lowest, 59, false), (.lowest, 61, true), (.car, 59, false), (.car, 61, true),
        ] as [(Ground.Origin, Double, Bool)])
    func silenceEndsOnTheBelievedGround(_ origin: Ground.Origin, _ overdue: Double, _ isLanding: Bool) {
        var path = FlightPath(altitude: 1200, spacing: 5)
        path.go(3600, up: 5, east: 10)
        path.fall(to: 2000, rate: 6, east: 10)
        var flight = Flight()
        if origin != .lowest { flight.knownGround = Ground(metres: 1200, origin: origin) }
        _ = flight.add(path.points)
        #expect(flight.ground.origin == origin)
        let now = path.now.advanced(by: .seconds(1000))
        let predicted = now.advanced(by: .seconds(-overdue))
        _ = flight.concludeFromSilence(of: .seconds(1000), predictedLandingAt: predicted, at: now)
        #expect((flight.phase.phase == .landed) == isLanding)
    }

    /// A sonde that falls silent in its ascent never counts as landed.
    @Test func silenceDuringTheAscentGivesNoLandingPoint() {
        var path = FlightPath()
        path.go(200, up: 5)
        var flight = Flight()
        _ = flight.add(path.points)
        #expect(
            flight.concludeFromSilence(of: .seconds(7000), predictedLandingAt: FlightPath.time(0), at: path.now).isEmpty
        )
        #expect(flight.phase == PhaseVerdict(.ascending, .verticalSpeed))
    }

    /// The sonde was first heard at 8 km and lost further down. The first altitude does not count as the ground.
    @Test(arguments: [(8000.0, 6500.0, false), (8000.0, 1400.0, true)])
    func theFirstReceptionIsNoGround(_ first: Double, _ last: Double, _ isLanding: Bool) {
        var path = FlightPath(altitude: first)
        path.fall(to: last, rate: 6)
        var flight = Flight()
        _ = flight.add(path.points)
        let now = path.now.advanced(by: .seconds(310))
        _ = flight.concludeFromSilence(of: .seconds(310), predictedLandingAt: nil, at: now)
        #expect((flight.phase.phase == .landed) == isLanding)
    }
}
