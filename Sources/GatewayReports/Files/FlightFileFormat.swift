public import ReceiverProtocol

/// The file formats for a recorded flight.
public enum FlightFileFormat: String, CaseIterable, Sendable {
    case gpx, kml, csv
    case geoJSON = "geojson"

    /// The media type for HTTP.
    public var mediaType: String {
        switch self {
        case .gpx: "application/gpx+xml"
        case .kml: "application/vnd.google-earth.kml+xml"
        case .csv: "text/csv; charset=utf-8"
        case .geoJSON: "application/geo+json"
        }
    }

    /// The name `V4210150.gpx`. It keeps only the serial's letters, digits and dashes.
    public func fileName(for serial: SondeSerial) -> String {
        let kept = serial.canonical.unicodeScalars.filter { scalar in
            scalar == "-" || (scalar.isASCII && scalar.properties.isAlphabetic) || ("0"..."9").contains(scalar)
        }
        return "\(String(String.UnicodeScalarView(kept))).\(rawValue)"
    }
}
