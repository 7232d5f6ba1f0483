package import FlightMath
package import ReceiverProtocol

/// The messages of GDL 90 (Public ICD 560-1058-00, ForeFlight's extension) that a sonde and its chasers need, unframed.
public enum GDL90Message {
    /// Not sent when it is older (specification 8).
    static let freshLimit = Duration.seconds(60)
    /// A position of SondeHub older than this counts as extrapolated.
    private static let exactLimit = Duration.seconds(5)
    private static let feet = 1 / 0.3048
    private static let knots = 3600 / 1852.0

    // MARK: - Who is here

    /// - Parameters:
    ///   - time: seconds of the day, UTC, are in it.
    ///   - hasPosition: the car has a fix.
    package static func heartbeat(at time: WallTime, isClockSynced: Bool, hasPosition: Bool) -> [UInt8] {
        let day: Int64 = 86_400_000
        let seconds = ((time.millisecondsSince1970 % day + day) % day) / 1000
        return heartbeat(
            status: hasPosition ? 0x81 : 0x01, timeStatus: isClockSynced ? 0x01 : 0, secondsOfDay: Int(seconds),
            counts: 0)
    }

    /// - Parameters:
    ///   - timeStatus: its highest bit is the seconds' 17th and set from there.
    ///   - counts: of messages received, two bytes.
    package static func heartbeat(status: UInt8, timeStatus: UInt8, secondsOfDay: Int, counts: UInt16) -> [UInt8] {
        [
            0, status, timeStatus & 0x7F | (secondsOfDay & 0x1_0000 == 0 ? 0 : 0x80),
            UInt8(truncatingIfNeeded: secondsOfDay), UInt8(truncatingIfNeeded: secondsOfDay >> 8),
            UInt8(truncatingIfNeeded: counts >> 8), UInt8(truncatingIfNeeded: counts),
        ]
    }

    /// ForeFlight's: who this is, and that heights are above mean sea level.
    package static let identity: [UInt8] =
        [0x65, 0, 1] + [UInt8](repeating: 0xFF, count: 8) + Array("SondyGo ".utf8) + Array("sondygo2mqtt    ".utf8)
        + [0, 0, 0, 1]

    // MARK: - The sonde

    /// Nil when it must not be shown: too old, or too high for who doesn't want to see it.
    /// - Parameter highestMetres: nil shows everything.
    package static func traffic(_ sonde: FeedSonde, highestMetres: Double?) -> [UInt8]? {
        guard sonde.age <= freshLimit, sonde.altitudeMetres <= highestMetres ?? .infinity else { return nil }
        let isAirborne = sonde.phase != .landed
        let isExtrapolated = sonde.source == .sondehub && sonde.age > exactLimit
        // Also where nobody saw the burst.
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

    /// Outside the blocks of all states, the same for a sonde always.
    package static func address(of serial: SondeSerial) -> UInt32 {
        let hash = serial.canonical.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return (hash >> 24 ^ hash & 0xFF_FFFF) | 0xF0_0000
    }

    /// The last eight letters and digits.
    package static func callSign(of serial: SondeSerial) -> String {
        let kept = serial.canonical.uppercased().utf8.filter {
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        }
        return String(decoding: kept.suffix(8), as: UTF8.self)
    }

    // MARK: - The car

    /// The car as ownship, without an altitude: the field means the barometer's, and a wrong one would make that of all
    /// others wrong.
    package static func ownship(_ car: CarPosition) -> [UInt8] {
        var target = GDL90Target(
            address: 0xF0_0001, coordinate: car.coordinate, flags: car.courseDegrees == nil ? 0 : 1,
            emitter: GDL90Target.Emitter.surfaceVehicle.rawValue, callSign: "CHASECAR")
        target.kind = .ownship
        target.knots = car.speed.map { $0 * knots }
        target.trackDegrees = car.courseDegrees
        return target.message
    }

    /// Its height above mean sea level, in steps of 5 ft; how good it is, is not known.
    package static func ownshipAltitude(metres: Double) -> [UInt8] {
        let steps = min(32_767, max(-32_768, (metres * feet / 5).rounded()))
        let value = Int(exactly: steps) ?? 0
        return [11, UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value), 0x7F, 0xFF]
    }

    // MARK: - A second

    /// The datagram of one second.
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

    /// The port in ForeFlight's own announcement, `{"App":"ForeFlight","GDL90":{"port":4000}}`; nil when it is none.
    public static func announcedPort(in datagram: some Collection<UInt8>) -> Int? {
        guard let object = FeedObject(datagram), object[text: "App"] != nil else { return nil }
        let port = object[object: "GDL90"]?[integer: "port"] ?? 4000
        return 1...65_535 ~= port ? port : nil
    }
}
