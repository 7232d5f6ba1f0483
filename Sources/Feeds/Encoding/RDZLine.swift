package import FlightMath
public import Gateway
import ReceiverProtocol

/// The lines of rdz_ttgo_sonde's app feed (TCP 14570), as the rdzwx-go app reads them.
///
/// The app cuts the stream at each `}`, so no text may contain one. After 10 s without a line the app considers the
/// connection dead. It shows a missing member as `undefined` or `NaN`. So an unknown value is 0 or empty, as
/// rdz_ttgo_sonde sends it, and `validPos` says which values are known. Units are SI, but `rssi` is -2 × dBm.
public enum RDZLine {
    /// A position up to this age is current: `"res":0`.
    private static let currentLimit = Duration.seconds(10)
    /// The bits of `validPos`: latitude, longitude and altitude; climb; speed; direction; and "these values are old".
    private static let (place, climb, speed, direction, old): (Int64, Int64, Int64, Int64, Int64) = (7, 8, 16, 32, 0x80)

    /// - Parameters:
    ///   - sonde: the sonde with its last position of any age; nil if it has no position.
    ///   - listeningMHz: the receiver's frequency, MHz.
    package static func line(_ sonde: FeedSonde?, car: CarPosition?, listeningMHz: Double?) -> [UInt8] {
        var line = Members()
        line.add("type", sonde?.sondeType?.name ?? "")
        line.add("id", sonde?.serial.canonical ?? "")
        line.add("ser", sonde?.serial.canonical ?? "")
        line.add("time", (sonde?.time.millisecondsSince1970 ?? 0) / 1000)
        line.add("lat", sonde?.coordinate.latitude ?? 0, decimals: 6)
        line.add("lon", sonde?.coordinate.longitude ?? 0, decimals: 6)
        line.add("alt", sonde?.altitudeMetres ?? 0, decimals: 1)
        for key in ["vs", "climb"] { line.add(key, sonde?.verticalSpeed ?? 0, decimals: 2) }
        for key in ["hs", "speed"] { line.add(key, sonde?.horizontalSpeed ?? 0, decimals: 2) }
        line.add("dir", sonde?.courseDegrees ?? 0, decimals: 1)
        if let celsius = sonde?.temperatureCelsius { line.add("temp", celsius, decimals: 1) }
        line.add("freq", sonde?.frequencyMHz ?? listeningMHz ?? 0, decimals: 3)
        line.add("rssi", sonde?.rssiDBm.map { -2 * $0 } ?? 0, decimals: 1)
        line.add("afc", Int64(sonde?.afcHz ?? 0))
        for (key, none) in neverKnown { line.add(key, none) }
        line.add("launchsite", "")
        let isCurrent = sonde.map { $0.age <= currentLimit } ?? false
        line.add("res", isCurrent ? 0 : 1)
        line.add("active", 1)
        line.add("validId", sonde == nil ? 0 : 1)
        line.add("validPos", valid(sonde, isCurrent: isCurrent))
        if let car {
            line.add("gpslat", car.coordinate.latitude, decimals: 6)
            line.add("gpslon", car.coordinate.longitude, decimals: 6)
            if let metres = car.altitudeMetres { line.add("gpsalt", metres, decimals: 0) }
            if let metres = car.accuracyMetres { line.add("gpsacc", metres, decimals: 0) }
            if let course = car.courseDegrees { line.add("gpsdir", course, decimals: 0) }
        }
        return line.closed
    }

    /// The members that no report has, with the value that rdz_ttgo_sonde sends then.
    private static let neverKnown: [(key: String, none: Int64)] = [
        ("frame", 0), ("vframe", 0), ("sats", 0), ("launchKT", 65_535), ("burstKT", 65_535), ("countKT", 65_535),
        ("crefKT", 0),
    ]

    /// `validPos`: which of the values are known.
    private static func valid(_ sonde: FeedSonde?, isCurrent: Bool) -> Int64 {
        guard let sonde else { return 0 }
        return place | (sonde.verticalSpeed == nil ? 0 : climb) | (sonde.horizontalSpeed == nil ? 0 : speed)
            | (sonde.courseDegrees == nil ? 0 : direction) | (isCurrent ? 0 : old)
    }

    /// The phone's own position in a line from the app; nil if the line holds none.
    ///
    /// `hdop` is the accuracy in metres, according to the app's author. The altitude is ignored: it is above the
    /// ellipsoid, which is about 50 m off in Central Europe. A course of exactly 0 means that there is none: Android
    /// sends it while the phone rests.
    public static func carFix(in line: some Collection<UInt8>) -> CarFix? {
        guard let object = FeedObject(line), let place = object.coordinate("lat", "lon") else { return nil }
        return CarFix(
            source: .rdz, coordinate: place, courseDegrees: object.course("course").flatMap { $0 == 0 ? nil : $0 },
            accuracyMetres: object[number: "hdop"].flatMap { $0 > 0 ? $0 : nil })
    }

    /// Formats the object by hand, because the app searches for `"lat":` and blanks, and needs a decimal point.
    private struct Members {
        private var bytes = Array("{".utf8)

        var closed: [UInt8] { bytes + Array("}\n".utf8) }

        mutating func add(_ key: String, _ value: Double, decimals: Int) {
            name(key)
            bytes.append(decimal: value, decimals: decimals)
        }

        mutating func add(_ key: String, _ value: Int64) {
            name(key)
            bytes.append(contentsOf: String(value).utf8)
        }

        /// Adds a text reduced to printable ASCII, without quotes, backslashes and braces.
        mutating func add(_ key: String, _ text: String) {
            name(key)
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: text.utf8.filter { 0x20..<0x7F ~= $0 && !#""\{}"#.utf8.contains($0) })
            bytes.append(UInt8(ascii: "\""))
        }

        private mutating func name(_ key: String) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: "\"\(key)\": ".utf8)
        }
    }
}
