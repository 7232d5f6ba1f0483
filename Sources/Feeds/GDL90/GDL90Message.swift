package import FlightMath
package import ReceiverProtocol

/// The GDL 90 messages for a sonde and its chasers, without framing (Public ICD 560-1058-00 and ForeFlight's
/// extension).
public enum GDL90Message {
    /// A position older than this is not sent.
    static let freshLimit = Duration.seconds(60)
    /// A SondeHub position above this age is marked as extrapolated.
    private static let exactLimit = Duration.seconds(5)
    private static let feet = 1 / 0.3048
    private static let knots = 3600 / 1852.0

    // MARK: - The gateway

    /// - Parameters:
    ///   - time: the message contains its seconds of the day, UTC.
    ///   - hasPosition: whether the car has a fix.
    package static func heartbeat(at time: WallTime, isClockSynced: Bool, hasPosition: Bool) -> [UInt8] {
        let day: Int64 = 86_400_000
        let seconds = ((time.millisecondsSince1970 % day + day) % day) / 1000
        return heartbeat(
            status: hasPosition ? 0x81 : 0x01, timeStatus: isClockSynced ? 0x01 : 0, secondsOfDay: Int(seconds),
            counts: 0)
    }

    /// - Parameters:
    ///   - timeStatus: its highest bit is replaced by the 17th bit of the seconds.
    ///   - counts: the counts of received messages, two bytes.
    package static func heartbeat(status: UInt8, timeStatus: UInt8, secondsOfDay: Int, counts: UInt16) -> [UInt8] {
        [
            0, status, timeStatus & 0x7F | (secondsOfDay & 0x1_0000 == 0 ? 0 : 0x80),
            UInt8(truncatingIfNeeded: secondsOfDay), UInt8(truncatingIfNeeded: secondsOfDay >> 8),
            UInt8(truncatingIfNeeded: counts >> 8), UInt8(truncatingIfNeeded: counts),
        ]
    }

    /// ForeFlight's ID message: names this device, and states that altitudes are above mean sea level.
    package static let identity: [UInt8] = {
        var message: [UInt8] = [0x65, 0, 1]
        message.append(contentsOf: repeatElement(0xFF, count: 8))
        message.append(contentsOf: "SondyGo sondygo2mqtt    ".utf8)
        message.append(contentsOf: [0, 0, 0, 1])
        return message
    }()

    // MARK: - The sonde

    /// The sonde's traffic report; nil if the position is too old, or above the limit.
    /// - Parameter highestMetres: the limit, metres; nil for none.
    package static func traffic(_ sonde: FeedSonde, highestMetres: Double?) -> [UInt8]? {
        guard sonde.age <= freshLimit, sonde.altitudeMetres <= highestMetres ?? .infinity else { return nil }
        let isAirborne = sonde.phase != .landed
        let isExtrapolated = sonde.source == .sondehub && sonde.age > exactLimit
        // True also if nobody saw the burst.
        let hasFallen = sonde.burstAt != nil || sonde.hasDescended
        var target = GDL90Target(
            address: address(of: sonde.serial), coordinate: sonde.coordinate,
            flags: (isAirborne ? 8 : 0) | (isExtrapolated ? 4 : 0) | (sonde.courseDegrees == nil ? 0 : 1),
            emitter: (hasFallen ? GDL90Target.Emitter.parachutist : .lighterThanAir).rawValue,
            callSign: callSign(of: sonde.serial))
        target.altitudeFeet = sonde.altitudeMetres * feet
        target.knots = sonde.horizontalSpeed.map { $0 * knots }
        target.feetPerMinute = sonde.verticalSpeed.map { $0 * 60 * feet }
        target.trackDegrees = sonde.courseDegrees
        return target.message
    }

    /// A stable address for the sonde, outside the blocks that states assign.
    package static func address(of serial: SondeSerial) -> UInt32 {
        let hash = serial.canonical.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return (hash >> 24 ^ hash & 0xFF_FFFF) | 0xF0_0000
    }

    /// The last eight letters and digits of the serial.
    package static func callSign(of serial: SondeSerial) -> String {
        let kept = serial.canonical.uppercased().utf8.filter {
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        }
        return String(decoding: kept.suffix(8), as: UTF8.self)
    }

    // MARK: - The car

    /// The mark of a gateway's ownship report, by which a gateway knows its own.
    static let (carAddressType, carAddress, carCallSign): (UInt8, UInt32, String) = (1, 0xF0_0001, "CHASECAR")

    /// The car's ownship report. It has no altitude: the field means a barometric altitude, and flight bags would
    /// compare all traffic with a wrong one.
    package static func ownship(_ car: CarPosition) -> [UInt8] {
        var target = GDL90Target(
            address: carAddress, coordinate: car.coordinate, flags: car.courseDegrees == nil ? 0 : 1,
            emitter: GDL90Target.Emitter.surfaceVehicle.rawValue, callSign: carCallSign)
        target.kind = .ownship
        target.addressType = carAddressType
        target.knots = car.speed.map { $0 * knots }
        target.trackDegrees = car.courseDegrees
        return target.message
    }

    /// The car's altitude above mean sea level, in steps of 5 ft. Its accuracy is sent as unknown.
    package static func ownshipAltitude(metres: Double) -> [UInt8] {
        let steps = min(32_767, max(-32_768, (metres * feet / 5).rounded()))
        let value = Int(exactly: steps) ?? 0
        return [11, UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value), 0x7F, 0xFF]
    }

    // MARK: - A second

    /// The datagram for one second.
    package static func datagram(
        _ sonde: FeedSonde?, ownship car: CarPosition?, at now: Moment, hasPosition: Bool, highestMetres: Double?
    ) -> [UInt8] {
        var messages = [
            heartbeat(at: now.wall, isClockSynced: now.isClockSynced, hasPosition: hasPosition), identity,
        ]
        if let car {
            messages.append(ownship(car))
            if let metres = car.altitudeMetres { messages.append(ownshipAltitude(metres: metres)) }
        }
        if let sonde, let traffic = traffic(sonde, highestMetres: highestMetres) { messages.append(traffic) }
        return messages.flatMap(GDL90Frame.framed)
    }

    /// The port in ForeFlight's announcement, `{"App":"ForeFlight","GDL90":{"port":4000}}`; nil if the datagram is no
    /// announcement.
    public static func announcedPort(in datagram: some Collection<UInt8>) -> Int? {
        guard let object = FeedObject(datagram), object[text: "App"] != nil else { return nil }
        let port = object[object: "GDL90"]?[integer: "port"] ?? 4000
        return 1...65_535 ~= port ? port : nil
    }
}
