import FlightMath
import ReceiverProtocol

/// KML 2.2: a placemark for each named place, and one for the track, whose lines end at each gap. The points after the
/// landing form another placemark.
struct KMLFile: FlightFileWriter {
    private let flight: ArchivedFlight
    private let marks: [FlightMarks.Mark]
    private var last: TrackPoint?
    /// A line is open. If not, the last point waits for a next one to join.
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

    mutating func add(_ point: TrackPoint, _: HeardSample?, _ text: inout FileText) {
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

    mutating func add(_ point: CarPoint, _ text: inout FileText) {}

    mutating func end(_ text: inout FileText) {
        endTrack(&text)
        text.add(KML.tail)
    }

    private mutating func endTrack(_ text: inout FileText) {
        if let last { endLine(last, &text) }
        last = nil
        text.add("</MultiGeometry></Placemark>\n")
    }

    /// Ends the line. A single point becomes a point instead, because a line needs two.
    private mutating func endLine(_ last: TrackPoint, _ text: inout FileText) {
        if isLineOpen { text.add(KML.lineEnd) } else { KML.addPoint(last, &text) }
        isLineOpen = false
    }
}
