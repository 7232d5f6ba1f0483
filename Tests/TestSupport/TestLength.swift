import Foundation

/// How much of a long test runs: a tenth of its seeds and repetitions, or all of them with `FULL_LENGTH=1`, as in
/// Tests/nightly.sh. The variable `SEED` chooses the tenth. Tests/run.sh prints it.
public enum TestLength {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isFull = environment["FULL_LENGTH"] == "1"
    /// For walks that have one seed; 0 without the variable.
    public static let seed = environment["SEED"].flatMap { Int($0) } ?? 0

    /// Whether the repetition with this index runs.
    public static func includes(_ index: Int) -> Bool { isFull || (index - seed) % 10 == 0 }

    /// The seeds that run. Ten runs with ten values of `SEED` use all.
    public static func share<Seed: FixedWidthInteger>(of seeds: Range<Seed>) -> [Seed]
    where Seed.Stride: SignedInteger {
        seeds.filter { includes(Int(truncatingIfNeeded: $0)) }
    }
}
