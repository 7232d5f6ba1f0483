import FlightMath
import ReceiverProtocol

/// The sonde that the gateway looks for while the receiver hears none.
struct HuntedSonde: Equatable, Sendable {

    /// The sonde of the configuration.
    private let configured: SondeSerial?
    /// The sonde of a command or of the configuration. It stays until a command changes it.
    private(set) var pinned: SondeSerial?
    /// The time of a command that an earlier run stored; nil if this run received the command. When the clock is set,
    /// the hunt may turn out to be over.
    private(set) var storedAt: WallTime?
    private(set) var lastHeard: SondeSerial?
    private var lastNewsAt = MonotonicTime.zero

    init(configured: SondeSerial?) {
        self.configured = configured
        pinned = configured
    }

    /// Whether a command or the configuration hunts this sonde.
    func pins(_ serial: SondeSerial?) -> Bool { pinned != nil && pinned == serial }

    /// Hunts a sonde by a command; nil ends the hunt.
    mutating func pin(_ serial: SondeSerial?) {
        pinned = serial
        storedAt = nil
    }

    /// Restores the command of an earlier run.
    mutating func recall(_ serial: SondeSerial, at time: WallTime) {
        pinned = serial
        storedAt = time
    }

    /// Ends the hunt of an earlier run.
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

    /// The hunted sonde; nil for the newest of the launch site.
    func serial(at now: MonotonicTime) -> SondeSerial? {
        if let pinned { return pinned }
        guard let lastHeard, now < lastNewsAt.advanced(by: Silence.lost.begins) else { return nil }
        return lastHeard
    }
}

/// A command's hunt in its stored form.
struct StoredHunt: StoredValue {
    var serial: SondeSerial
    /// When the command came.
    var at: WallTime
}

extension StoredHunt {
    /// - Parameter text: `V4210150 1767268800000`.
    init?(earlier text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 2, let time = Int64(words[words.count - 1]),
            let serial = SondeSerial(name: words.dropLast().joined(separator: " "), type: .other(""))
        else { return nil }
        self.init(serial: serial, at: WallTime(millisecondsSince1970: time))
    }
}
