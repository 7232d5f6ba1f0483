/// Checks the way to the receiver.
struct ReceiverCheckup {
    let configuration: Configuration
    /// How long to listen on a cable that nobody uses; nil only looks at it.
    var listens: Duration?

    func findings() -> [Finding] { configuration.receiver.chosen.findings(self) }
}
