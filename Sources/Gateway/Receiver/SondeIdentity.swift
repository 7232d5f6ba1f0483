import FlightMath
import ReceiverProtocol

/// Decides which sonde the receiver hears, even with bit errors in the name.
///
/// A new serial is accepted after three type 1 frames with it and none of the old serial between, once the old one has
/// not been heard for 30 s: another sonde on the frequency, or a decoder's second serial, interrupts a flight, but does
/// not end it. On another frequency the old one can't be heard, so three frames are enough. The frames are held back
/// until then, and delivered in order. The first sonde needs one frame only.
///
///     heard            V1       V2 x 5   V1 ...       V2 for 30 s   V2                  V3 x 2   V3, tuned elsewhere
///     verdict          change   hold     deliver      hold          change (all)        hold     change (all three)
struct SondeIdentity: Equatable, Sendable {
    /// What to do with the offered frame.
    enum Verdict: Equatable {
        /// The frame belongs to the current sonde, or is no type 1 with a name.
        case deliver
        /// Perhaps a new sonde: the frame is held back.
        case hold
        /// A new sonde, with its frames in order.
        case change(to: SondeSerial, frames: [HeardFrame])
    }

    static let framesToChange = 3
    /// The old sonde keeps its place for this long after its last frame.
    static let keepLimit = Duration.seconds(30)
    /// Beyond this the oldest held frame is dropped.
    private static let mostHeld = 128

    /// Nil until the receiver has heard a sonde.
    private(set) var current: SondeSerial?
    /// The number of held frames that were dropped, because their sonde was not confirmed.
    private(set) var unconfirmed = 0
    private var candidates: [HeardFrame] = []
    /// When the current sonde was last heard, and on which frequency.
    private var heardAt = MonotonicTime.zero
    private var heardOnMHz: Double?

    /// Decides about a valid frame.
    mutating func offer(_ heard: HeardFrame) -> Verdict {
        guard heard.frame.kind == .telemetry, let serial = heard.serial else { return .deliver }
        // The held frames of another serial were bit errors or a second sonde that faded. Drop them.
        if candidates.contains(where: { $0.serial != serial }) { giveUp() }
        guard let current else {
            accept(serial, heard)
            return .change(to: serial, frames: [heard])
        }
        guard serial != current else {
            accept(serial, heard)
            return .deliver
        }
        candidates.append(heard)
        if candidates.count > Self.mostHeld {
            candidates.removeFirst()
            unconfirmed += 1
        }
        guard candidates.count >= Self.framesToChange, isFree(at: heard) else { return .hold }
        defer { candidates = [] }
        accept(serial, heard)
        return .change(to: serial, frames: candidates)
    }

    private mutating func accept(_ serial: SondeSerial, _ heard: HeardFrame) {
        (current, heardAt) = (serial, heard.at.monotonic)
        heardOnMHz = heard.frame.frequencyMHz ?? heardOnMHz
    }

    /// Whether the current sonde has been silent for ``keepLimit``, or can't be heard on the present frequency.
    private func isFree(at heard: HeardFrame) -> Bool {
        if heard.at.monotonic.duration(since: heardAt) >= Self.keepLimit { return true }
        guard let heardOnMHz, let now = heard.frame.frequencyMHz else { return false }
        return !RadioGrid.agree(now, heardOnMHz)
    }

    /// Drops the held frames, because the link ended or another sonde was heard.
    mutating func giveUp() {
        unconfirmed += candidates.count
        candidates = []
    }
}
