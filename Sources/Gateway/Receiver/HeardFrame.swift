import FlightMath
import ReceiverProtocol

/// A radio frame and the time of its arrival.
struct HeardFrame: Equatable, Sendable {
    var frame: RadioFrame
    var at: Moment
    /// Nil if the frame holds no usable name.
    var serial: SondeSerial?

    /// - Parameter last: the frame before. Its serial is reused if the name is the same.
    init(_ frame: RadioFrame, at: Moment, after last: HeardFrame? = nil) {
        self.frame = frame
        self.at = at
        if let last, last.frame.name == frame.name, last.frame.sondeType == frame.sondeType {
            serial = last.serial
        } else {
            serial = frame.name.flatMap { SondeSerial(name: $0, type: frame.sondeType) }
        }
    }

    /// The position of a type 1 frame, if it is plausible; otherwise nil.
    var position: Position? {
        if case .plausible(let position) = frame.position { position } else { nil }
    }
}
