import FlightMath
import ReceiverProtocol

/// What the gateway reads in a sentence of NMEA 0183.
///
///     $GPRMC,123519.00,A,4807.038,N,01131.000,E,22.4,84.4,230394,3.1,W,A*hh    time, status, place, knots, course, date
///     $GPGGA,123519.00,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*hh     time, place, quality, metres above the sea
///
/// The talker may be any: GP, GN, GL, GA, GB, GQ, II … The HDOP is not used: it has no unit, and no document says how it
/// becomes metres.
enum NMEASentence: Equatable, Sendable {
    /// RMC with a position.
    case position(Position)
    /// GGA; its place is nil without a fix.
    case fixData(FixData)
    /// RMC without a position.
    case noPosition
    /// Another sentence.
    case other

    struct Position: Equatable, Sendable {
        var place: Coordinate
        /// Milliseconds of the day, UTC; nil if unknown.
        var timeOfDay: Int?
        /// The time with its date; nil if one of them is unknown.
        var time: WallTime?
        /// Over ground, m/s.
        var speed: Double?
        /// Over ground, degrees from true north.
        var courseDegrees: Double?
    }

    struct FixData: Equatable, Sendable {
        /// Nil without a fix.
        var place: Coordinate?
        /// Milliseconds of the day, UTC; nil if unknown.
        var timeOfDay: Int?
        /// Metres above mean sea level.
        var altitudeMetres: Double?
    }

    private static let metresPerSecond = 1852.0 / 3600

    /// - Parameter sentence: from its `$` or `!` up to the two digits of the checksum.
    /// - Returns: nil if the checksum is wrong, or a field that matters can't be read.
    init?(_ sentence: [UInt8]) {
        guard sentence.count >= 4, sentence[sentence.count - 3] == UInt8(ascii: "*"),
            let high = Self.hex(sentence[sentence.count - 2]), let low = Self.hex(sentence[sentence.count - 1])
        else { return nil }
        let body = sentence[1..<(sentence.count - 3)]
        guard body.reduce(0, ^) == high << 4 | low else { return nil }
        let fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        // A maker's own sentences begin with P. One of them is Garmin's PGRMC.
        guard let address = fields.first, address.count == 5, address.first != UInt8(ascii: "P") else {
            self = .other
            return
        }
        switch String(decoding: address.suffix(3), as: UTF8.self) {
        case "RMC": self.init(recommendedMinimum: fields)
        case "GGA": self.init(fixData: fields)
        default: self = .other
        }
    }

    // MARK: - The two sentences

    private init?(recommendedMinimum fields: [ArraySlice<UInt8>]) {
        guard fields.count >= 10 else { return nil }
        let mode = fields.count > 12 ? Self.text(fields[12]) : ""
        switch Self.text(fields[2]) {
        case "A" where mode != "N": break
        case "A", "V", "":
            self = .noPosition
            return
        default: return nil
        }
        guard let place = Self.place(fields[3...6]) else { return nil }
        self = .position(
            Position(
                place: place, timeOfDay: Self.timeOfDay(fields[1]), time: Self.time(fields[1], date: fields[9]),
                speed: Self.number(fields[7]).map { $0 * Self.metresPerSecond }, courseDegrees: Self.number(fields[8])))
    }

    private init?(fixData fields: [ArraySlice<UInt8>]) {
        guard fields.count >= 10 else { return nil }
        let timeOfDay = Self.timeOfDay(fields[1])
        switch Self.text(fields[6]) {
        case "0", "": self = .fixData(FixData(timeOfDay: timeOfDay))
        case "1", "2", "3", "4", "5", "6", "7", "8", "9":
            guard let place = Self.place(fields[2...5]) else { return nil }
            let isInMetres = fields.count > 10 && Self.text(fields[10]) == "M"
            self = .fixData(
                FixData(
                    place: place, timeOfDay: timeOfDay, altitudeMetres: isInMetres ? Self.number(fields[9]) : nil))
        default: return nil
        }
    }

    // MARK: - Fields

    private static func text(_ field: ArraySlice<UInt8>) -> String { String(decoding: field, as: UTF8.self) }

    private static func number(_ field: ArraySlice<UInt8>) -> Double? { PlainDecimal.parse(field.span) }

    /// `4807.038,N,01131.000,E`: degrees and minutes.
    private static func place(_ fields: ArraySlice<ArraySlice<UInt8>>) -> Coordinate? {
        let fields = Array(fields)
        guard let latitude = degrees(fields[0], most: 90), let longitude = degrees(fields[2], most: 180) else {
            return nil
        }
        switch (text(fields[1]), text(fields[3])) {
        case ("N", "E"): return Coordinate(latitude: latitude, longitude: longitude)
        case ("N", "W"): return Coordinate(latitude: latitude, longitude: -longitude)
        case ("S", "E"): return Coordinate(latitude: -latitude, longitude: longitude)
        case ("S", "W"): return Coordinate(latitude: -latitude, longitude: -longitude)
        default: return nil
        }
    }

    private static func degrees(_ field: ArraySlice<UInt8>, most: Double) -> Double? {
        guard let value = number(field), value >= 0 else { return nil }
        let whole = (value / 100).rounded(.down)
        let minutes = value - whole * 100
        let degrees = whole + minutes / 60
        return minutes < 60 && degrees <= most ? degrees : nil
    }

    /// `123519.5`: milliseconds of the day.
    private static func timeOfDay(_ field: ArraySlice<UInt8>) -> Int? {
        guard let value = number(field), field.count >= 6, value >= 0, value < 240_000,
            let whole = Int(exactly: value.rounded(.down))
        else { return nil }
        let (hour, minute, second) = (whole / 10_000, whole / 100 % 100, whole % 100)
        guard minute < 60, second < 61 else { return nil }
        let thousandths = Int(exactly: ((value - Double(whole)) * 1000).rounded()) ?? 0
        return ((hour * 60 + minute) * 60 + second) * 1000 + thousandths
    }

    /// - Parameter date: `230394`. Years from 80 on are those of the last century.
    private static func time(_ field: ArraySlice<UInt8>, date: ArraySlice<UInt8>) -> WallTime? {
        guard date.count == 6, field.count >= 6 else { return nil }
        let (day, clock) = (text(date), text(field))
        func pair(_ text: String, _ offset: Int) -> Substring { text.dropFirst(offset).prefix(2) }
        let year = pair(day, 4)
        return WallTime(
            iso8601: (year < "80" ? "20" : "19") + "\(year)-\(pair(day, 2))-\(pair(day, 0))"
                + "T\(pair(clock, 0)):\(pair(clock, 2)):\(clock.dropFirst(4))Z")
    }

    private static func hex(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
