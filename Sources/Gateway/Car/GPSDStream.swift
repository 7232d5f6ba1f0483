import FlightMath
import FoundationEssentials

/// gpsd's JSON protocol: bytes in, fixes out.
///
///     {"class":"TPV","mode":3,"time":"2026-11-22T10:00:00.000Z","lat":47.1,"lon":8.2,…}   a fix (mode 2 or 3)
///     {"class":"TPV","mode":1}                                                           no fix
///     {"class":"DEVICES","devices":[…]}                                                  gpsd's receivers
///     other lines                                                                        ignored
public struct GPSDStream: Sendable {
    public enum Message: Equatable, Sendable {
        case fix(CarFix)
        /// A receiver sends data, but has no fix.
        case noFix
        case devices(Int)
    }

    /// The request that makes gpsd send its reports.
    public static let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    /// A longer line is ignored, bytes. A TPV has some 800.
    public static let longestLine = 16_384

    private var splitter = LineSplitter(longest: longestLine)

    public init() {}

    public mutating func append(_ bytes: [UInt8]) -> [Message] {
        splitter.lines(in: bytes).compactMap { Self.message($0) }
    }

    private struct Devices: Decodable {
        struct Device: Decodable {}
        var devices: [Device]
    }

    /// Speeds in m/s, errors in metres at 95 %.
    private struct TPV: Decodable {
        var mode: Int
        var time, device: String?
        var lat, lon, alt, altMSL, speed, track, eph, epx, epy: Double?
    }

    private struct Header: Decodable { var `class`: String }

    private static func message(_ line: [UInt8]) -> Message? {
        switch name(of: line) {
        case "TPV": return (try? JSONDecoder().decode(TPV.self, from: Data(line))).map { message($0) }
        case "DEVICES":
            return (try? JSONDecoder().decode(Devices.self, from: Data(line))).map { .devices($0.devices.count) }
        default: return nil
        }
    }

    /// The line's class, read without decoding the JSON. gpsd writes the class first and without blanks, and most of
    /// its lines are long lists of satellites. A proxy may format the same JSON in another way.
    private static func name(of line: [UInt8]) -> String? {
        let start = Array("{\"class\":\"".utf8)
        guard line.starts(with: start) else {
            return (try? JSONDecoder().decode(Header.self, from: Data(line)))?.class
        }
        return String(decoding: line.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    private static func message(_ report: TPV) -> Message {
        guard report.mode >= 2, let latitude = report.lat, let longitude = report.lon else { return .noFix }
        return .fix(
            CarFix(
                source: .gpsd, coordinate: Coordinate(latitude: latitude, longitude: longitude),
                altitudeMetres: report.mode >= 3 ? report.altMSL ?? report.alt : nil, speed: report.speed,
                courseDegrees: report.track,
                accuracyMetres: report.eph ?? [report.epx, report.epy].compactMap { $0 }.max(),
                time: report.time.flatMap { WallTime(iso8601: $0) }, device: report.device))
    }
}
