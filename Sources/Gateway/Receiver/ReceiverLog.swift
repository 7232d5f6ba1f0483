import FlightMath
import ReceiverProtocol

/// Records what happens to the receiver with the flight that is followed.
struct ReceiverLog: Sendable {
    /// The most events that wait for a flight; of more the newest stay.
    private static let mostPending = 50

    private struct Pending {
        var kind: ReceiverEvent.Kind
        var at: MonotonicTime
        var firmware: String?
        var millivolts: Int?
    }

    private var pending: [Pending] = []
    /// The sonde to whose flight the last events belong.
    private var serial: SondeSerial?

    /// - Parameter frame: the last one on the link.
    mutating func note(_ kind: ReceiverEvent.Kind, _ frame: RadioFrame?, firmware: String?, at now: MonotonicTime) {
        pending = pending.suffix(Self.mostPending - 1)
        pending.append(Pending(kind: kind, at: now, firmware: firmware, millivolts: frame?.batteryMillivolts))
    }

    /// Whether the next events belong to another flight than the last ones.
    func isNew(_ serial: SondeSerial) -> Bool { self.serial != serial }

    /// Forgets what was before this sonde's flight.
    mutating func begin(_ serial: SondeSerial) { (self.serial, pending) = (serial, []) }

    /// - Parameter serial: of a sonde with a flight.
    mutating func record(_ serial: SondeSerial, _ turn: inout Turn) {
        for event in pending {
            turn.record(
                .receiver(
                    serial,
                    ReceiverEvent(
                        event.kind, at: turn.now.earlier(at: event.at).wall, firmware: event.firmware,
                        millivolts: event.millivolts)))
        }
        pending = []
    }
}
