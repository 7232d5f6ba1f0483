import FlightMath
import GatewayReports
import ReceiverProtocol

extension PositionReport {
    init(
        _ position: Position, of heard: HeardFrame, serial: SondeSerial?, burstKillerAt: WallTime?, time: WallTime,
        isRepeat: Bool
    ) {
        self.init(
            serial: serial, name: heard.frame.name, sondeType: heard.frame.sondeType, source: .ble,
            coordinate: position.coordinate, altitudeMetres: position.altitudeMetres,
            horizontalSpeed: position.horizontalSpeed, verticalSpeed: position.verticalSpeed,
            burstKillerAt: burstKillerAt, time: time, receivedAt: heard.at, frameKind: heard.frame.kind,
            ageWhenReceived: .zero, isRepeat: isRepeat)
    }

    /// - Parameter name: SondeHub's serial for the sonde.
    init(
        _ record: SondeHubRecord, named name: SondeSerial?, burstKillerAt: WallTime?, age: Duration, isRepeat: Bool,
        at now: Moment
    ) {
        self.init(
            serial: record.serial, name: (name ?? record.serial).canonical, sondeType: record.sondeType.named,
            source: .sondehub,
            coordinate: record.coordinate, altitudeMetres: record.altitudeMetres,
            horizontalSpeed: record.horizontalSpeed, verticalSpeed: record.verticalSpeed,
            headingDegrees: record.headingDegrees, temperatureCelsius: record.temperatureCelsius,
            humidityPercent: record.humidityPercent, pressureHectopascal: record.pressureHectopascal,
            burstKillerAt: burstKillerAt, time: record.time, receivedAt: now, frameKind: nil,
            ageWhenReceived: max(.zero, age), isRepeat: isRepeat)
    }
}
