import FlightMath
import ReceiverProtocol

extension FlightLesson {
    /// What a flight teaches that was seen to land.
    init(of flight: Flight, landed landing: TrackPoint, type: SondeType?, worstRatio: Double?) {
        self.init(
            sondeType: type ?? .other(""), landedAt: landing.time,
            launch: flight.track.points.first.flatMap(LearnedParameters.launch), landing: landing.coordinate,
            landingAltitudeMetres: landing.altitudeMetres, burstMetres: flight.burst?.altitudeMetres,
            descentRate: flight.wholeDescentRate, worstRatio: worstRatio)
    }
}
