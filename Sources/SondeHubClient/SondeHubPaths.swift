import FlightMath
import Gateway
import ReceiverProtocol

/// The paths of SondeHub's calls, below its address.
enum SondeHubPaths {
    /// Half the Earth's circumference, metres. A larger radius means the whole Earth.
    private static let furthestMetres = 20_037_508.0

    /// The call for stations and cars.
    static let listeners = "/listeners"

    static func sondes(_ query: SondeHubQuery) -> String {
        switch query {
        case .site(let station): return "/sondes/site/\(escaped(station))"
        case .area(let centre, let radius):
            // NaN fails both comparisons.
            let metres = radius >= 0 ? (radius <= furthestMetres ? radius : furthestMetres) : 0
            return "/sondes?lat=\(centre.latitude)&lon=\(centre.longitude)&distance=\(Int(metres))&last=10800"
        case .sonde(let serial): return track(of: serial, last: .minute)
        }
    }

    static func track(of serial: SondeSerial, last duration: TrackDuration) -> String {
        "/sondes/telemetry?serial=\(escaped(serial.canonical))&duration=\(duration.rawValue)"
    }

    static func prediction(of serial: SondeSerial) -> String {
        "/predictions?vehicles=\(escaped(serial.canonical))"
    }

    /// Encodes all bytes but letters, digits and `-_.` in percent form.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                String(UnicodeScalar(byte))
            default: "%" + [byte].hex.uppercased()
            }
        }.joined()
    }
}
