import FlightMath
import Gateway
import GatewayReports
import NIOCore
import NIOHTTP1
import ReceiverProtocol

/// A recorded flight for the map, the replay and the charts.
struct RecordedFlight: Sendable {
    let archive: any FlightArchive
    /// Nil if there is no such sonde.
    let serial: SondeSerial?

    /// - Parameters:
    ///   - part: `track`, `profile`, or `car` for the car's own way.
    ///   - limit: the most points.
    func answer(_ part: Substring, limit: Int) async -> Answer {
        guard let serial, ["track", "profile", "car"].contains(part) else { return .refusal(.notFound) }
        do throws(StoreError) {
            if part == "car" {
                return .json(Array(Self.way(try await archive.carPoints(of: serial), limit: limit).utf8))
            }
            let points = try await archive.track(of: serial, after: .min)
            guard !points.isEmpty else { return .refusal(.notFound, "no flight of this sonde is recorded") }
            let outline = TrackOutline(of: points, limit: limit)
            guard part == "profile" else { return outline.answer }
            let levels = try await archive.levels(of: serial, at: outline.points)
            return .json(Array(Self.profile(of: outline.points, levels).utf8))
        } catch {
            return .unreadable(error)
        }
    }

    /// `[[t_ms, altitude_m, climb_mps, rssi_dbm], …]`. The climb is the mean since the point before; null at the first point
    /// and after a gap. The RSSI is null if the receiver did not hear the sonde in that second.
    /// - Parameter levels: RSSI in dBm by whole seconds since 1970.
    static func profile(of points: [TrackPoint], _ levels: [Int64: Double] = [:]) -> String {
        var rows: [String] = []
        var last: TrackPoint?
        for point in points {
            let altitude = (point.altitudeMetres * 10).rounded() / 10
            let climb = last.flatMap { Self.climb(from: $0, to: point) }.map { "\($0)" } ?? "null"
            let level = levels[point.second].map { "\($0)" } ?? "null"
            rows.append("[\(point.time.millisecondsSince1970),\(altitude),\(climb),\(level)]")
            last = point
        }
        return "[\(rows.joined(separator: ",\n"))]"
    }

    /// `[[t_ms, latitude, longitude, altitude_m], …]`, at most `limit` points besides the last one. An unknown altitude
    /// is null.
    static func way(_ points: [CarPoint], limit: Int) -> String {
        let step = max(1, (points.count + max(1, limit) - 1) / max(1, limit))
        let kept = points.enumerated().filter { $0.offset.isMultiple(of: step) || $0.offset == points.count - 1 }
        let rows = kept.map { _, point in
            var row = [UInt8]("[\(point.time.millisecondsSince1970),".utf8)
            row.append(decimal: point.coordinate.latitude, decimals: 6)
            row.append(UInt8(ascii: ","))
            row.append(decimal: point.coordinate.longitude, decimals: 6)
            row.append(UInt8(ascii: ","))
            if let altitude = point.altitudeMetres {
                row.append(decimal: altitude, decimals: 1)
            } else {
                row += "null".utf8
            }
            return String(decoding: row, as: UTF8.self) + "]"
        }
        return "[\(rows.joined(separator: ",\n"))]"
    }

    private static func climb(from start: TrackPoint, to end: TrackPoint) -> Double? {
        let milliseconds = end.time.millisecondsSince1970 &- start.time.millisecondsSince1970
        guard milliseconds > 0, milliseconds <= TrackOutline.gap else { return nil }
        return ((end.altitudeMetres - start.altitudeMetres) * 10_000 / Double(milliseconds)).rounded() / 10
    }
}
