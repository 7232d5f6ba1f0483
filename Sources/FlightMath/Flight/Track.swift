/// A flight's path: at most one point per whole second, sorted by time. Points may be inserted in any order.
///
/// Within a second, a point of the receiver replaces one of SondeHub. Of two points of one source the first stays.
public struct Track: Equatable, Sendable {
    /// Twelve hours with a point a second. At the limit the oldest tenth is dropped, so no input can fill the memory.
    public static let limit = 43_200

    /// The result of inserting a point.
    enum Place: Equatable, Sendable {
        case newest
        /// Inserted before the newest point, or in place of a point.
        case between
        /// Not inserted: its second has a better point.
        case none
    }

    public private(set) var points: [TrackPoint] = []

    var newest: TrackPoint? { points.last }

    @discardableResult
    mutating func insert(_ point: TrackPoint) -> Place {
        guard let last = points.last, point.second <= last.second else {
            points.append(point)
            if points.count > Self.limit { points.removeFirst(Self.limit / 10) }
            return .newest
        }
        let index = points.firstIndex(atOrAfter: point.second)
        if points[index].second != point.second {
            points.insert(point, at: index)
        } else if Self.beats(point, old: points[index]) {
            points[index] = point
        } else {
            return .none
        }
        return .between
    }

    /// Inserts n points in any order, with n log n steps and one pass over the track.
    /// - Returns: how many were inserted.
    @discardableResult
    mutating func insert(contentsOf new: [TrackPoint]) -> Int {
        var merged: [TrackPoint] = []
        merged.reserveCapacity(points.count + new.count)
        var old = points[...]
        var taken = 0
        for point in new.sorted(by: { ($0.second, $0.source.rank) < ($1.second, $1.source.rank) }) {
            while let first = old.first, first.second < point.second { merged.append(old.removeFirst()) }
            if let first = old.first, first.second == point.second {
                if Self.beats(point, old: first) {
                    merged.append(point)
                    old.removeFirst()
                    taken += 1
                }
            } else if merged.last?.second != point.second {
                merged.append(point)
                taken += 1
            }
        }
        merged.append(contentsOf: old)
        points = merged.count > Self.limit ? Array(merged.suffix(Self.limit)) : merged
        return taken
    }

    mutating func removeNewest() {
        if !points.isEmpty { points.removeLast() }
    }

    /// Removes the points after the whole second of `time`.
    /// - Returns: how many were removed.
    mutating func removePoints(after time: WallTime) -> Int {
        let keep = points.firstIndex(atOrAfter: time.wholeSeconds &+ 1)
        defer { points.removeSubrange(keep...) }
        return points.count - keep
    }

    /// Removes the points between the whole seconds of two times.
    /// - Returns: how many were removed.
    mutating func removePoints(after start: WallTime, before end: WallTime) -> Int {
        let first = points.firstIndex(atOrAfter: start.wholeSeconds &+ 1)
        let next = points.firstIndex(atOrAfter: end.wholeSeconds)
        guard first < next else { return 0 }
        points.removeSubrange(first..<next)
        return next - first
    }

    /// Removes the points before the whole second of `time`.
    /// - Returns: how many were removed.
    mutating func removePoints(before time: WallTime) -> Int {
        let first = points.firstIndex(atOrAfter: time.wholeSeconds)
        points.removeSubrange(..<first)
        return first
    }

    private static func beats(_ new: TrackPoint, old: TrackPoint) -> Bool {
        new.source == .ble && old.source == .sondehub
    }
}

extension TelemetrySource {
    /// The order of the sources within a second.
    fileprivate var rank: Int { self == .ble ? 0 : 1 }
}

extension [TrackPoint] {
    /// Found by bisection; `count` if all points are earlier.
    fileprivate func firstIndex(atOrAfter second: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].second < second { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Track: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
        let moved = points.compactMap { point in
            let moved = point.replacingTimes(replacement)
            return moved == point ? nil : (from: point, to: moved)
        }
        let seconds = Set(moved.map(\.from.second))
        points.removeAll { seconds.contains($0.second) }
        insert(contentsOf: moved.map(\.to))
    }
}
