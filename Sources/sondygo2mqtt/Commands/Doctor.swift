import ArgumentParser
import Glibc

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check everything that the gateway needs, and say what to do.",
        discussion: """
            One line for each thing: ok, note (worth knowing) or WRONG with what to do. Exits with 1 if something that \
            is needed is wrong. Run it as the user that the gateway runs as.
            """)

    @OptionGroup var shared: SharedOptions
    @OptionGroup var receiver: ReceiverOptions

    func run() async throws {
        let configuration = shared.load(shared.loader(receiver.flags))
        var findings = receiverFindings(configuration)
        for finding in findings { writeLine(finding.line) }
        let services = await ServiceCheckup(configuration: configuration).findings()
        for finding in services { writeLine(finding.line) }
        findings += services
        guard !findings.contains(where: { $0.verdict == .wrong }) else { throw ExitCode(1) }
    }

    private func receiverFindings(_ configuration: Configuration) -> [Finding] {
        let receiver = configuration.receiver
        switch receiver.transport {
        case .ble: return BluetoothCheckup(configuration: configuration).findings()
        case .serial:
            if access(receiver.device, R_OK | W_OK) == 0 { return [Finding("receiver", .ok, receiver.device)] }
            let why = String(cString: strerror(errno))
            let remedy = errno == EACCES ? "run: sudo adduser $USER dialout" : "is its cable plugged in?"
            return [Finding("receiver", .wrong, "\(receiver.device): \(why); \(remedy)")]
        case .tcp: return [Finding("receiver", .note, "tcp \(receiver.host):\(receiver.port) is tried by run only")]
        case .replay:
            let file = receiver.file ?? ""
            return access(file, R_OK) == 0
                ? [Finding("receiver", .ok, "recording \(file)")]
                : [Finding("receiver", .wrong, "recording \(file) can't be read")]
        case .simulator: return [Finding("receiver", .ok, "simulated")]
        }
    }
}
