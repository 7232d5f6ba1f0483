import FlightMath

/// The whole seconds of a flight that need not be asked for: the gateway has their points, or nobody has them. Sondes
/// send once a second.
struct KnownSeconds: Equatable, Sendable {
    /// The most ranges. Beyond that the oldest hole is given up.
    private static let limit = 64

    /// Seconds since 1970, sorted. Between two ranges is a hole.
    private(set) var ranges: [Range<Int64>] = []

    /// The second after the newest known one; nil while none is known.
    var end: Int64? { ranges.last?.upperBound }

    /// All of `new` is known.
    mutating func insert(_ new: Range<Int64>) {
        guard !new.isEmpty else { return }
        let met = ranges.filter { $0.upperBound >= new.lowerBound && $0.lowerBound <= new.upperBound }
        let joined = met.reduce(new) { min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound) }
        ranges.removeAll { joined.contains($0.lowerBound) }
        ranges.insert(joined, at: ranges.count { $0.upperBound < joined.lowerBound })
        if ranges.count > Self.limit {
            ranges.replaceSubrange(0..<2, with: [ranges[0].lowerBound..<ranges[1].upperBound])
        }
    }

    /// Nothing from `start` on is known any more.
    mutating func remove(from start: Int64) {
        ranges = ranges.filter { $0.lowerBound < start }.map { $0.lowerBound..<min($0.upperBound, start) }
    }

    /// The earliest unknown seconds of `span`; nil if all are known.
    func oldestHole(in span: Range<Int64>) -> Range<Int64>? {
        let start = ranges.reduce(span.lowerBound) { $1.contains($0) ? $1.upperBound : $0 }
        let end = ranges.reduce(span.upperBound) { $1.lowerBound > start ? min($0, $1.lowerBound) : $0 }
        return start < end ? start..<end : nil
    }

    /// Gives each second another time, because the clock was set.
    mutating func move(_ moved: (Int64) -> Int64) {
        let old = ranges
        ranges = []
        for range in old {
            let (first, last) = (moved(range.lowerBound), moved(range.upperBound &- 1))
            insert(min(first, last)..<last &+ 1)
        }
    }
}
