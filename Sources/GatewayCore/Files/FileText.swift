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

extension [UInt8] {
    /// A decimal with exactly so many digits behind the point, whatever the locale; 0 for what is not finite or beyond
    /// 18 digits.
    package mutating func append(decimal value: Double, decimals: Int) {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let units = Int(exactly: (value * scale).rounded()) ?? 0
        if units < 0 { append(UInt8(ascii: "-")) }
        let digits = String(units.magnitude)
        let padding = Swift.max(0, decimals + 1 - digits.utf8.count)
        let padded = String(repeating: "0", count: padding) + digits
        append(contentsOf: padded.utf8.dropLast(decimals))
        guard decimals > 0 else { return }
        append(UInt8(ascii: "."))
        append(contentsOf: padded.utf8.suffix(decimals))
    }
}
