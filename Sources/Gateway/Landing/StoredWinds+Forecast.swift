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

    /// The winds that a sonde should meet that is not launched yet. Its name is unknown, so the site and the time of the
    /// launch stand for it. The winds are dated by the launch: of several launches the nearest counts.
    init?(along forecast: OnlinePrediction, ofLaunchAt launch: Launches.Key) {
        guard let name = SondeSerial(name: "launch-\(launch.site)-\(launch.at.wholeSeconds)", type: .other("launch"))
        else { return nil }
        self.init(along: forecast, of: name, at: launch.at)
    }
}
