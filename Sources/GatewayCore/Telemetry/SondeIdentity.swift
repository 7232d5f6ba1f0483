import ReceiverProtocol

/// Which sonde the receiver hears, safe against bit errors in the name.
///
/// A new serial is believed after three type-1 frames with it and none of the old one between; those frames are held
/// back until then and delivered in order. The first sonde after the start needs one.
struct SondeIdentity: Equatable, Sendable {
    /// What to do with the frame just offered.
    enum Verdict: Equatable {
        /// Of the current sonde (or without a name).
        case deliver(HeardFrame)
        /// Perhaps a new sonde: held back. `dropped` frames of a rival candidate are given up.
        case held(dropped: Int)
        /// A new sonde; its frames in order. `dropped` as above.
        case changed(from: SondeSerial?, to: SondeSerial, frames: [HeardFrame], dropped: Int)
    }

    static let framesToChange = 3

    private(set) var current: SondeSerial?
    private var candidates: [HeardFrame] = []

    /// Decides on a type-1 frame with a plausible position.
    mutating func offer(_ heard: HeardFrame) -> Verdict {
        guard let serial = heard.serial else { return .deliver(heard) }
        guard let current else {
            self.current = serial
            return .changed(from: nil, to: serial, frames: [heard], dropped: 0)
        }
        // A rival's frames were bit errors or a second sonde that faded: they belong to no track.
        let isRival = candidates.first.map { $0.serial != serial } ?? false
        let dropped = isRival ? candidates.count : 0
        if isRival { candidates = [] }
        guard serial != current else { return .deliver(heard) }
        candidates.append(heard)
        guard candidates.count == Self.framesToChange else { return .held(dropped: dropped) }
        let frames = candidates
        candidates = []
        self.current = serial
        return .changed(from: current, to: serial, frames: frames, dropped: dropped)
    }

    /// The link ended: what is held back will never be confirmed. Returns how many frames that costs.
    mutating func linkClosed() -> Int {
        defer { candidates = [] }
        return candidates.count
    }
}
