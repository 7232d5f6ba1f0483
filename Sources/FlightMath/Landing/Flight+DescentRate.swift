extension Flight {
    /// The descent rate in air as at sea level over the whole descent, m/s: what the next flight of that type may expect;
    /// nil where the burst was not seen, or too little of what followed.
    public var wholeDescentRate: Double? {
        guard let burst, let landing = landingPlace else { return nil }
        let seconds = landing.time.seconds(since: burst.time)
        guard seconds >= 300, burst.altitudeMetres - landing.altitudeMetres >= 5000 else { return nil }
        let way = Atmosphere.fallMetres(at: burst.altitudeMetres) - Atmosphere.fallMetres(at: landing.altitudeMetres)
        let rate = way / seconds
        return rate.isFinite && rate > 0 ? rate : nil
    }
}
