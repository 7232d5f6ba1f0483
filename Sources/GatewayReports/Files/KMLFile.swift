import FlightMath
import ReceiverProtocol

/// KML 2.2: a placemark for each named place, and the track as lines that end at each gap; another placemark for what lies
/// behind the landing.
struct KMLFile: FlightFileWriter {
    private let flight: ArchivedFlight
    private let marks: [FlightMarks.Mark]
    private var last: TrackPoint?
    /// A line is open; else the last point waits for one that it can be joined to.
    private var isLineOpen = false

    init(_ flight: ArchivedFlight, _ marks: [FlightMarks.Mark]) {
        self.flight = flight
        self.marks = marks
    }

    mutating func begin(_ text: inout FileText) {
        text.add(KML.head)
        text.add("<name>")
        text.add(escaped: flight.serial.canonical)
        text.add("</name>\n")
        text.add(KML.style("track", color: "ff0055ff"))
        for mark in marks {
            KML.addPlacemark("\(flight.serial) \(mark.kind.rawValue)", at: mark.point, &text)
        }
        beginTrack(flight.serial.canonical, &text)
    }

    private func beginTrack(_ name: String, _ text: inout FileText) {
        text.add("<Placemark><name>")
        text.add(escaped: name)
        text.add("</name><styleUrl>#track</styleUrl><MultiGeometry>\n")
    }

    mutating func add(_ point: TrackPoint, _ text: inout FileText) {
        defer { last = point }
        guard let last else { return }
        if TrackGap.lies(between: last, and: point) { return endLine(last, &text) }
        if !isLineOpen {
            text.add(KML.lineBegin)
            text.addPlace(of: last)
            isLineOpen = true
        }
        text.add("\n")
        text.addPlace(of: point)
    }

    mutating func endFlight(_ text: inout FileText) {
        endTrack(&text)
        beginTrack("\(flight.serial) \(Self.afterLanding)", &text)
    }

    mutating func end(_ text: inout FileText) {
        endTrack(&text)
        text.add(KML.tail)
    }

    private mutating func endTrack(_ text: inout FileText) {
        if let last { endLine(last, &text) }
        last = nil
        text.add("</MultiGeometry></Placemark>\n")
    }

    /// A line has two points at least: one that stands alone is a point.
    private mutating func endLine(_ last: TrackPoint, _ text: inout FileText) {
        if isLineOpen { text.add(KML.lineEnd) } else { KML.addPoint(last, &text) }
        isLineOpen = false
    }
}
