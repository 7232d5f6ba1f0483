import FlightMath

/// Text of a file while it grows, as bytes.
struct FileText {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// For XML: what is markup is escaped, what XML can't hold is left out.
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

    /// As ``FlightFileFormat`` has them everywhere: 6 decimals.
    mutating func add(latitude: Double) { add(latitude, decimals: 6) }

    /// From -180 up to, but not including, 180: the date line has one name.
    mutating func add(longitude: Double) { add(longitude > 179.999_999_5 ? -180 : longitude, decimals: 6) }

    /// Above mean sea level.
    mutating func add(altitudeMetres: Double) { add(altitudeMetres, decimals: 1) }

    /// `6.940000,46.820000,30000.0`: KML and GeoJSON begin with the longitude.
    mutating func addPlace(of point: TrackPoint) {
        add(longitude: point.coordinate.longitude)
        add(",")
        add(latitude: point.coordinate.latitude)
        add(",")
        add(altitudeMetres: point.altitudeMetres)
    }
}
