import FlightMath
import ReceiverProtocol

/// GPX 1.1: a waypoint for each named place, and a track with a new segment after each gap. The points after the
/// landing form a second track.
struct GPXFile: FlightFileWriter {
    private let flight: ArchivedFlight
    private let marks: [FlightMarks.Mark]
    private var last: TrackPoint?

    init(_ flight: ArchivedFlight, _ marks: [FlightMarks.Mark]) {
        self.flight = flight
        self.marks = marks
    }

    mutating func begin(_ text: inout FileText) {
        text.add(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="sondygo2mqtt" xmlns="http://www.topografix.com/GPX/1/1">
            <metadata><name>
            """)
        text.add(escaped: flight.serial.canonical)
        text.add("</name><time>")
        text.add(flight.firstAt)
        text.add("</time></metadata>\n")
        for mark in marks {
            text.add("<wpt")
            addPlace(of: mark.point, &text)
            text.add("<name>")
            text.add(escaped: "\(flight.serial) \(mark.kind.rawValue)")
            text.add("</name></wpt>\n")
        }
        beginTrack(flight.serial.canonical, &text)
    }

    private func beginTrack(_ name: String, _ text: inout FileText) {
        text.add("<trk><name>")
        text.add(escaped: name)
        text.add("</name>")
        if flight.sondeType.isNamed {
            text.add("<type>")
            text.add(escaped: flight.sondeType.name)
            text.add("</type>")
        }
        text.add("\n")
    }

    mutating func add(_ point: TrackPoint, _ text: inout FileText) {
        switch last {
        case nil: text.add("<trkseg>\n")
        case let last? where TrackGap.lies(between: last, and: point): text.add("</trkseg>\n<trkseg>\n")
        case .some: break
        }
        last = point
        text.add("<trkpt")
        addPlace(of: point, &text)
        text.add("</trkpt>\n")
    }

    mutating func endFlight(_ text: inout FileText) {
        endTrack(&text)
        beginTrack("\(flight.serial) \(Self.afterLanding)", &text)
    }

    mutating func end(_ text: inout FileText) {
        endTrack(&text)
        text.add("</gpx>\n")
    }

    private mutating func endTrack(_ text: inout FileText) {
        if last != nil { text.add("</trkseg>\n") }
        last = nil
        text.add("</trk>\n")
    }

    /// ` lat="46.820000" lon="6.940000"><ele>30000.0</ele><time>…</time>`
    private func addPlace(of point: TrackPoint, _ text: inout FileText) {
        text.add(" lat=\"")
        text.add(latitude: point.coordinate.latitude)
        text.add("\" lon=\"")
        text.add(longitude: point.coordinate.longitude)
        text.add("\"><ele>")
        text.add(altitudeMetres: point.altitudeMetres)
        text.add("</ele><time>")
        text.add(point.time)
        text.add("</time>")
    }
}
