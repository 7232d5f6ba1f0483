import FlightMath
import Foundation

/// A flight from a file `NAME.csv`: `t_unix,lat,lon,alt,…`, in seconds, degrees, and metres above sea level.
struct RecordedTrack {
    var name: String
    var points: [TrackPoint]
    /// The time of the highest point.
    private let topTime: WallTime

    init(file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        points = try CSV(file: file).rows.compactMap { row in
            guard let time = row.number("t_unix"), let latitude = row.number("lat"), let longitude = row.number("lon"),
                let altitude = row.number("alt")
            else { return nil }
            return TrackPoint(
                time: WallTime(millisecondsSince1970: Int64((time * 1000).rounded())),
                coordinate: Coordinate(latitude: latitude, longitude: longitude), altitudeMetres: altitude,
                source: .sondehub)
        }
        topTime =
            points.max { $0.altitudeMetres < $1.altitudeMetres }?.time ?? WallTime(millisecondsSince1970: .min)
    }

    /// All flights of the folder, in the order of their names.
    static func all(in folder: URL) throws -> [RecordedTrack] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "csv" && !["expected.csv", "towns.csv"].contains($0.lastPathComponent) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map(RecordedTrack.init).filter { !$0.points.isEmpty }
    }

    var isRadiosonde: Bool { name.hasPrefix("rs41") }

    /// Whether the track reaches the ground or nearly so.
    var reachesGround: Bool { (points.last?.altitudeMetres ?? .infinity) < 3000 }

    /// The height from the track's end up to the burst, metres.
    var heightMetres: Double { topMetres - (points.last?.altitudeMetres ?? 0) }

    /// When the sonde reached the ground. The track's last points may lie there, or come long after the touch-down.
    var touchDown: WallTime? {
        guard let last = points.last,
            let low = points.lastIndex(where: { $0.altitudeMetres > last.altitudeMetres + 30 })
        else { return points.last?.time }
        let point = points[low]
        let start = points[..<low].first { point.seconds(since: $0) <= 120 } ?? points[max(0, low - 1)]
        let rate = (start.altitudeMetres - point.altitudeMetres) / max(1, point.seconds(since: start))
        let fall = (point.altitudeMetres - last.altitudeMetres) / max(0.5, rate)
        let downAt = point.time.advanced(byMilliseconds: Int64(fall * 1000))
        return low + 1 < points.count ? min(downAt, points[low + 1].time) : downAt
    }

    var topMetres: Double { points.map(\.altitudeMetres).max() ?? 0 }

    /// The mean from the top to the track's end, converted to air at sea level, m/s; nil if that is not a fall of 8 km.
    var meanDescentRate: Double? {
        var flight = Flight()
        _ = flight.insert(contentsOf: points)
        return flight.wholeDescentRate
    }

    /// Whether the point is before the highest one.
    func isAscent(_ point: TrackPoint) -> Bool { point.time < topTime }

    /// A point every `seconds`, interpolated linearly between recorded points that are at most two minutes apart.
    func resampled(everySeconds seconds: Int64) -> [TrackPoint] {
        var result: [TrackPoint] = []
        for (start, end) in zip(points, points.dropFirst()) {
            let from = start.time.millisecondsSince1970
            let span = end.time.millisecondsSince1970 - from
            var next = max(from, (result.last?.time.millisecondsSince1970 ?? .min / 2) + seconds * 1000)
            while next < from + span, span <= 120_000 || next == from {
                let share = Double(next - from) / Double(span)
                result.append(Self.between(start, end, share, at: WallTime(millisecondsSince1970: next)))
                next += seconds * 1000
            }
        }
        return result
    }

    private static func between(
        _ start: TrackPoint, _ end: TrackPoint, _ share: Double, at time: WallTime
    ) -> TrackPoint {
        var point = start
        point.time = time
        point.coordinate.latitude += (end.coordinate.latitude - start.coordinate.latitude) * share
        point.coordinate.longitude += (end.coordinate.longitude - start.coordinate.longitude) * share
        point.altitudeMetres += (end.altitudeMetres - start.altitudeMetres) * share
        return point
    }
}

/// A file of comma-separated values with a heading line.
struct CSV {
    struct Row {
        fileprivate let columns: [String: Int]
        fileprivate let values: [Substring]

        func text(_ column: String) -> String? {
            guard let index = columns[column], values.indices.contains(index) else { return nil }
            return values[index].isEmpty ? nil : String(values[index])
        }

        func number(_ column: String) -> Double? { text(column).flatMap(Double.init) }
    }

    let rows: [Row]

    init(file: URL) throws {
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        let names = (lines.first ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let columns = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        rows = lines.dropFirst().map {
            Row(columns: columns, values: $0.split(separator: ",", omittingEmptySubsequences: false))
        }
    }
}

extension TrackPoint {
    fileprivate func seconds(since earlier: TrackPoint) -> Double {
        Double(time.millisecondsSince1970 - earlier.time.millisecondsSince1970) / 1000
    }
}
