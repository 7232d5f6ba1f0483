import ReceiverProtocol

/// A radio frame and when it was heard.
struct HeardFrame: Equatable, Sendable {
    var frame: RadioFrame
    var at: Moment
    /// Nil when the receiver printed no usable name.
    var serial: SondeSerial?

    init(_ frame: RadioFrame, at: Moment) {
        self.frame = frame
        self.at = at
        serial = frame.name.flatMap { SondeSerial(name: $0, type: frame.sondeType) }
    }

    /// Nil for all but a type 1 with a plausible one.
    var position: Position? {
        if case .plausible(let position) = frame.position { position } else { nil }
    }
}
