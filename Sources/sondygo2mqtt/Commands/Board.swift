import ArgumentParser

struct Board: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show all cars of a fleet on one page.",
        discussion: """
            For example:  sondygo2mqtt board --mqtt-host node1,node2,node3 --port 8090
            It shows what the gateways publish below mqtt.base_topic and keeps nothing: any number of boards can run. \
            Address, port, host names and maps are those of dashboard. It sends commands to cars only with \
            board.commands.
            """)

    @OptionGroup var shared: SharedOptions

    @Option(help: "dashboard.address: where the page is served.")
    var address: String?

    @Option(help: "dashboard.port: the page's port.")
    var port: String?

    func run() async throws {
        let flags = SharedOptions.table([
            ("dashboard.address", "--address", address), ("dashboard.port", "--port", port),
        ])
        let configuration = shared.load(shared.loader(flags, servesPage: true))
        _ = SharedOptions.startLogging(configuration.gateway.logLevel)
        do {
            try await BoardService(configuration).runAlone()
        } catch let failure as CommandFailure {
            failure.exit()
        }
    }
}
