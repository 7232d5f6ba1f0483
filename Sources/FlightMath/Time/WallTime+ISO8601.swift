import ReceiverProtocol

extension WallTime {
    /// Reads a time as gpsd writes it: `2026-11-22T10:00:00.000Z`, with any number of decimals or none.
    /// - Returns: nil for a text of another shape, for years outside 1970 to 2200, and for a day that the month does not
    ///   have.
    public init?(iso8601 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40, bytes.last == UInt8(ascii: "Z"),
            bytes[10] == UInt8(ascii: "T"), [bytes[4], bytes[7]] == Array("--".utf8),
            [bytes[13], bytes[16]] == Array("::".utf8), let year = Self.number(bytes[0..<4]),
            let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
            let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19]), 1970...2200 ~= year,
            1...12 ~= month, 1...Self.days(of: month, year) ~= day, hour < 24, minute < 60, second < 61
        else { return nil }
        var milliseconds: Int64 = 0
        if bytes[19] == UInt8(ascii: ".") {
            let decimals = bytes[20..<(bytes.count - 1)]
            guard !decimals.isEmpty, decimals.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            var scale: Int64 = 100
            for digit in decimals.prefix(3) {
                milliseconds += Int64(digit - 0x30) * scale
                scale /= 10
            }
        } else if bytes.count != 20 {
            return nil
        }
        // The days since 1970. Count years from March, so that a leap day is the last day of a year.
        let shifted = month > 2 ? year : year - 1
        let yearDay = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + yearDay - 719_468
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        self.init(millisecondsSince1970: seconds * 1000 + milliseconds)
    }

    private static func days(of month: Int64, _ year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard 0x30...0x39 ~= digit else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return value
    }
}
