/// The source of the car's position.
public enum CarSource: String, CaseIterable, Sendable {
    /// A GPS receiver at this machine or in its network.
    case gpsd
    /// A phone, through the broker.
    case owntracks
    /// A phone, through the rdz feed.
    case rdz
    /// Another program, through the Horus feed.
    case horus

    /// An older fix is ignored.
    public var freshness: Duration {
        switch self {
        case .gpsd, .rdz, .horus: .seconds(10)
        // A phone sends seldom, to save its battery.
        case .owntracks: .seconds(60)
        }
    }
}
