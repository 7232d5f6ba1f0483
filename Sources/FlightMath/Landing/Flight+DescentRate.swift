extension Flight {
    /// The mean descent rate of the whole descent, converted to air at sea level, m/s. Later flights of this type
    /// expect it. Nil if the burst was not detected or the descent was short.
    public var wholeDescentRate: Double? {
        guard let burst, let landing = landingPlace else { return nil }
        let seconds = landing.time.seconds(since: burst.time)
        guard seconds >= 300, burst.altitudeMetres - landing.altitudeMetres >= 5000 else { return nil }
        let way = Atmosphere.fallMetres(at: burst.altitudeMetres) - Atmosphere.fallMetres(at: landing.altitudeMetres)
        let rate = way / seconds
        return rate.isFinite && rate > 0 ? rate : nil
    }
}
