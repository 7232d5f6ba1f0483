import Testing

@testable import Gateway

/// The set of known seconds, and its oldest hole.
@Suite struct KnownSecondsTests {
    private static func known(_ ranges: Range<Int64>...) -> KnownSeconds {
        var known = KnownSeconds()
        for range in ranges { known.insert(range) }
        return known
    }

    @Test func rangesThatMeetAreJoined() {
        #expect(Self.known(0..<5, 10..<12, 5..<7) == Self.known(0..<7, 10..<12))
        #expect(Self.known(10..<12, 0..<5, 3..<11) == Self.known(0..<12))
        #expect(Self.known(0..<20, 5..<6, 4..<4) == Self.known(0..<20))
    }

    /// A span, and its oldest hole.
    private static let holes: [(Range<Int64>, Range<Int64>?)] = [
        (Int64.min..<100, Int64.min..<10), (0..<100, 0..<10), (10..<100, 20..<30), (15..<25, 20..<25), (32..<40, nil),
        (32..<50, 40..<50), (60..<60, nil),
    ]

    @Test(arguments: holes) func theOldestHole(_ span: Range<Int64>, _ hole: Range<Int64>?) {
        #expect(Self.known(10..<20, 30..<40).oldestHole(in: span) == hole)
        #expect(KnownSeconds().oldestHole(in: span) == (span.isEmpty ? nil : span))
    }

    /// Beyond 64 ranges the oldest hole counts as known.
    @Test func theSetIsBounded() {
        var known = KnownSeconds()
        for second in Int64(0)..<100 { known.insert(second * 2..<second * 2 + 1) }
        #expect(known.ranges.count == 64)
        #expect(known.oldestHole(in: 0..<200)?.lowerBound == 73)
    }

    @Test func aPartIsForgotten() {
        var known = Self.known(0..<10, 20..<30)
        known.remove(from: 5)
        #expect(known == Self.known(0..<5))
    }

    /// Seconds that move on each other are joined. The beginning of a flight has no time.
    @Test(arguments: [Int64(100), -30]) func theClockIsSet(_ change: Int64) {
        var known = Self.known(.min..<10, 50..<110, 150..<160)
        known.move { $0 < 20 ? $0 : $0 + change }
        #expect(known == Self.known(.min..<10, 50 + change..<110 + change, 150 + change..<160 + change))
        known.move { $0 < 20 ? $0 : 30 }
        #expect(known == Self.known(.min..<10, 30..<31))
    }
}
