import FlightMath
import ReceiverProtocol

/// A radio frame and when it was heard.
struct HeardFrame: Equatable, Sendable {
    var frame: RadioFrame
    var at: Moment
    /// Nil when the receiver printed no usable name.
    var serial: SondeSerial?

    /// - Parameter last: the frame before, whose serial serves again when the name is the same.
    init(_ frame: RadioFrame, at: Moment, after last: HeardFrame? = nil) {
        self.frame = frame
        self.at = at
        if let last, last.frame.name == frame.name, last.frame.sondeType == frame.sondeType {
            serial = last.serial
        } else {
            serial = frame.name.flatMap { SondeSerial(name: $0, type: frame.sondeType) }
        }
    }

    /// Nil for all but a type 1 with a plausible one.
    var position: Position? {
        if case .plausible(let position) = frame.position { position } else { nil }
    }
}
