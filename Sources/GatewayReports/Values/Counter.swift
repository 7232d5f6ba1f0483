/// The counters of predictions in health.
public enum Counter: String, CaseIterable, Sendable {
    case predictionCalls = "calls"
    case predictionFailures = "failures"
}
