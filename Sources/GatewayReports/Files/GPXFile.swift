import FlightMath
import ReceiverProtocol

/// GPX 1.1: a waypoint for each named place, and a track with a new segment after each gap. The points after the
/// landing form a second track, and the car's own way one named `car`.
struct GPXFile: FlightFileWriter {
    private let flight: ArchivedFlight
    private let marks: [FlightMarks.Mark]
    private var last: TrackPoint?
    private var lastOfCar: CarPoint?

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
            addPlace(mark.point.coordinate, altitudeMetres: mark.point.altitudeMetres, at: mark.point.time, &text)
            text.add("<name>")
            text.add(escaped: "\(flight.serial) \(mark.kind.rawValue)")
            text.add("</name></wpt>\n")
        }
        beginTrack(flight.serial.canonical, type: flight.sondeType.named?.name, &text)
    }

    private func beginTrack(_ name: String, type: String?, _ text: inout FileText) {
        text.add("<trk><name>")
        text.add(escaped: name)
        text.add("</name>")
        if let type {
            text.add("<type>")
            text.add(escaped: type)
            text.add("</type>")
        }
        text.add("\n")
    }

    mutating func add(_ point: TrackPoint, _: HeardSample?, _ text: inout FileText) {
        switch last {
        case nil: text.add("<trkseg>\n")
        case let last? where TrackGap.lies(between: last, and: point): text.add("</trkseg>\n<trkseg>\n")
        case .some: break
        }
        last = point
        addTrackPoint(point.coordinate, altitudeMetres: point.altitudeMetres, at: point.time, &text)
    }

    mutating func endFlight(_ text: inout FileText) {
        endTrack(&text)
        beginTrack("\(flight.serial) \(Self.afterLanding)", type: flight.sondeType.named?.name, &text)
    }

    mutating func add(_ point: CarPoint, _ text: inout FileText) {
        if let lastOfCar {
            if TrackGap.lies(between: lastOfCar, and: point) { text.add("</trkseg>\n<trkseg>\n") }
        } else {
            endTrack(&text)
            beginTrack("car", type: nil, &text)
            text.add("<trkseg>\n")
        }
        lastOfCar = point
        addTrackPoint(point.coordinate, altitudeMetres: point.altitudeMetres, at: point.time, &text)
    }

    mutating func end(_ text: inout FileText) {
        endTrack(&text)
        text.add("</gpx>\n")
    }

    private mutating func endTrack(_ text: inout FileText) {
        if last != nil || lastOfCar != nil { text.add("</trkseg>\n") }
        last = nil
        text.add("</trk>\n")
    }

    private func addTrackPoint(
        _ place: Coordinate, altitudeMetres: Double?, at time: WallTime, _ text: inout FileText
    ) {
        text.add("<trkpt")
        addPlace(place, altitudeMetres: altitudeMetres, at: time, &text)
        text.add("</trkpt>\n")
    }

    /// ` lat="46.820000" lon="6.940000"><ele>30000.0</ele><time>…</time>`
    private func addPlace(
        _ place: Coordinate, altitudeMetres: Double?, at time: WallTime, _ text: inout FileText
    ) {
        text.add(" lat=\"")
        text.add(latitude: place.latitude)
        text.add("\" lon=\"")
        text.add(longitude: place.longitude)
        text.add("\">")
        if let altitudeMetres {
            text.add("<ele>")
            text.add(altitudeMetres: altitudeMetres)
            text.add("</ele>")
        }
        text.add("<time>")
        text.add(time)
        text.add("</time>")
    }
}
