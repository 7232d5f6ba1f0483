/// The source of the car's position.
public enum CarSource: String, CaseIterable, Sendable {
    /// A GPS receiver at this machine or in its network.
    case gpsd
    /// A GPS receiver or another program that sends NMEA 0183: at a cable, to a port, or as a server.
    case nmea
    /// A Stratux, a tablet or another program that sends GDL 90.
    case gdl90
    /// A phone, through the broker.
    case owntracks
    /// A phone, through the rdz feed.
    case rdz
    /// Another program, through the Horus feed.
    case horus

    /// An older fix is ignored.
    public var freshness: Duration {
        switch self {
        case .gpsd, .nmea, .gdl90, .rdz, .horus: .seconds(10)
        // A phone sends seldom, to save its battery.
        case .owntracks: .seconds(60)
        }
    }

    /// Its time is that of a GPS receiver, whose date may be wrong while its position is right.
    public var hasReceiverTime: Bool {
        switch self {
        case .gpsd, .nmea: true
        // A phone's time is that of its own clock; the others send none.
        case .gdl90, .owntracks, .rdz, .horus: false
        }
    }
}
