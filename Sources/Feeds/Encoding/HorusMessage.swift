package import FlightMath
public import Gateway
import GatewayReports
import ReceiverProtocol

/// The messages of Horus UDP: one JSON object in a datagram, as chasemapper and its relatives take them.
public enum HorusMessage {
    private static let kilometresPerHour = 3.6

    /// The sonde. Speed in km/h, -1 where it is not known, as is the heading; metres, m/s and degrees else.
    /// - Parameter station: who hears it.
    package static func payload(_ sonde: FeedSonde, station: String) -> [UInt8] {
        var json = JSONText()
        json.field("type", "PAYLOAD_SUMMARY")
        json.field("station", station)
        json.field("callsign", callSign(of: sonde))
        json.field("latitude", sonde.coordinate.latitude, decimals: 6)
        json.field("longitude", sonde.coordinate.longitude, decimals: 6)
        json.field("altitude", sonde.altitudeMetres, decimals: 1)
        json.field("speed", sonde.horizontalSpeed.map { $0 * kilometresPerHour } ?? -1, decimals: 1)
        json.field("heading", sonde.courseDegrees ?? -1, decimals: 1)
        json.field("time", String(sonde.time.iso8601.dropFirst(11).prefix(8)))
        json.field("comment", "Radiosonde")
        if let type = sonde.sondeType { json.field("model", type.name) }
        if let megahertz = sonde.frequencyMHz {
            var text: [UInt8] = []
            text.append(decimal: megahertz, decimals: 3)
            json.field("freq", String(decoding: text, as: UTF8.self) + " MHz")
        }
        if let celsius = sonde.temperatureCelsius { json.field("temp", celsius, decimals: 1) }
        if let vertical = sonde.verticalSpeed { json.field("vel_v", vertical, decimals: 2) }
        return json.object
    }

    /// The car. A heading counts as a compass's there, also while the car stands: none is told where none is known. The
    /// altitude must be there; it is the ground below the sonde.
    package static func position(of car: CarPosition) -> [UInt8] {
        var json = JSONText()
        json.field("type", "GPS")
        json.field("latitude", car.coordinate.latitude, decimals: 6)
        json.field("longitude", car.coordinate.longitude, decimals: 6)
        json.field("altitude", car.altitudeMetres ?? 0, decimals: 1)
        if let speed = car.speed { json.field("speed", speed * kilometresPerHour, decimals: 1) }
        if let course = car.courseDegrees { json.field("heading", course, decimals: 1) }
        json.field("valid", true)
        return json.object
    }

    /// The car's position in somebody's datagram; nil when it holds none that counts.
    public static func carFix(in datagram: some Collection<UInt8>) -> CarFix? {
        guard let object = FeedObject(datagram), object[text: "type"] == "GPS", object[flag: "valid"] ?? true,
            let place = object.coordinate("latitude", "longitude")
        else { return nil }
        return CarFix(
            source: .horus, coordinate: place,
            // It must be there, so that 0 stands for what nobody knows.
            altitudeMetres: object[number: "altitude"].flatMap { $0 == 0 ? nil : $0 },
            speed: object.speed("speed", metresPerSecond: 1 / kilometresPerHour),
            courseDegrees: object.course("heading"))
    }

    /// As radiosonde_auto_rx names them: the serial, with the maker's prefix where it is digits only.
    private static func callSign(of sonde: FeedSonde) -> String {
        switch sonde.sondeType {
        case .dfm: "DFM-\(sonde.serial)"
        case .m10: "M10-\(sonde.serial)"
        case .m20: "M20-\(sonde.serial)"
        case .rs41, .rd41, .pilot, .c50, .imet4, .other, nil: sonde.serial.canonical
        }
    }
}
