import FlightMath

/// The parts that all KML documents share.
enum KML {
    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2"><Document>
        """
    static let tail = "</Document></kml>\n"
    static let lineBegin = "<LineString><altitudeMode>absolute</altitudeMode><coordinates>"
    static let lineEnd = "</coordinates></LineString>\n"

    /// - Parameter color: alpha, blue, green, red, in hex.
    static func style(_ id: String, color: String) -> String {
        "<Style id=\"\(id)\"><LineStyle><color>\(color)</color><width>3</width></LineStyle></Style>\n"
    }

    static func addPoint(_ point: TrackPoint, _ text: inout FileText) {
        text.add("<Point><altitudeMode>absolute</altitudeMode><coordinates>")
        text.addPlace(of: point)
        text.add("</coordinates></Point>\n")
    }

    /// A place with its time and height.
    static func addPlacemark(_ name: String, at point: TrackPoint, _ text: inout FileText) {
        text.add("<Placemark><name>")
        text.add(escaped: name)
        text.add("</name><TimeStamp><when>")
        text.add(point.time)
        text.add("</when></TimeStamp>")
        addPoint(point, &text)
        text.add("</Placemark>\n")
    }

    /// A place on the ground.
    static func addPlacemark(_ name: String, at place: Coordinate, _ text: inout FileText) {
        text.add("<Placemark><name>")
        text.add(escaped: name)
        text.add("</name><Point><altitudeMode>clampToGround</altitudeMode><coordinates>")
        text.add(longitude: place.longitude)
        text.add(",")
        text.add(latitude: place.latitude)
        text.add("</coordinates></Point></Placemark>\n")
    }

    /// Adds a line; nothing if there are fewer than two points.
    static func addLine(
        _ name: String, style: String, through points: some Collection<TrackPoint>, _ text: inout FileText
    ) {
        guard points.count > 1 else { return }
        text.add("<Placemark><name>")
        text.add(escaped: name)
        text.add("</name><styleUrl>#\(style)</styleUrl>\(lineBegin)")
        for point in points {
            text.addPlace(of: point)
            text.add("\n")
        }
        text.add("\(lineEnd)</Placemark>\n")
    }
}
