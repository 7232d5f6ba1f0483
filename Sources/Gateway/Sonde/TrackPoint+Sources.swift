import FlightMath
import GatewayReports
import ReceiverProtocol

extension TrackPoint {
    /// A point of the receiver.
    init(_ position: Position, at time: WallTime) {
        self.init(
            time: time, coordinate: position.coordinate, altitudeMetres: position.altitudeMetres, source: .ble)
    }

    /// A point of SondeHub.
    init(_ record: SondeHubRecord) {
        self.init(
            time: record.time, coordinate: record.coordinate, altitudeMetres: record.altitudeMetres,
            source: .sondehub)
    }
}

extension Position {
    var speeds: ReportedSpeeds { ReportedSpeeds(horizontal: horizontalSpeed, vertical: verticalSpeed) }
}

extension SondeHubRecord {
    var speeds: ReportedSpeeds { ReportedSpeeds(horizontal: horizontalSpeed, vertical: verticalSpeed) }
}
