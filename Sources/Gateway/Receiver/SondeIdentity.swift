import ReceiverProtocol

/// Decides which sonde the receiver hears, even with bit errors in the name.
///
/// A new serial is accepted after three type 1 frames with it and none of the old serial between. These frames are held
/// back until then, and delivered in order. The first sonde needs one frame only.
///
///     heard            V1       V2    V2    V1 ...       V2    V2    V2
///     verdict          change   hold  hold  deliver      hold  hold  change (all three)
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

    /// Nil until the receiver has heard a sonde.
    private(set) var current: SondeSerial?
    /// The number of held frames that were dropped, because their sonde was not confirmed.
    private(set) var unconfirmed = 0
    private var candidates: [HeardFrame] = []

    /// Decides about a valid frame.
    mutating func offer(_ heard: HeardFrame) -> Verdict {
        guard heard.frame.kind == .telemetry, let serial = heard.serial else { return .deliver }
        // The held frames of another serial were bit errors or a second sonde that faded. Drop them.
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

    /// Drops the held frames, because the link ended or another sonde was heard.
    mutating func giveUp() {
        unconfirmed += candidates.count
        candidates = []
    }
}
