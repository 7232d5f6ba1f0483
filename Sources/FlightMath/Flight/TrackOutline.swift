import RealModule
import ReceiverProtocol

/// A track with few points that looks like the whole one (Douglas and Peucker).
///
/// Two of its points are more than 60 s apart only in a gap of the track. Both ends of a gap stay, and a straight piece
/// keeps one point a minute, as long as `limit` permits.
public struct TrackOutline {
    public static let limits = 2...10_000
    /// Points further apart than this are a gap, in milliseconds.
    public static let gap: Int64 = 60_000

    public let points: [TrackPoint]

    /// - Parameter limit: the most points; brought into ``limits``.
    public init(of track: [TrackPoint], limit: Int) {
        let limit = min(max(limit, Self.limits.lowerBound), Self.limits.upperBound)
        guard track.count > limit else {
            points = track
            return
        }
        var kept = Self.needed(of: track)
        // A track with more gaps than the limit: choose evenly.
        if kept.count > limit { kept = (0..<limit).map { kept[$0 * (kept.count - 1) / (limit - 1)] } }
        points = Self.refined(track, from: kept, to: limit).map { track[$0] }
    }

    /// Indices of the first and last point, of both ends of each gap, and of one point a minute.
    private static func needed(of track: [TrackPoint]) -> [Int] {
        var kept = [0]
        for index in track.indices.dropFirst() {
            let last = kept[kept.count - 1]
            guard track[last].milliseconds(to: track[index]) > gap || index == track.count - 1 else { continue }
            if index - 1 > last { kept.append(index - 1) }
            if track[index - 1].milliseconds(to: track[index]) > gap || index == track.count - 1 { kept.append(index) }
        }
        return kept
    }

    /// Adds the point that is furthest from the outline, until there are `limit` points.
    private static func refined(_ track: [TrackPoint], from kept: [Int], to limit: Int) -> [Int] {
        let plane = Plane(track)
        var isKept = [Bool](repeating: false, count: track.count)
        for index in kept { isKept[index] = true }
        var heap = SpanHeap()
        for (start, end) in zip(kept, kept.dropFirst()) { heap.add(plane.span(from: start, to: end)) }
        var count = kept.count
        while count < limit, let span = heap.removeWidest() {
            isKept[span.furthest] = true
            count += 1
            heap.add(plane.span(from: span.start, to: span.furthest))
            heap.add(plane.span(from: span.furthest, to: span.end))
        }
        return track.indices.filter { isKept[$0] }
    }
}

extension TrackPoint {
    fileprivate func milliseconds(to other: TrackPoint) -> Int64 {
        other.time.millisecondsSince1970 &- time.millisecondsSince1970
    }
}

/// A piece of the track between two kept points, and the point in it that is furthest from the straight line.
private struct Span {
    var start, end, furthest: Int
    /// The squared distance of that point from the line, in square metres.
    var deviation: Double
}

/// The track's points in metres, precise enough for drawing.
private struct Plane {
    private let places: [SIMD3<Double>]

    init(_ track: [TrackPoint]) {
        let metres = 111_195.0
        let first = track.first?.coordinate ?? Coordinate(latitude: 0, longitude: 0)
        let scale = Double.cos(first.latitude * .pi / 180)
        places = track.map { point in
            let east = (point.coordinate.longitude - first.longitude).remainder(dividingBy: 360)
            return SIMD3(
                east * scale * metres, (point.coordinate.latitude - first.latitude) * metres, point.altitudeMetres)
        }
    }

    /// The span between two points; nil if there is no point between them.
    func span(from start: Int, to end: Int) -> Span? {
        guard end - start > 1 else { return nil }
        let origin = places[start]
        let way = places[end] - origin
        let length = (way * way).sum()
        var span = Span(start: start, end: end, furthest: start + 1, deviation: -1)
        for index in (start + 1)..<end {
            let offset = places[index] - origin
            let along = length > 0 ? min(1, max(0, (offset * way).sum() / length)) : 0
            let rest = offset - along * way
            let deviation = (rest * rest).sum()
            if deviation > span.deviation { (span.furthest, span.deviation) = (index, deviation) }
        }
        return span
    }
}

/// A heap with the span of the largest deviation at its top.
private struct SpanHeap {
    private var spans: [Span] = []

    mutating func add(_ span: Span?) {
        guard let span else { return }
        spans.append(span)
        var child = spans.count - 1
        while child > 0, spans[(child - 1) / 2].deviation < spans[child].deviation {
            spans.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeWidest() -> Span? {
        guard let widest = spans.first else { return nil }
        spans.swapAt(0, spans.count - 1)
        spans.removeLast()
        var parent = 0
        while true {
            let children = [parent * 2 + 1, parent * 2 + 2].filter { $0 < spans.count }
            guard let larger = children.max(by: { spans[$0].deviation < spans[$1].deviation }),
                spans[larger].deviation > spans[parent].deviation
            else { return widest }
            spans.swapAt(parent, larger)
            parent = larger
        }
    }
}
