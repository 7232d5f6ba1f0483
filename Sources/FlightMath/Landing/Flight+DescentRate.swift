extension Flight {
    /// A shorter fall doesn't tell the rate, metres.
    private static let leastFallMetres = 8000.0

    /// The mean descent rate from the burst, or from the beginning of the fall, to the landing or the last point,
    /// converted to air at sea level, m/s. Later flights of this type expect it. Nil before 8 km of fall.
    public var wholeDescentRate: Double? {
        guard let top = judge.descentBegan, let end = landingPlace ?? judge.recent.points.last else { return nil }
        let seconds = end.time.seconds(since: top.time)
        guard seconds > 0, top.altitudeMetres - end.altitudeMetres >= Self.leastFallMetres else { return nil }
        let way = Atmosphere.fallMetres(at: top.altitudeMetres) - Atmosphere.fallMetres(at: end.altitudeMetres)
        let rate = way / seconds
        return rate.isFinite && rate > 0 ? rate : nil
    }
}
