import FlightMath
import GatewayReports

extension Forecast {
    /// The forecast with its times by the present clock. The times of SondeHub's own prediction were right and stay.
    func rendered(by clock: RunClock) -> Forecast {
        let at = clock.corrected(computedAt)
        guard at != computedAt else { return self }
        var rendered = self
        rendered.computedAt = at
        let change = at.wall.millisecondsSince1970 &- computedAt.wall.millisecondsSince1970
        if method != .sondehub { rendered.prediction.advance(byMilliseconds: change) }
        return rendered
    }
}

extension LandingPoint {
    /// The point with its times by the present clock. An observed landing takes its time from the track, and SondeHub's
    /// landing time was right.
    func rendered(by clock: RunClock) -> LandingPoint {
        let moment = clock.corrected(at)
        guard moment != at else { return self }
        var rendered = self
        rendered.at = moment
        let change = moment.wall.millisecondsSince1970 &- at.wall.millisecondsSince1970
        switch method {
        case .tawhiri, .ownWinds: rendered.landingAt = landingAt?.advanced(byMilliseconds: change)
        case .sondehub, nil: break
        }
        return rendered
    }
}
