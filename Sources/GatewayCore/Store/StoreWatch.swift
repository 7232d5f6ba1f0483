/// Whether the disk works, from all who write to it: a failure is told once, and the recovery when nobody fails any more.
public struct StoreWatch: Sendable {
    public enum Writer: Hashable, Sendable {
        case spool, recorder
    }

    private var failures: [Writer: StoreError] = [:]
    private var told: StoreError?

    public init() {}

    /// A writer's last call failed, or succeeded (nil).
    /// - Returns: what is to be told, nil being the recovery; empty when there is no news.
    public mutating func note(_ failure: StoreError?, of writer: Writer) -> [StoreError?] {
        failures[writer] = failure
        if let failure {
            guard told?.code != failure.code else { return [] }
            told = failure
            return [failure]
        }
        guard told != nil, failures.isEmpty else { return [] }
        told = nil
        return [nil]
    }
}
