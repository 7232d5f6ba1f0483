import ArgumentParser

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check everything that the gateway needs, and say what to do.",
        discussion: """
            One line for each thing: ok, note (worth knowing) or WRONG with what to do. Exits with 1 if something that \
            is needed is wrong. Run it as the user that the gateway runs as.
            """)

    @Flag(help: "Say in four lines what to do next.")
    var next = false

    @OptionGroup var shared: SharedOptions
    @OptionGroup var receiver: ReceiverOptions

    func run() async throws {
        let configuration = shared.load(shared.loader(receiver.flags))
        var findings = receiverFindings(configuration)
        if !next { say(findings) }
        let services = await ServiceCheckup(configuration: configuration).findings()
        let feeds = configuration.feeds.all.filter(\.isEnabled).map(\.finding)
        findings += services + feeds
        if next {
            for line in NextSteps.lines(after: findings, configuration) { writeLine(line) }
        } else {
            say(services + feeds)
        }
        guard !findings.contains(where: { $0.verdict == .wrong }) else { throw ExitCode(1) }
    }

    private func say(_ findings: [Finding]) {
        for finding in findings { writeLine(finding.line) }
    }

    private func receiverFindings(_ configuration: Configuration) -> [Finding] {
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
