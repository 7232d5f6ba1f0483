/// Checks the way to the receiver.
struct ReceiverCheckup {
    let configuration: Configuration
    /// How long to listen on a cable that nobody uses; nil only looks at it.
    var listens: Duration?

    func findings() -> [Finding] {
        let receiver = configuration.receiver
        switch receiver.transport {
        case .ble: return BluetoothCheckup(configuration: configuration).findings()
        case .serial:
            return [PathCheckup.serialDevice(receiver.device, at: receiver.baud, listens: listens)]
        case .tcp:
            return [
                Finding.note("receiver", "tcp \(receiver.host):\(receiver.port) is not tried here; see run's log")
            ]
        case .replay: return [PathCheckup.recording(receiver.file ?? "")]
        case .simulator: return [Finding.ok("receiver", "simulated")]
        }
    }
}
