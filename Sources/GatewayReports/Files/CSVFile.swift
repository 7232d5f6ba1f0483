import FlightMath

/// Comma-separated values, a line for each point. The speeds are computed between this point and the one before. They
/// are empty for the first point and after a gap of more than a minute. `after_landing` is 1 for points after the
/// landing. Points of the car's own way have the source `car`, and neither speeds nor `after_landing`.
struct CSVFile: FlightFileWriter {
    static let header =
        "time,latitude,longitude,altitude_m,horizontal_speed_mps,vertical_speed_mps,source,after_landing\n"

    private var last: TrackPoint?
    private var isAfterLanding = false

    mutating func begin(_ text: inout FileText) { text.add(Self.header) }

    mutating func add(_ point: TrackPoint, _ text: inout FileText) {
        text.add(point.time)
        text.add(",")
        text.add(latitude: point.coordinate.latitude)
        text.add(",")
        text.add(longitude: point.coordinate.longitude)
        text.add(",")
        text.add(altitudeMetres: point.altitudeMetres)
        text.add(",")
        let motion = last.flatMap { Motion(from: $0, to: point) }
        if let motion { text.add(motion.horizontalSpeed, decimals: 2) }
        text.add(",")
        if let motion { text.add(motion.verticalSpeed, decimals: 2) }
        text.add(",\(point.source.rawValue),\(isAfterLanding ? 1 : 0)\n")
        last = point
    }

    mutating func endFlight(_ text: inout FileText) { isAfterLanding = true }

    mutating func add(_ point: CarPoint, _ text: inout FileText) {
        text.add(point.time)
        text.add(",")
        text.add(latitude: point.coordinate.latitude)
        text.add(",")
        text.add(longitude: point.coordinate.longitude)
        text.add(",")
        if let altitude = point.altitudeMetres { text.add(altitudeMetres: altitude) }
        text.add(",,,car,\n")
    }

    mutating func end(_ text: inout FileText) {}
}
