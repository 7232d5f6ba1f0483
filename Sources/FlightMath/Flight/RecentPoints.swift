/// The filtered points of the last five minutes. The last two stay at any age.
///
/// A track has one point a second, so there are at most ``seconds`` + 1. Old points are removed in blocks, so the
/// memory holds up to twice as many.
struct RecentPoints: Equatable, Sendable {
    static let seconds = 300.0
    private static let clearedTogether = 300

    private var storage: [TrackPoint] = []
    private var head = 0

    /// The points in the order of time.
    var points: ArraySlice<TrackPoint> { storage[head...] }

    mutating func append(_ point: TrackPoint) {
        storage.append(point)
        while head < storage.count - 2, point.time.seconds(since: storage[head].time) > Self.seconds { head += 1 }
        if head >= Self.clearedTogether {
            storage.removeFirst(head)
            head = 0
        }
    }

    mutating func dropNewest() {
        if storage.count > head { storage.removeLast() }
    }

    /// The newest point and those of the last `seconds` before it.
    func window(seconds: Double) -> ArraySlice<TrackPoint> {
        guard let newest = storage.last else { return [] }
        var (low, high) = (head, storage.count)
        while low < high {
            let middle = (low + high) / 2
            if newest.time.seconds(since: storage[middle].time) > seconds { low = middle + 1 } else { high = middle }
        }
        return storage[low...]
    }

    /// As ``window(seconds:)``. If these points span less than `least` seconds, older points are added until they do.
    func window(seconds: Double, spanning least: Double) -> ArraySlice<TrackPoint> {
        let window = window(seconds: seconds)
        guard let newest = storage.last else { return window }
        var start = window.startIndex
        while start > head, newest.time.seconds(since: storage[start].time) < least { start -= 1 }
        return storage[start...]
    }
}

extension ArraySlice<TrackPoint> {
    /// Seconds from the first point to the last; 0 with fewer than two points.
    var spanSeconds: Double {
        guard let first, let last else { return 0 }
        return last.time.seconds(since: first.time)
    }

    /// The mean speeds from the first point to the last, m/s over ground and up; nil if they span no time.
    var netSpeeds: (horizontal: Double, vertical: Double)? {
        guard let first, let last, spanSeconds > 0 else { return nil }
        let (east, north) = first.coordinate.offsetMetres(to: last.coordinate)
        return (
            (east * east + north * north).squareRoot() / spanSeconds,
            (last.altitudeMetres - first.altitudeMetres) / spanSeconds
        )
    }
}
