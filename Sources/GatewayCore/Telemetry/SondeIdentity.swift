import ReceiverProtocol

/// Which sonde the receiver hears, safe against bit errors in the name.
///
/// A new serial is believed after three type-1 frames with it and none of the old one between; those frames are held
/// back until then and delivered in order. The first sonde after the start needs one.
struct SondeIdentity: Equatable, Sendable {
    /// What to do with the frame just offered.
    enum Verdict: Equatable {
        /// Of the current sonde (or without a name).
        case deliver
        /// Perhaps a new sonde: held back.
        case hold
        /// A new sonde; its frames in order.
        case change(from: SondeSerial?, to: SondeSerial, frames: [HeardFrame])
    }

    static let framesToChange = 3

    private(set) var current: SondeSerial?
    /// Frames held back for a sonde that was never confirmed, and given up.
    private(set) var unconfirmed = 0
    private var candidates: [HeardFrame] = []

    /// Decides on a type-1 frame with a plausible position.
    mutating func offer(_ heard: HeardFrame) -> Verdict {
        guard let serial = heard.serial else { return .deliver }
        // A rival's frames were bit errors or a second sonde that faded: they belong to no track.
        if candidates.first.map({ $0.serial != serial }) ?? false { giveUp() }
        guard let current else {
            self.current = serial
            return .change(from: nil, to: serial, frames: [heard])
        }
        guard serial != current else { return .deliver }
        candidates.append(heard)
        guard candidates.count == Self.framesToChange else { return .hold }
        defer { candidates = [] }
        self.current = serial
        return .change(from: current, to: serial, frames: candidates)
    }

    /// Another source says which sonde is followed. Returns the one before.
    mutating func adopt(_ serial: SondeSerial) -> SondeSerial? {
        giveUp()
        defer { current = serial }
        return current
    }

    /// What is held back will never be confirmed: the link ended, or another sonde was heard.
    mutating func giveUp() {
        unconfirmed += candidates.count
        candidates = []
    }
}
