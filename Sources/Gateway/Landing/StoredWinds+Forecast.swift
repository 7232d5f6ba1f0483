import FlightMath
import ReceiverProtocol

extension StoredWinds {
    /// The winds along a forecast server's path; nil if its points are too far apart to tell any.
    init?(along forecast: OnlinePrediction, of serial: SondeSerial, at now: WallTime) {
        let points = forecast.path.map { point in
            TrackPoint(
                time: point.time, coordinate: point.coordinate, altitudeMetres: point.altitudeMetres, source: .sondehub)
        }
        self.init(forecast: points, burstAt: forecast.burst?.time, of: serial, at: now)
    }
}
