/// A point in UTC, to the millisecond.
public struct WallTime: Hashable, Comparable, Codable, Sendable {
    public var millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    public init(from decoder: any Decoder) throws {
        millisecondsSince1970 = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(millisecondsSince1970)
    }

    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The latest of several times; nil if all are nil.
    public static func latest(_ times: WallTime?...) -> WallTime? { times.compactMap { $0 }.max() }

    /// Seconds from `earlier` to this instant; negative if `earlier` is the later one.
    public func seconds(since earlier: WallTime) -> Double {
        Double(millisecondsSince1970 &- earlier.millisecondsSince1970) / 1000
    }

    /// Whole seconds since 1970, rounded down.
    public var wholeSeconds: Int64 { Self.floorDivide(millisecondsSince1970, by: 1000) }

    public func advanced(byMilliseconds milliseconds: Int64) -> WallTime {
        WallTime(millisecondsSince1970: millisecondsSince1970 &+ milliseconds)
    }

    /// ISO 8601 in UTC with milliseconds: `2026-11-21T13:09:26.001Z`.
    public var iso8601: String {
        var bytes: [UInt8] = []
        appendISO8601(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Computes with whole numbers. Foundation's formatter uses a `Double` of seconds, which can lose the last
    /// millisecond.
    public func appendISO8601(to bytes: inout [UInt8]) {
        let day = Self.floorDivide(millisecondsSince1970, by: 86_400_000)
        let ofDay = millisecondsSince1970 &- day &* 86_400_000
        let (year, month, dayOfMonth) = Self.civil(daysSince1970: day)
        func append(_ value: Int64, width: Int, then end: Unicode.Scalar) {
            bytes.append(digits: UInt(value.magnitude), width: width)
            bytes.append(UInt8(ascii: end))
        }
        append(year, width: 4, then: "-")
        append(month, width: 2, then: "-")
        append(dayOfMonth, width: 2, then: "T")
        append(ofDay / 3_600_000, width: 2, then: ":")
        append(ofDay / 60_000 % 60, width: 2, then: ":")
        append(ofDay / 1000 % 60, width: 2, then: ".")
        append(ofDay % 1000, width: 3, then: "Z")
    }

    private static func floorDivide(_ value: Int64, by divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((divisor - 1 &- value) / divisor)
    }

    /// The proleptic Gregorian date, computed in eras of 400 years that begin on 1 March.
    private static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days &+ 719_468
        let era = floorDivide(shifted, by: 146_097)
        let dayOfEra = shifted &- era &* 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
