import FlightMath

/// The text of a file under construction, as bytes.
struct FileText {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Adds text to an XML file. Escapes markup and leaves out characters that XML can't hold.
    mutating func add(escaped text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": add("&amp;")
            case "<": add("&lt;")
            case ">": add("&gt;")
            case "\"": add("&quot;")
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": break
            default: bytes.append(contentsOf: String(scalar).utf8)
            }
        }
    }

    mutating func add(_ time: WallTime) { time.appendISO8601(to: &bytes) }

    mutating func add(_ value: Double, decimals: Int) { bytes.append(decimal: value, decimals: decimals) }

    /// Adds a latitude with 6 decimals, as in all formats.
    mutating func add(latitude: Double) { add(latitude, decimals: 6) }

    /// Adds a longitude from -180 up to, but not including, 180, so that the date line has one name.
    mutating func add(longitude: Double) { add(longitude > 179.999_999_5 ? -180 : longitude, decimals: 6) }

    /// Adds an altitude, metres above mean sea level.
    mutating func add(altitudeMetres: Double) { add(altitudeMetres, decimals: 1) }

    /// Adds `6.940000,46.820000,30000.0`. KML and GeoJSON begin with the longitude.
    mutating func addPlace(of point: TrackPoint) {
        add(longitude: point.coordinate.longitude)
        add(",")
        add(latitude: point.coordinate.latitude)
        add(",")
        add(altitudeMetres: point.altitudeMetres)
    }
}
