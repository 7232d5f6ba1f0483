public import FlightMath

/// Comma-separated values, a line for each sample of how a sonde was heard, by the receiver (`ble`) or by SondeHub's stations.
/// The place is that of the track in the same second; it is empty for a frame without one, as under trees.
public enum TelemetryFile {
    /// The ending of a file's name, for HTTP.
    public static let ending = "telemetry.csv"
    public static let header = Array(("time,source,latitude,longitude,altitude_m," + CSVFile.sampleColumns + "\n").utf8)

    /// - Parameter points: the sonde's, by whole seconds since 1970.
    public static func lines(_ samples: [HeardSample], places points: [Int64: TrackPoint]) -> [UInt8] {
        var text = FileText()
        for sample in samples {
            text.add(sample.time)
            text.add(",\(sample.source.rawValue),")
            if let point = points[sample.time.wholeSeconds] {
                text.add(latitude: point.coordinate.latitude)
                text.add(",")
                text.add(longitude: point.coordinate.longitude)
                text.add(",")
                text.add(altitudeMetres: point.altitudeMetres)
            } else {
                text.add(",,")
            }
            text.add(sample)
            text.add("\n")
        }
        return text.bytes
    }
}
