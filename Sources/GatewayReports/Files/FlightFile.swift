public import FlightMath

/// Writes a recorded flight as a file, piece by piece, so that the points need not be in memory.
///
///     begin()          the head and the named places
///     add(points)      any number of times, in the order of time: the sonde's, then the car's
///     end()            the rest
///
/// The bytes do not depend on how the points are divided. Points after the landing, the drive home in a car, are kept
/// apart.
public struct FlightFile: Sendable {
    private var writer: any FlightFileWriter
    /// The landing's time; nil if it was not detected, or once a later point was added.
    private var landedAt: WallTime?

    /// - Parameter marks: computed from all points of the flight.
    public init(_ format: FlightFileFormat, of flight: ArchivedFlight, marks: FlightMarks) {
        landedAt = marks.landedAt
        switch format {
        case .gpx: writer = GPXFile(flight, marks.marks)
        case .kml: writer = KMLFile(flight, marks.marks)
        case .csv: writer = CSVFile()
        case .geoJSON: writer = GeoJSONFile(flight, marks.marks)
        }
    }

    public mutating func begin() -> [UInt8] {
        var text = FileText()
        writer.begin(&text)
        return text.bytes
    }

    /// Adds the next points of the sonde.
    /// - Parameter samples: how it was heard, by whole seconds since 1970.
    public mutating func add(
        _ points: some Sequence<TrackPoint>, samples: [Int64: HeardSample] = [:]
    ) -> [UInt8] {
        var text = FileText()
        for point in points {
            if let end = landedAt, point.time > end {
                landedAt = nil
                writer.endFlight(&text)
            }
            writer.add(point, samples[point.second], &text)
        }
        return text.bytes
    }

    /// Adds the next points of the car's own way. They follow all points of the flight.
    public mutating func add(_ points: some Sequence<CarPoint>) -> [UInt8] {
        var text = FileText()
        for point in points { writer.add(point, &text) }
        return text.bytes
    }

    public mutating func end() -> [UInt8] {
        var text = FileText()
        writer.end(&text)
        return text.bytes
    }
}
