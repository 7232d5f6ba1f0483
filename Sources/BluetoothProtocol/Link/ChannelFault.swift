import GatewayReports

/// Why an ATT channel could not be opened, or why it ended, as the kernel reports it.
public enum ChannelFault: Equatable, Sendable {
    /// The supervision timeout ran out on an open link, or while a link was being made.
    case timedOut
    /// The receiver ended the link.
    case closedByPeer
    /// This side ended the link: another program, or the adapter went away.
    case closedHere
    /// The controller gave a reason that the kernel does not translate (failed to be established, MIC failure …).
    case broken
    /// The kernel stopped waiting for a device that did not appear (after 40 s).
    case gaveUp
    /// Another program holds the ATT channel of this link.
    case taken
    case adapterOff
    case denied
    /// Any other fault, in the system's own words.
    case other(String)

    /// The error if this fault ended an open link.
    var loss: TransportError {
        switch self {
        case .timedOut: TransportError(.timedOut, "the receiver went out of range")
        case .closedByPeer: TransportError(.closedByPeer, "the receiver hung up")
        case .closedHere, .adapterOff:
            TransportError(.closedByPeer, "the link was ended on this side (adapter off or unplugged, another program)")
        case .broken, .gaveUp: TransportError(.closedByPeer, "the radio link broke")
        case .taken: TransportError(.busy, "another program took the link over")
        case .denied: TransportError(.permissionDenied, "the Bluetooth socket is not permitted")
        case .other(let text): TransportError(.inputOutput, "the link failed: \(text)")
        }
    }

    /// The error and the outcome if this fault prevented a link.
    /// - Parameter wasHeard: whether a scan found the receiver just before.
    func refusal(wasHeard: Bool) -> (TransportError, LinkOutcome) {
        switch self {
        case .gaveUp where !wasHeard: (TransportError(.timedOut, "the receiver is not in range"), .notFound)
        case .taken:
            (
                TransportError(
                    .busy, "another program (bluetoothd?) holds the link to the receiver; disconnect it there"),
                .failed
            )
        case .adapterOff: (TransportError(.unreachable, "the Bluetooth adapter is off"), .unavailable)
        case .denied: (TransportError(.permissionDenied, "the Bluetooth socket is not permitted"), .denied)
        case .timedOut, .closedByPeer, .closedHere, .broken, .gaveUp:
            (TransportError(.unreachable, "the connection to the receiver failed while being made"), .failed)
        case .other(let text): (TransportError(.inputOutput, "the Bluetooth socket: \(text)"), .failed)
        }
    }
}
