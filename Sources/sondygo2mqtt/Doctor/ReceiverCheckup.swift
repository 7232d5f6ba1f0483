/// Checks the way to the receiver.
struct ReceiverCheckup {
    let configuration: Configuration

    func findings() -> [Finding] {
        let receiver = configuration.receiver
        switch receiver.transport {
        case .ble: return BluetoothCheckup(configuration: configuration).findings()
        case .serial: return [PathCheckup.serialDevice(receiver.device)]
        case .tcp:
            return [
                Finding.note("receiver", "tcp \(receiver.host):\(receiver.port) is not tried here; see run's log")
            ]
        case .replay: return [PathCheckup.recording(receiver.file ?? "")]
        case .simulator: return [Finding.ok("receiver", "simulated")]
        }
    }
}
