package import FlightMath
public import Gateway
import GatewayReports
import ReceiverProtocol

/// The messages of Horus UDP for chasemapper and similar programs: one JSON object in each datagram.
public enum HorusMessage {
    private static let kilometresPerHour = 3.6

    /// The sonde's message. The speed is in km/h; all else is in metres, m/s and degrees. An unknown speed or heading
    /// is -1.
    /// - Parameter station: the id of the station that hears the sonde.
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

    /// The car's message. Chasemapper treats the heading as a compass's, even when the car stands. So the heading is
    /// sent only when it is known. The altitude is mandatory: chasemapper uses it as the ground below the sonde. An
    /// unknown one is sent as 0.
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

    /// The car's position in another program's datagram; nil if it holds no valid one.
    public static func carFix(in datagram: some Collection<UInt8>) -> CarFix? {
        guard let object = FeedObject(datagram), object[text: "type"] == "GPS", object[flag: "valid"] ?? true,
            let place = object.coordinate("latitude", "longitude")
        else { return nil }
        return CarFix(
            source: .horus, coordinate: place,
            // The altitude is mandatory, so 0 means "unknown".
            altitudeMetres: object[number: "altitude"].flatMap { $0 == 0 ? nil : $0 },
            speed: object.speed("speed", metresPerSecond: 1 / kilometresPerHour),
            courseDegrees: object.course("heading"))
    }

    /// A direction finder's bearing in another program's datagram; nil if it holds no valid one.
    ///
    /// | `bearing_type` | `bearing` counts from | `latitude`, `longitude` |
    /// | --- | --- | --- |
    /// | `absolute` | true north | of the direction finder, always |
    /// | `relative` | the car's course | none: the car's |
    ///
    /// KrakenSDR turns anticlockwise; chasemapper corrects that by the source's name, too. `confidence` and `power` have no
    /// unit, so they are not used.
    public static func bearing(in datagram: some Collection<UInt8>) -> HeardBearing? {
        guard let object = FeedObject(datagram), object[text: "type"] == "BEARING",
            let degrees = object.course("bearing")
        else { return nil }
        switch object[text: "bearing_type"] {
        case "absolute":
            guard let place = object.coordinate("latitude", "longitude") else { return nil }
            return HeardBearing(degrees: degrees, isRelative: false, place: place)
        case "relative":
            let isMirrored = object[text: "source"] == "krakensdr_doa" && degrees != 0
            return HeardBearing(degrees: isMirrored ? 360 - degrees : degrees, isRelative: true)
        case nil, .some: return nil
        }
    }

    /// The sonde's name as radiosonde_auto_rx writes it: the serial, with the maker's prefix before serials that are
    /// only digits.
    private static func callSign(of sonde: FeedSonde) -> String {
        (sonde.sondeType?.callSignPrefix ?? "") + sonde.serial.canonical
    }
}
