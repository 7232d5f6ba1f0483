import ReceiverProtocol

extension FlightLesson {
    /// What a flight teaches that was seen to land.
    init(of flight: Flight, landed landing: TrackPoint, type: SondeType?, worstRatio: Double?) {
        self.init(
            sondeType: type ?? .other(""), landedAt: landing.time,
            launch: flight.track.points.first.flatMap(Lessons.launch), landing: landing.coordinate,
            landingAltitudeMetres: landing.altitudeMetres, burstMetres: flight.burst?.altitudeMetres,
            descentRate: flight.wholeDescentRate, worstRatio: worstRatio)
    }
}

extension Flight {
    /// The descent rate in air as at sea level over the whole descent, m/s: what the next flight of that type may expect;
    /// nil where the burst was not seen, or too little of what followed.
    var wholeDescentRate: Double? {
        guard let burst, let landing = landingPlace else { return nil }
        let seconds = landing.time.seconds(since: burst.time)
        guard seconds >= 300, burst.altitudeMetres - landing.altitudeMetres >= 5000 else { return nil }
        let way = Atmosphere.fallMetres(at: burst.altitudeMetres) - Atmosphere.fallMetres(at: landing.altitudeMetres)
        let rate = way / seconds
        return rate.isFinite && rate > 0 ? rate : nil
    }
}
