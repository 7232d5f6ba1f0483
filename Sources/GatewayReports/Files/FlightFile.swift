public import FlightMath

/// A recorded flight as a file, written while its points stream by: nothing is held but what stands at the seams.
///
///     begin()          head, and the named places
///     add(points)      any number of times, in the order of their times
///     end()            the rest
///
/// However the points are cut into pieces, the bytes are the same. What was recorded behind the landing, the way home in
/// somebody's car, stands apart.
public struct FlightFile: Sendable {
    private var writer: any FlightFileWriter
    /// Nil when it was not seen, or when the points that were added last are behind it.
    private var landedAt: WallTime?

    /// - Parameter marks: of all the flight's points.
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

    public mutating func add(_ points: some Sequence<TrackPoint>) -> [UInt8] {
        var text = FileText()
        for point in points {
            if let end = landedAt, point.time > end {
                landedAt = nil
                writer.endFlight(&text)
            }
            writer.add(point, &text)
        }
        return text.bytes
    }

    public mutating func end() -> [UInt8] {
        var text = FileText()
        writer.end(&text)
        return text.bytes
    }
}

/// One of the formats.
protocol FlightFileWriter: Sendable {
    mutating func begin(_ text: inout FileText)
    mutating func add(_ point: TrackPoint, _ text: inout FileText)
    /// What is added from now on lies behind the landing.
    mutating func endFlight(_ text: inout FileText)
    mutating func end(_ text: inout FileText)
}

extension FlightFileWriter {
    /// The name of what lies behind the landing.
    static var afterLanding: String { "after the landing" }
}

/// Where a track has holes.
enum TrackGap {
    /// Points further apart than this are not joined by a line, seconds (specification 8.7).
    private static let seconds = 60.0

    static func lies(between earlier: TrackPoint, and later: TrackPoint) -> Bool {
        later.time.seconds(since: earlier.time) > seconds
    }
}
