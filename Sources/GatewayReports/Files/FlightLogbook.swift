public import FlightMath
import ReceiverProtocol

/// What became of the recorded flights, and of the crew's drives to them.
public enum FlightLogbook {
    public struct Entry: Equatable, Sendable {
        public var flight: ArchivedFlight
        public var marks: [FlightMarks.Mark]
        public var chase: ChaseLog
        /// Nil if nothing of it is recorded.
        public var receiver: ReceiverSummary?

        public init(
            _ flight: ArchivedFlight, marks: [FlightMarks.Mark], chase: ChaseLog, receiver: ReceiverSummary?
        ) {
            (self.flight, self.marks, self.chase, self.receiver) = (flight, marks, chase, receiver)
        }

        fileprivate func place(of kind: FlightMarks.Mark.Kind) -> TrackPoint? {
            marks.first { $0.kind == kind }?.point
        }
    }

    /// `{"damaged":false,"flights":[{…}, …]}`, the newest first.
    /// - Parameter isDamaged: something of the flights could not be read, and is missing.
    public static func json(_ entries: [Entry], isDamaged: Bool) -> [UInt8] {
        var json = JSONText()
        json.field("damaged", isDamaged)
        json.array("flights", entries[...]) { inner, entry in
            inner.object { $0.fields(of: entry) }
        }
        return json.object
    }
}

extension JSONText {
    fileprivate mutating func fields(of entry: FlightLogbook.Entry) {
        let (flight, chase) = (entry.flight, entry.chase)
        field("serial", flight.serial.canonical)
        field("sonde_type", flight.sondeType.named?.name)
        field("first_at", flight.firstAt)
        field("last") { $0.fields(of: flight.last) }
        field("highest_m", flight.highestMetres, decimals: 1)
        field("launch", entry.place(of: .launch)) { $0.fields(of: $1) }
        field("burst", entry.place(of: .burst)) { $0.fields(of: $1) }
        field("landing", entry.place(of: .landing) ?? flight.landing) { $0.fields(of: $1) }
        field("drive", chase.from) { inner, from in
            inner.field("from", from)
            inner.field("to", chase.to)
            inner.field("driven_m", chase.drivenMetres, decimals: 1)
        }
        field("arrived_at", chase.arrivedAt)
        field("receiver", entry.receiver) { inner, receiver in
            inner.field("firmware", receiver.firmware)
            inner.field("restarts", receiver.restarts)
            inner.field("losses", receiver.losses)
        }
        field("recovery", flight.recovery)
        field("note", flight.recoveryNote)
    }
}
