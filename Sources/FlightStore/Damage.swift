import FlightMath
import GRDB

/// The store holds a value that the gateway never writes, so the file is damaged.
struct Damage: Error, CustomStringConvertible {
    var description: String
}

/// The ranges of stored values. The writer keeps to them; the reader takes a value outside for damage.
enum Plausible {
    static let keys: ClosedRange<Int64> = 1...(1 << 60)
    /// Milliseconds from 1970, where a clock without a battery begins, to the year 9999.
    static let times: ClosedRange<Int64> = 0...253_402_300_799_999
    static let latitudes = -90.0...90
    static let longitudes = -180.0...180
    /// Metres.
    static let altitudes = -10_000.0...200_000
}

// Unlike GRDB's subscripts, these functions never trap on a value of another type.
extension Row {
    func integer(_ column: Int, _ name: String, in range: ClosedRange<Int64>) throws -> Int64 {
        guard case .int64(let value) = value(column).storage, range.contains(value) else { throw damage(column, name) }
        return value
    }

    func real(_ column: Int, _ name: String, in range: ClosedRange<Double>) throws -> Double {
        guard case .double(let value) = value(column).storage, range.contains(value) else { throw damage(column, name) }
        return value
    }

    func text(_ column: Int, _ name: String) throws -> String {
        guard case .string(let value) = value(column).storage else { throw damage(column, name) }
        return value
    }

    func bytes(_ column: Int, _ name: String) throws -> [UInt8] {
        guard case .blob(let value) = value(column).storage else { throw damage(column, name) }
        return [UInt8](value)
    }

    func time(_ column: Int, _ name: String) throws -> WallTime {
        WallTime(millisecondsSince1970: try integer(column, name, in: Plausible.times))
    }

    func isNull(_ column: Int) -> Bool { value(column).isNull }

    private func value(_ column: Int) -> DatabaseValue { self[column] }

    private func damage(_ column: Int, _ name: String) -> Damage {
        Damage(description: "\(name) can't be \(value(column))")
    }
}
