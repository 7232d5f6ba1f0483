public import ReceiverProtocol

/// How long nobody has heard a sonde. Every part judges a silence by these limits.
///
/// | silence | nobody has heard it for | meaning |
/// | --- | --- | --- |
/// | `none` | - | it is heard |
/// | `unheard` | 20 s | it may be out of reach; in flight its phase has the reason `silent_in_flight` |
/// | `silent` | 120 s | its last position is no longer live, and it may be down |
/// | `lost` | 3 h | its flight is over, unless it is heard again |
public enum Silence: CaseIterable, Comparable, Sendable {
    case none, unheard, silent, lost

    /// After this time without the sonde the silence counts.
    public var begins: Duration {
        switch self {
        case .none: .zero
        case .unheard: .seconds(20)
        case .silent: .seconds(120)
        case .lost: .seconds(10_800)
        }
    }

    /// - Parameter time: for how long nobody has heard the sonde.
    public init(after time: Duration) { self = Self.allCases.last { time >= $0.begins } ?? .none }

    /// - Parameter heardAt: when somebody last heard the sonde; nil if nobody ever did, which counts as lost.
    public init(since heardAt: MonotonicTime?, at now: MonotonicTime) {
        if let heardAt { self.init(after: now.duration(since: heardAt)) } else { self = .lost }
    }
}
