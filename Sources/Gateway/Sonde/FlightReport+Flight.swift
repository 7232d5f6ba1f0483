import FlightMath
import GatewayReports
import ReceiverProtocol

extension FlightReport {
    init(_ flight: Flight, serial: SondeSerial?, phase: PhaseVerdict) {
        self.init(
            serial: serial, phase: phase, motion: flight.motion, rawMotion: flight.rawMotion,
            descentRate: flight.adjustedDescentRate, highestMetres: flight.highest?.altitudeMetres, burst: flight.burst,
            landed: flight.landingPlace, landingTime: flight.landingTime, last: flight.lastSeen,
            firstAt: flight.track.points.first?.time,
            trackPoints: flight.track.points.count, hasMoved: flight.hasMoved, hasDescended: flight.hasDescended)
    }
}
