import FlightMath
import GatewayReports
import ReceiverProtocol

/// The newest report of each kind, which a new stream gets first.
struct Snapshot {
    private var newest: [Report.Kind: Report] = [:]
    /// The followed sonde's serial.
    private(set) var serial: SondeSerial?

    mutating func update(with report: Report) {
        guard !report.kind.isHappening else { return }
        newest[report.kind] = report
        guard case .state(let state) = report else { return }
        serial = state.serial
        // The position of another sonde must not be shown as this one's.
        if case .position(let position) = newest[.position], position.serial != state.serial {
            newest[.position] = nil
        }
        if case .radio(let radio) = newest[.radio], radio.source == .sondehub, radio.serial != state.serial {
            newest[.radio] = nil
        }
    }

    subscript(kind: Report.Kind) -> Report? { newest[kind] }

    /// The reports in the order of `Report.Kind`.
    var reports: [Report] { Report.Kind.allCases.compactMap { newest[$0] } }
}
