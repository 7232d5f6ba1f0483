public import ReceiverProtocol

/// What a recorded flight can be written as.
public enum FlightFileFormat: String, CaseIterable, Sendable {
    case gpx, kml, csv
    case geoJSON = "geojson"

    /// For HTTP.
    public var mediaType: String {
        switch self {
        case .gpx: "application/gpx+xml"
        case .kml: "application/vnd.google-earth.kml+xml"
        case .csv: "text/csv; charset=utf-8"
        case .geoJSON: "application/geo+json"
        }
    }

    /// `V4210150.gpx`: letters, digits and dashes only, whatever the serial holds.
    public func fileName(for serial: SondeSerial) -> String {
        let kept = serial.canonical.unicodeScalars.filter { scalar in
            scalar == "-" || (scalar.isASCII && scalar.properties.isAlphabetic) || ("0"..."9").contains(scalar)
        }
        return "\(String(String.UnicodeScalarView(kept))).\(rawValue)"
    }
}
