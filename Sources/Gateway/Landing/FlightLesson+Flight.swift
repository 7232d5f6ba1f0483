import FlightMath
import ReceiverProtocol

extension FlightLesson {
    /// What a flight teaches so far; nil while it has no point.
    init?(of flight: Flight, _ serial: SondeSerial, type: SondeType?) {
        let landing = flight.landingPlace
        guard let end = landing ?? flight.newestTrusted else { return nil }
        self.init(
            serial: serial, sondeType: type ?? .other(""), at: end.time,
            launch: flight.track.points.first.map(LearnedParameters.launch),
            landing: landing.map { Landing($0.coordinate, altitudeMetres: $0.altitudeMetres) },
            burstMetres: flight.burst?.altitudeMetres, descentRate: flight.wholeDescentRate)
        begunAt = flight.track.points.first?.time
    }

    /// Whether the lesson teaches nothing.
    var isEmpty: Bool { landing == nil && burstMetres == nil && descentRate == nil }
}
