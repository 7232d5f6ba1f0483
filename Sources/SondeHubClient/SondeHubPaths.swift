import FlightMath
import Gateway
import ReceiverProtocol
import SondeHubProtocol

/// The paths of SondeHub's calls, below its address.
enum SondeHubPaths {
    /// Half the Earth's circumference, metres. A larger radius means the whole Earth.
    private static let furthestMetres = 20_037_508.0

    /// The call for stations and cars.
    static let listeners = "/listeners"

    /// The call for the positions of stations and cars in the last 15 minutes.
    static let crews = "/listeners/telemetry?duration=15m"
    /// The call for the address of the live stream.
    static let stream = "/sondes/websocket"

    /// The call for reports of recovery.
    static let recovered = "/recovered"

    /// Asks for the reports of a week only, because a sonde's serial may have flown before.
    static func recoveries(_ query: RecoveryQuery) -> String {
        switch query {
        case .sonde(let serial): "\(recovered)?serial=\(PercentText.escaped(serial.canonical))&last=604800"
        case .area(let centre, let radius): "\(recovered)?\(area(centre, radiusMetres: radius))&last=604800"
        }
    }

    static func sondes(_ query: SondeHubQuery) -> String {
        switch query {
        case .site(let station): return "/sondes/site/\(PercentText.escaped(station))"
        case .area(let centre, let radius):
            let seconds = Silence.lost.begins.components.seconds
            return "/sondes?\(area(centre, radiusMetres: radius))&last=\(seconds)"
        case .dayAround(let centre, let radius): return "/sondes?\(area(centre, radiusMetres: radius))&last=86400"
        case .sonde(let serial): return track(of: serial, last: .minute)
        }
    }

    static func predictions(around centre: Coordinate, radiusMetres: Double) -> String {
        "/predictions?\(area(centre, radiusMetres: radiusMetres))"
    }

    private static func area(_ centre: Coordinate, radiusMetres radius: Double) -> String {
        // NaN fails both comparisons.
        let metres = radius >= 0 ? (radius <= furthestMetres ? radius : furthestMetres) : 0
        return "lat=\(centre.latitude)&lon=\(centre.longitude)&distance=\(Int(metres))"
    }

    static func track(of serial: SondeSerial, last duration: TrackDuration) -> String {
        "/sondes/telemetry?serial=\(PercentText.escaped(serial.canonical))&duration=\(duration.rawValue)"
    }

    static func prediction(of serial: SondeSerial) -> String {
        "/predictions?vehicles=\(PercentText.escaped(serial.canonical))"
    }
}
