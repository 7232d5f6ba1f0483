import FlightMath
import GatewayReports
import ReceiverProtocol

/// The newest of every report: what somebody who comes now is told first.
struct Snapshot {
    private var newest: [Report.Kind: Report] = [:]
    /// The sonde that is followed.
    private(set) var serial: SondeSerial?

    mutating func update(with report: Report) {
        guard !report.kind.isHappening else { return }
        newest[report.kind] = report
        guard case .state(let state) = report else { return }
        serial = state.serial
        // Nothing of another sonde may be shown as the place of this one.
        if case .position(let position) = newest[.position], position.serial != state.serial {
            newest[.position] = nil
        }
        if case .radio(let radio) = newest[.radio], radio.source == .sondehub, radio.serial != state.serial {
            newest[.radio] = nil
        }
    }

    subscript(kind: Report.Kind) -> Report? { newest[kind] }

    /// In the order in which kinds are declared.
    var reports: [Report] { Report.Kind.allCases.compactMap { newest[$0] } }
}
