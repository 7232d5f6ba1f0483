import FlightMath
import ReceiverProtocol

/// GeoJSON (RFC 7946): a point for each named place, and the track as a line with its `coordTimes`. The points after
/// the landing form a second line.
struct GeoJSONFile: FlightFileWriter {
    /// The most points of a line, because their times stay in memory until its end. A longer flight becomes several
    /// lines. Each begins where the last one ended.
    static let longestLine = 20_000

    private let flight: ArchivedFlight
    private let marks: [FlightMarks.Mark]
    private var times: [WallTime] = []
    private var last: TrackPoint?
    private var isFirst = true
    private var lineName = "track"

    init(_ flight: ArchivedFlight, _ marks: [FlightMarks.Mark]) {
        self.flight = flight
        self.marks = marks
    }

    mutating func begin(_ text: inout FileText) {
        text.add("{\"type\":\"FeatureCollection\",\"features\":[")
        for mark in marks {
            beginFeature("Point", &text)
            text.addPlace(of: mark.point)
            text.add("]},\"properties\":")
            var properties = self.properties(name: mark.kind.rawValue)
            properties.field("time", mark.point.time)
            text.add(String(decoding: properties.object, as: UTF8.self))
            text.add("}")
        }
    }

    mutating func add(_ point: TrackPoint, _: HeardSample?, _ text: inout FileText) {
        defer { last = point }
        guard let last else { return }
        if times.isEmpty {
            beginFeature("LineString", &text)
            addPosition(last, &text)
        }
        text.add(",\n")
        addPosition(point, &text)
        if times.count >= Self.longestLine { endLine(&text) }
    }

    mutating func endFlight(_ text: inout FileText) {
        if !times.isEmpty { endLine(&text) }
        lineName = Self.afterLanding
    }

    mutating func add(_ point: CarPoint, _ text: inout FileText) {}

    mutating func end(_ text: inout FileText) {
        if !times.isEmpty { endLine(&text) }
        text.add("\n]}\n")
    }

    private mutating func addPosition(_ point: TrackPoint, _ text: inout FileText) {
        text.add("[")
        text.addPlace(of: point)
        text.add("]")
        times.append(point.time)
    }

    private mutating func beginFeature(_ geometry: String, _ text: inout FileText) {
        text.add(isFirst ? "\n" : ",\n")
        isFirst = false
        text.add("{\"type\":\"Feature\",\"geometry\":{\"type\":\"\(geometry)\",\"coordinates\":[")
    }

    private mutating func endLine(_ text: inout FileText) {
        text.add("]},\"properties\":")
        // Write the long array directly, because `JSONText` would copy it.
        text.add(String(decoding: properties(name: lineName).object.dropLast(), as: UTF8.self))
        text.add(",\"coordTimes\":[")
        for (index, time) in times.enumerated() {
            text.add(index == 0 ? "\"" : ",\"")
            text.add(time)
            text.add("\"")
        }
        text.add("]}}")
        times.removeAll(keepingCapacity: true)
    }

    private func properties(name: String) -> JSONText {
        var json = JSONText()
        json.field("name", name)
        json.field("serial", flight.serial.canonical)
        json.field("sonde_type", flight.sondeType.named?.name)
        return json
    }
}
