import ReceiverProtocol

/// Which sonde the receiver hears, safe against bit errors in the name.
///
/// A new serial is believed after three type-1 frames with it and none of the old one between; those frames are held
/// back until then and delivered in order. The first sonde heard needs one, whatever other sources have named before.
///
///     heard            V1       V2    V2    V1 ...       V2    V2    V2
///     verdict          change   hold  hold  deliver      hold  hold  change (all three)
struct SondeIdentity: Equatable, Sendable {
    /// What to do with the frame just offered.
    enum Verdict: Equatable {
        /// Of the current sonde, or no type 1 with a name.
        case deliver
        /// Perhaps a new sonde: held back.
        case hold
        /// A new sonde; its frames in order.
        case change(to: SondeSerial, frames: [HeardFrame])
    }

    static let framesToChange = 3

    /// Nil until the receiver has heard a sonde.
    private(set) var current: SondeSerial?
    /// Frames held back for a sonde that was never confirmed, and given up.
    private(set) var unconfirmed = 0
    private var candidates: [HeardFrame] = []

    /// Decides on a valid frame.
    mutating func offer(_ heard: HeardFrame) -> Verdict {
        guard heard.frame.kind == .telemetry, let serial = heard.serial else { return .deliver }
        // A rival's frames were bit errors or a second sonde that faded: they belong to no track.
        if candidates.first.map({ $0.serial != serial }) ?? false { giveUp() }
        guard let current else {
            self.current = serial
            return .change(to: serial, frames: [heard])
        }
        guard serial != current else { return .deliver }
        candidates.append(heard)
        guard candidates.count >= Self.framesToChange else { return .hold }
        defer { candidates = [] }
        self.current = serial
        return .change(to: serial, frames: candidates)
    }

    /// What is held back will never be confirmed: the link ended, or another sonde was heard.
    mutating func giveUp() {
        unconfirmed += candidates.count
        candidates = []
    }
}
