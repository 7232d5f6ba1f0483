import FlightMath
import ReceiverProtocol

/// Comma-separated values, a line for each point. The speeds are computed between this point and the one before. They
/// are empty for the first point and after a gap of more than a minute. `after_landing` is 1 for points after the
/// landing. The columns from `rssi_dbm` on tell how the sonde was heard in that second. Points of the car's own way have
/// the source `car`, and neither speeds nor `after_landing`.
struct CSVFile: FlightFileWriter {
    static let header =
        "time,latitude,longitude,altitude_m,horizontal_speed_mps,vertical_speed_mps,source,after_landing,"
        + sampleColumns
        + "\n"
    /// The columns of a sample.
    static let sampleColumns =
        "rssi_dbm,afc_hz,frequency_mhz,receiver_battery_v,azimuth_deg,distance_m,temperature_c,humidity_pct,pressure_hpa"
    private static let withoutSample = String(repeating: ",", count: 9)

    private var last: TrackPoint?
    private var isAfterLanding = false

    mutating func begin(_ text: inout FileText) { text.add(Self.header) }

    mutating func add(_ point: TrackPoint, _ sample: HeardSample?, _ text: inout FileText) {
        addPlace(point.coordinate, altitudeMetres: point.altitudeMetres, at: point.time, &text)
        text.add(",")
        let motion = last.flatMap { Motion(from: $0, to: point) }
        if let motion { text.add(motion.horizontalSpeed, decimals: 2) }
        text.add(",")
        if let motion { text.add(motion.verticalSpeed, decimals: 2) }
        text.add(",\(point.source.rawValue),\(isAfterLanding ? 1 : 0)")
        if let sample { text.add(sample) } else { text.add(Self.withoutSample) }
        text.add("\n")
        last = point
    }

    mutating func endFlight(_ text: inout FileText) { isAfterLanding = true }

    mutating func add(_ point: CarPoint, _ text: inout FileText) {
        addPlace(point.coordinate, altitudeMetres: point.altitudeMetres, at: point.time, &text)
        text.add(",,,car,\(Self.withoutSample)\n")
    }

    mutating func end(_ text: inout FileText) {}

    /// `2026-01-02T03:04:05.000Z,46.820000,6.940000,30000.0`
    private func addPlace(
        _ place: Coordinate, altitudeMetres: Double?, at time: WallTime, _ text: inout FileText
    ) {
        text.add(time)
        text.add(",")
        text.add(latitude: place.latitude)
        text.add(",")
        text.add(longitude: place.longitude)
        text.add(",")
        if let altitudeMetres { text.add(altitudeMetres: altitudeMetres) }
    }
}

extension FileText {
    /// Adds the values of ``CSVFile/sampleColumns``, each behind a comma; what is unknown is empty.
    mutating func add(_ sample: HeardSample) {
        let values: [(Double?, decimals: Int)] = [
            (sample.rssiDBm, 1), (sample.afcHz.map { Double($0) }, 0), (sample.frequencyMHz, 3),
            (sample.receiverMillivolts.map { Double($0) / 1000 }, 3), (sample.view?.azimuthDegrees, 1),
            (sample.view?.distanceMetres, 0), (sample.temperatureCelsius, 1), (sample.humidityPercent, 1),
            (sample.pressureHectopascal, 1),
        ]
        for (value, decimals) in values {
            add(",")
            if let value { add(value, decimals: decimals) }
        }
    }
}
