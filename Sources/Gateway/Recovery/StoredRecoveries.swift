import FlightMath
import GatewayReports
import ReceiverProtocol

/// A ``RecoveryLedger`` in its stored form.
struct StoredRecoveries: StoredValue {
    struct Report: Sendable {
        var recovery: Recovery
        /// The report was sent, and perhaps it has arrived.
        var isTried: Bool
        /// The report's time is right.
        var isDated: Bool
    }

    var queue: ReadableList<Report>
    var told: ReadableList<String>
}

extension StoredRecoveries {
    init(from decoder: any Decoder) throws {
        let ledger = try decoder.container(keyedBy: CodingKeys.self)
        queue = try ledger.decodeIfPresent(ReadableList<Report>.self, forKey: .queue) ?? ReadableList([])
        told = try ledger.decodeIfPresent(ReadableList<String>.self, forKey: .told) ?? ReadableList([])
    }
}

extension StoredRecoveries.Report: Codable {
    private enum CodingKeys: String, CodingKey {
        case serial, state, by, note, at, latitude
        case altitudeMetres = "altitude_m"
        case isTried = "tried"
        case isDated = "dated"
    }

    init(from decoder: any Decoder) throws {
        let report = try decoder.container(keyedBy: CodingKeys.self)
        guard let state = RecoveryState(rawValue: try report.decode(String.self, forKey: .state)) else {
            throw DecodingError.dataCorruptedError(forKey: .state, in: report, debugDescription: "no state")
        }
        let hasPlace = try report.decodeIfPresent(Double.self, forKey: .latitude) != nil
        recovery = Recovery(
            try report.decode(SondeSerial.self, forKey: .serial), state,
            by: try report.decode(String.self, forKey: .by),
            note: try report.decode(String.self, forKey: .note), at: try report.decode(WallTime.self, forKey: .at),
            coordinate: hasPlace ? try Coordinate(onEarth: decoder) : nil,
            altitudeMetres: try report.decode(Double.self, forKey: .altitudeMetres))
        isTried = try report.decodeIfPresent(Bool.self, forKey: .isTried) ?? false
        isDated = try report.decodeIfPresent(Bool.self, forKey: .isDated) ?? true
    }

    func encode(to encoder: any Encoder) throws {
        try recovery.coordinate?.encode(to: encoder)
        var report = encoder.container(keyedBy: CodingKeys.self)
        try report.encode(recovery.serial, forKey: .serial)
        try report.encode(recovery.state.rawValue, forKey: .state)
        try report.encode(recovery.by, forKey: .by)
        try report.encode(recovery.note, forKey: .note)
        try report.encode(recovery.time, forKey: .at)
        try report.encode(recovery.altitudeMetres, forKey: .altitudeMetres)
        try report.encode(isTried, forKey: .isTried)
        try report.encode(isDated, forKey: .isDated)
    }
}
