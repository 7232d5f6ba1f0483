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
    ///   - part: `track` or `profile`.
    ///   - limit: the most points.
    func answer(_ part: Substring, limit: Int) async -> Answer {
        guard let serial, part == "track" || part == "profile" else { return .refusal(.notFound) }
        do throws(StoreError) {
            let points = try await archive.track(of: serial, after: .min)
            guard !points.isEmpty else { return .refusal(.notFound, "no flight of this sonde is recorded") }
            let outline = TrackOutline(of: points, limit: limit)
            return part == "track" ? outline.answer : .json(Array(Self.profile(of: outline.points).utf8))
        } catch {
            return .unreadable(error)
        }
    }

    /// `[[t_ms, altitude_m, climb_mps], …]`. The climb is the mean since the point before; null at the first point and
    /// after a gap.
    static func profile(of points: [TrackPoint]) -> String {
        var rows: [String] = []
        var last: TrackPoint?
        for point in points {
            let altitude = (point.altitudeMetres * 10).rounded() / 10
            let climb = last.flatMap { Self.climb(from: $0, to: point) }.map { "\($0)" } ?? "null"
            rows.append("[\(point.time.millisecondsSince1970),\(altitude),\(climb)]")
            last = point
        }
        return "[\(rows.joined(separator: ",\n"))]"
    }

    private static func climb(from start: TrackPoint, to end: TrackPoint) -> Double? {
        let milliseconds = end.time.millisecondsSince1970 &- start.time.millisecondsSince1970
        guard milliseconds > 0, milliseconds <= TrackOutline.gap else { return nil }
        return ((end.altitudeMetres - start.altitudeMetres) * 10_000 / Double(milliseconds)).rounded() / 10
    }
}
