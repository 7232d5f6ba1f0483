/// Measures a duration up to three times, until it is below the limit. Other programs can only lengthen it.
/// - Returns: the shortest.
public func bestOfThree(
    below limit: Duration, _ measure: () async throws -> Duration
) async throws -> Duration {
    try await least(below: limit, measure)
}

/// Measures memory in kB up to three times, until it is below the limit. A resident size also has the program's text, of
/// which the kernel maps more or less.
/// - Returns: the least.
public func bestOfThree(
    kilobytesBelow limit: Int, _ measure: () async throws -> Int
) async throws -> Int {
    try await least(below: limit, measure)
}

private func least<Figure: Comparable>(
    below limit: Figure, _ measure: () async throws -> Figure
) async throws -> Figure {
    var best = try await measure()
    for _ in 0..<2 where best >= limit { best = min(best, try await measure()) }
    return best
}
