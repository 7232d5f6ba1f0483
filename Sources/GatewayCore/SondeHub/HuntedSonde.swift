import ReceiverProtocol

/// Which sonde the gateway is after while the receiver is deaf.
struct HuntedSonde: Equatable, Sendable {
    /// Without news from either source for this long, the last one heard is given up, seconds.
    static let patience = 10_800.0

    /// By command or configuration: stays until it is taken back.
    var pinned: SondeSerial?
    private var lastHeard: SondeSerial?
    private var lastNewsAt = MonotonicTime.zero

    init(pinned: SondeSerial?) {
        self.pinned = pinned
    }

    /// The receiver heard a sonde.
    mutating func heard(_ serial: SondeSerial, at now: MonotonicTime) {
        lastHeard = serial
        lastNewsAt = now
    }

    /// SondeHub has a newer frame of a sonde.
    mutating func told(_ serial: SondeSerial, at now: MonotonicTime) {
        if serial == lastHeard { lastNewsAt = now }
    }

    /// Nil hunts the newest of the site.
    func serial(at now: MonotonicTime) -> SondeSerial? {
        if let pinned { return pinned }
        guard let lastHeard, now < lastNewsAt.advanced(by: Self.patience) else { return nil }
        return lastHeard
    }
}
