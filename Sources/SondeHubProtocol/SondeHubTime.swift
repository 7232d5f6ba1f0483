public import FlightMath

/// The format of times in SondeHub's records: `2025-12-11T13:09:26.001000Z`, with any number of decimals.
public enum SondeHubTime {
    /// GPS time is ahead of UTC by the leap seconds since 1980; 18 since 2017.
    static let leapMilliseconds: Int64 = 18_000

    /// - Returns: nil for any text but an ISO 8601 time in UTC.
    static func parse(_ text: Span<UInt8>) -> WallTime? {
        guard text.count >= 20, text.count <= 40, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: " "), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), let year = number(text, 0..<4), let month = number(text, 5..<7),
            let day = number(text, 8..<10), let hour = number(text, 11..<13), let minute = number(text, 14..<16),
            let second = number(text, 17..<19), 1970...2200 ~= year, 1...12 ~= month, 1...31 ~= day, hour < 24,
            minute < 60, second < 61, let milliseconds = fraction(text)
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        return WallTime(millisecondsSince1970: seconds * 1000 + milliseconds)
    }

    /// Reads `Thu, 11 Dec 2025 13:09:26 GMT`; nil for any other text.
    public static func parseHTTPDate(_ text: String) -> WallTime? {
        let words = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        let iso = "\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z"
        return parse(Array(iso.utf8).span)
    }

    /// - Returns: nil for a time outside 1970 to 2200.
    static func instant(unixSeconds: Double) -> WallTime? {
        guard 0..<7_258_118_400 ~= unixSeconds else { return nil }
        return WallTime(millisecondsSince1970: Int64((unixSeconds * 1000).rounded()))
    }

    private static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for index in range {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    /// The milliseconds in the text behind the seconds: `.001000Z`, `Z` or `+00:00`; nil for any other text.
    private static func fraction(_ text: Span<UInt8>) -> Int64? {
        var index = 19
        var milliseconds: Int64 = 0
        if text[index] == UInt8(ascii: ".") {
            var weight: Int64 = 100
            index += 1
            while index < text.count, case let digit = text[index] &- UInt8(ascii: "0"), digit <= 9 {
                milliseconds += Int64(digit) * weight
                weight /= 10
                index += 1
            }
        }
        let zone = text.extracting(index..<text.count).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return zone == "Z" || zone == "+00:00" ? milliseconds : nil
    }

    /// The days from 1970 to a date of the Gregorian calendar, computed by eras of 400 years that begin on 1 March.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = marchYear / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
