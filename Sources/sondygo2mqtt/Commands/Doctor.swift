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

    @Flag(help: "Print all for a report of a fault, without secrets.")
    var report = false

    @OptionGroup var shared: SharedOptions
    @OptionGroup var receiver: ReceiverOptions

    func run() async throws {
        let configuration = shared.load(shared.loader(receiver.flags))
        // Another file is not the service's.
        let isServices = shared.config.map { $0 == ConfigurationLoader.defaultPath } ?? true
        let service = isServices ? InstalledService.present : nil
        var findings =
            [service?.finding].compactMap { $0 }
            + ReceiverCheckup(configuration: configuration, listens: .seconds(4)).findings()
        findings += await FirmwareCheckup(path: configuration.realStorePath).findings()
        if !next, !report { say(findings) }
        let services = await ServiceCheckup(configuration: configuration, service: service).findings()
        let feeds = configuration.feeds.all.filter(\.isEnabled).map(\.finding) + configuration.alerts.findings
        findings += services + feeds
        if report {
            for line in DoctorReport(configuration: configuration, findings: findings).lines { writeLine(line) }
        } else if next {
            for line in NextSteps.lines(after: findings, configuration) { writeLine(line) }
        } else {
            say(services + feeds)
        }
        guard !findings.contains(where: { $0.verdict == .wrong }) else { throw ExitCode(1) }
    }

    private func say(_ findings: [Finding]) {
        for finding in findings { writeLine(finding.line) }
    }
}
