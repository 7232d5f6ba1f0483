import ArgumentParser
import GatewayReports
import GatewayRuntime
import Glibc
import StreamTransports

struct Replay: GatewayCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play a raw log as if its receiver were here; ends with the recording.",
        discussion: """
            Raw logs are written while recorder.raw is true, below gateway.state_directory/raw. A silence in the \
            recording, or a new session, is played as a lost and found link.
            """)

    @Argument(help: "The raw log (.jsonl).")
    var file: String

    @Option(help: "How much faster than real time, the gateway's own timers included.")
    var speed: String?

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let flags = SharedOptions.table([
            ("receiver.transport", "replay", "replay"), ("receiver.file", "FILE", file),
            ("receiver.speed", "--speed", speed),
        ])
        guard access(file, R_OK) == 0 else {
            CommandFailure(.usage, "\(file.given): \(String(cString: strerror(errno))); give a raw log").exit()
        }
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let what = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a plain file"
            CommandFailure(.unavailable, "\(file.given) is \(what); give a raw log").exit()
        }
        let loader = shared.loader(flags, servesPage: true)
        let configuration = shared.load(loader)
        do throws(TransportError) {
            try await ReplayTransport(file: file, clock: ScaledGatewayClock(rate: 1)).check()
        } catch {
            CommandFailure(.unavailable, error.detail).exit()
        }
        let level = SharedOptions.startLogging(configuration.gateway.logLevel)
        await Composition(configuration: configuration, endsWithSource: true, loader: loader, logLevel: level)
            .runWithBroker()
    }
}
