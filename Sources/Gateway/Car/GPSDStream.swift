import FlightMath
import FoundationEssentials

/// gpsd's JSON protocol: bytes in, fixes out.
///
///     {"class":"TPV","mode":3,"time":"2026-11-22T10:00:00.000Z","lat":47.1,"lon":8.2,…}   a fix (mode 2 or 3)
///     {"class":"TPV","mode":1}                                                           no fix
///     {"class":"DEVICES","devices":[…]}                                                  gpsd's receivers
///     other classes                                                                      ignored
///     no JSON object with a class, or a mode or place that is no number                  unreadable
///
/// Any other value that can't be read counts as unknown: a fix is used without its course.
public struct GPSDStream: CarStream {
    public enum Message: Equatable, Sendable {
        case fix(CarFix)
        /// A receiver sends data, but has no fix.
        case noFix
        /// The paths of gpsd's receivers; empty for one without a path.
        case devices([String])
        case unreadable
    }

    /// The request that makes gpsd send its reports.
    public static let greeting = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    /// A longer line is ignored, bytes. A TPV has some 800.
    public static let longestLine = 16_384

    private var splitter = LineSplitter(longest: longestLine)

    public init() {}

    public mutating func append(_ bytes: [UInt8]) -> [Message] {
        splitter.lines(in: bytes).compactMap { Self.message($0) }
    }

    public mutating func messages(in bytes: [UInt8]) -> [CarMessage] {
        append(bytes).map { message in
            switch message {
            case .fix(let fix): .fix(fix)
            case .noFix: .noFix
            case .devices: .other
            case .unreadable: .unreadable
            }
        }
    }

    private struct Devices: Decodable {
        struct Device: Decodable { var path: String? }
        var devices: [Device]
    }

    /// Speeds in m/s, errors in metres at 95 %.
    private struct TPV: Decodable {
        private enum Key: String, CodingKey {
            case mode, lat, lon, time, device, alt, altMSL, speed, track, eph, epx, epy
        }

        let mode: Int
        let lat, lon: Double?
        private let values: KeyedDecodingContainer<Key>

        init(from decoder: any Decoder) throws {
            values = try decoder.container(keyedBy: Key.self)
            mode = try values.decode(Int.self, forKey: .mode)
            lat = try values.decodeIfPresent(Double.self, forKey: .lat)
            lon = try values.decodeIfPresent(Double.self, forKey: .lon)
        }

        var altitude: Double? { number(.altMSL) ?? number(.alt) }
        var speed: Double? { number(.speed) }
        var track: Double? { number(.track) }
        var error: Double? { number(.eph) ?? [number(.epx), number(.epy)].compactMap { $0 }.max() }
        var time: String? { text(.time) }
        var device: String? { text(.device) }

        private func number(_ key: Key) -> Double? { try? values.decode(Double.self, forKey: key) }
        private func text(_ key: Key) -> String? { try? values.decode(String.self, forKey: key) }
    }

    private struct Header: Decodable { var `class`: String }

    private static func message(_ line: [UInt8]) -> Message? {
        guard !line.isEmpty else { return nil }
        switch name(of: line) {
        case nil: return .unreadable
        case "TPV": return decoded(TPV.self, line).map { message($0) } ?? .unreadable
        case "DEVICES":
            return decoded(Devices.self, line).map { .devices($0.devices.map { $0.path ?? "" }) } ?? .unreadable
        default: return nil
        }
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) -> Value? {
        let decoder = JSONDecoder()
        if let value = try? decoder.decode(type, from: Data(line)) { return value }
        // Some versions of gpsd write nan or inf in place of a number.
        let text = String(decoding: line, as: UTF8.self)
            .replacing(#/:\s*-?(?i:nan|inf|infinity)\s*(?=[,}])/#, with: ":null")
        return try? decoder.decode(type, from: Data(text.utf8))
    }

    /// The line's class, read without decoding the JSON. gpsd writes the class first and without blanks, and most of
    /// its lines are long lists of satellites. A proxy may format the same JSON in another way.
    private static func name(of line: [UInt8]) -> String? {
        let start = Array("{\"class\":\"".utf8)
        guard line.starts(with: start) else {
            return decoded(Header.self, line)?.class
        }
        return String(decoding: line.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    private static func message(_ report: TPV) -> Message {
        guard report.mode >= 2, let latitude = report.lat, let longitude = report.lon else { return .noFix }
        return .fix(
            CarFix(
                source: .gpsd, coordinate: Coordinate(latitude: latitude, longitude: longitude),
                altitudeMetres: report.mode >= 3 ? report.altitude : nil, speed: report.speed,
                courseDegrees: report.track,
                accuracyMetres: report.error,
                time: report.time.flatMap { WallTime(iso8601: $0) }, device: report.device))
    }
}
