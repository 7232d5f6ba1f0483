import FlightMath
import GatewayReports
import ReceiverProtocol

extension RadioReport {
    init(
        serial: SondeSerial?, heard: HeardFrame, sondeFrequencyMHz: Double?, afcMeanHz: Double?, time: WallTime
    ) {
        self.init(
            serial: serial, name: heard.frame.name, sondeType: heard.frame.sondeType, source: .ble, frame: heard.frame,
            sondeFrequencyMHz: sondeFrequencyMHz, afcMeanHz: afcMeanHz, heardAt: heard.at, time: time,
            receivedAt: heard.at)
    }

    init(_ record: SondeHubRecord, heardAt: Moment?, at now: Moment) {
        self.init(
            serial: record.serial, name: record.serial.canonical, sondeType: record.sondeType.named, source: .sondehub,
            frame: nil, sondeFrequencyMHz: record.frequencyMHz, afcMeanHz: nil, heardAt: heardAt, time: record.time,
            receivedAt: now)
    }
}
