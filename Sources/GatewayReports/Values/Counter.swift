/// What health counts besides frames and refusals.
public enum Counter: String, CaseIterable, Sendable {
    case predictionCalls = "calls"
    case predictionCacheHits = "cache_hits"
    case predictionFailures = "failures"
}
