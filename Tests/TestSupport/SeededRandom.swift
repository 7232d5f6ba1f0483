/// A seeded source for random walks (xorshift64*).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The source of a test that draws once a run: the variable `SEED` chooses it, 0 without one.
    public static var ofThisRun: SeededRandom { SeededRandom(seed: UInt64(truncatingIfNeeded: TestLength.seed)) }

    public init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    public mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
