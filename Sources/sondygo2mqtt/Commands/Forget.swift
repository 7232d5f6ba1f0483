import ArgumentParser

struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove from the broker all that a stopped gateway has left there.",
        discussion: """
            Removes the retained topics of gateway.id, its device in Home Assistant and its friends in OwnTracks. \
            Run it before the package is purged, or after gateway.id was changed, with the old --id.
            Exits with 0 when everything is removed, 1 when the gateway is running or the broker refuses, 69 when no \
            broker answers.
            """)

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let configuration = shared.load(shared.loader())
        do throws(CommandFailure) {
            for topic in try await BrokerCleanup(configuration).run() { writeLine("removed \(topic)") }
        } catch {
            error.exit()
        }
    }
}
