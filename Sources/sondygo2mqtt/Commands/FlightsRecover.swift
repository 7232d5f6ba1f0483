import ArgumentParser
import FlightStore
import GatewayReports
import Glibc

struct FlightsRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Copy what can be read of a damaged store into the present one.",
        discussion: """
            The gateway moves a damaged store aside (gateway.sqlite.damaged). Stop the gateway before: sudo systemctl \
            stop sondygo2mqtt. Flights that the store has gain the points that they lack; nothing is removed.
            """)

    @Option(help: "The damaged file; without it all that lie beside the store.")
    var from: String?

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let configuration = shared.load(shared.loader())
        let files = from.map { [$0] } ?? FlightSalvage.files(beside: configuration.realStorePath)
        if let from, access(from, R_OK) != 0 {
            let why = String(cString: strerror(errno))
            CommandFailure(
                .unavailable, "--from \(from.given): \(why); give a store, for example gateway.sqlite.damaged"
            ).exit()
        }
        guard !files.isEmpty else { return writeLine("no damaged store lies beside \(configuration.realStorePath)") }
        let store = FlightStore(
            path: configuration.realStorePath,
            bounds: StoreBounds(
                messages: configuration.mqtt.spoolMessages, messageHours: configuration.mqtt.spoolHours,
                flightDays: configuration.recorder.retentionDays, megabytes: configuration.recorder.maximumSizeMB)
        ) { writeLine($0) }
        for file in files {
            do throws(StoreError) {
                let summary = try await FlightSalvage(from: file, into: store).run()
                writeLine(
                    "\(file): \(summary.flights) flights with \(summary.points) points copied; "
                        + "\(summary.lost) could not be read")
            } catch {
                let advice =
                    error.code == .inUse
                    ? "stop the gateway first: sudo systemctl stop sondygo2mqtt"
                    : "give a store, for example gateway.sqlite.damaged"
                let name = error.detail.hasPrefix(file) ? "" : "\(file.given): "
                CommandFailure(.unavailable, "\(name)\(error.detail); \(advice)").exit()
            }
        }
        await store.close()
    }
}
