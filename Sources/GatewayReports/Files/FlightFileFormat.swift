public import ReceiverProtocol

/// The file formats for a recorded flight.
public enum FlightFileFormat: String, CaseIterable, Sendable {
    case gpx, kml, csv
    case geoJSON = "geojson"

    /// Whether a file of this format holds the car's own way.
    public enum CarsWay: Sendable {
        case always, onDemand, never
    }

    /// Whether a file of this format tells how the sonde was heard.
    public var holdsSamples: Bool { self == .csv }

    public var carsWay: CarsWay {
        switch self {
        case .gpx: .always
        case .csv: .onDemand
        case .kml, .geoJSON: .never
        }
    }

    /// The media type for HTTP.
    public var mediaType: String {
        switch self {
        case .gpx: "application/gpx+xml"
        case .kml: "application/vnd.google-earth.kml+xml"
        case .csv: "text/csv; charset=utf-8"
        case .geoJSON: "application/geo+json"
        }
    }

    /// The name `V4210150.gpx`.
    public func fileName(for serial: SondeSerial) -> String { Self.fileName(for: serial, ending: rawValue) }

    /// The name `V4210150.gpx`. It keeps only the serial's letters, digits and dashes.
    public static func fileName(for serial: SondeSerial, ending: String) -> String {
        let kept = serial.canonical.unicodeScalars.filter { scalar in
            scalar == "-" || (scalar.isASCII && scalar.properties.isAlphabetic) || ("0"..."9").contains(scalar)
        }
        return "\(String(String.UnicodeScalarView(kept))).\(ending)"
    }
}
