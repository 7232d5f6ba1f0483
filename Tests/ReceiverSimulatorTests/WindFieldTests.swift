import Testing

@testable import ReceiverSimulator

@Suite struct WindFieldTests {
    private static func field(_ seed: UInt64) -> WindField {
        var random = SeededGenerator(seed: seed)
        return WindField(using: &random)
    }

    /// The wind is strongest in the jet stream and weak above it. It changes smoothly with altitude, and depends only
    /// on the seed.
    @Test(arguments: 0..<50)
    func theWindHasAJetStream(_ seed: UInt64) {
        let field = Self.field(seed)
        let speeds = (0...35).map { field.wind(at: Double($0) * 1000, seconds: 0).speed }
        let jet = speeds[8...13].max() ?? 0
        #expect(jet > 6 && jet < 50)
        #expect(speeds[20...].allSatisfy { $0 < max(14, jet) })
        for metres in stride(from: 0.0, to: 39_000, by: 50) {
            let (lower, upper) = (field.wind(at: metres, seconds: 600), field.wind(at: metres + 50, seconds: 600))
            #expect(abs(upper.east - lower.east) < 1.5 && abs(upper.north - lower.north) < 1.5)
        }
        #expect(field.wind(at: 9000, seconds: 77) == Self.field(seed).wind(at: 9000, seconds: 77))
    }

    /// In two hours the wind changes a little.
    @Test(arguments: 0..<50)
    func theWindChangesSlowly(_ seed: UInt64) {
        let field = Self.field(seed)
        let (before, after) = (field.wind(at: 10_000, seconds: 0), field.wind(at: 10_000, seconds: 7200))
        #expect(before != after)
        #expect(abs(after.east - before.east) < 0.3 * before.speed + 1)
        #expect(abs(after.north - before.north) < 0.3 * before.speed + 1)
    }
}
