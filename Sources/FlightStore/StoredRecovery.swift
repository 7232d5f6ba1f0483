import GRDB
import GatewayReports

/// The last report of a sonde's recovery, as its flight has it.
struct StoredRecovery: Sendable {
    /// Its state and the name of whoever reports it.
    var text: String
    var note: String?
}

extension StoredRecovery {
    init(_ recovery: Recovery) {
        self.init(
            text: "\(recovery.state.rawValue) \(recovery.by)", note: recovery.note.isEmpty ? nil : recovery.note)
    }
}

extension FlightStore {
    static func record(_ recovery: StoredRecovery, in flight: StoredFlight, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE flight SET recovery = ?, recovery_note = ? WHERE id = ?",
            arguments: [recovery.text, recovery.note, flight.id])
    }
}
