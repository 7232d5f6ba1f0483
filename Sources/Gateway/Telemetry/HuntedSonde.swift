import FlightMath
import ReceiverProtocol

/// Which sonde the gateway is after while the receiver is deaf (specification 2.4).
struct HuntedSonde: Equatable, Sendable {
    /// Without news from either source for this long, the last one heard is given up.
    static let lastHeardLifetime = Duration.seconds(10_800)

    /// By configuration.
    private let configured: SondeSerial?
    /// By command or configuration: stays until it is taken back.
    private(set) var pinned: SondeSerial?
    /// When the command came, if an earlier run stored it: it may turn out to be long over when the clock is set.
    private(set) var storedAt: WallTime?
    private(set) var lastHeard: SondeSerial?
    private var lastNewsAt = MonotonicTime.zero

    init(configured: SondeSerial?) {
        self.configured = configured
        pinned = configured
    }

    /// By command; nil lets go.
    mutating func pin(_ serial: SondeSerial?) {
        pinned = serial
        storedAt = nil
    }

    /// By a command to an earlier run.
    mutating func recall(_ serial: SondeSerial, at time: WallTime) {
        pinned = serial
        storedAt = time
    }

    /// What an earlier run has left is over.
    mutating func letGoOfStored() {
        pinned = configured
        storedAt = nil
    }

    mutating func letGoOfLastHeard() {
        lastHeard = nil
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
        guard let lastHeard, now < lastNewsAt.advanced(by: Self.lastHeardLifetime) else { return nil }
        return lastHeard
    }
}

/// A hunt by command, as it is stored: `V4210150 1767268800000`.
struct StoredHunt {
    var serial: SondeSerial
    var at: WallTime

    init(serial: SondeSerial, at: WallTime) {
        self.serial = serial
        self.at = at
    }

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 2, let time = Int64(words[words.count - 1]),
            let serial = SondeSerial(name: words.dropLast().joined(separator: " "), type: .other(""))
        else { return nil }
        self.init(serial: serial, at: WallTime(millisecondsSince1970: time))
    }

    var text: String { "\(serial.canonical) \(at.millisecondsSince1970)" }
}
