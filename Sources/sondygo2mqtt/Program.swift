import ArgumentParser
import GatewayRuntime
import Glibc

/// Where the process begins.
///
/// A gateway runs on the process's first thread from its first step on. Until a feed is on or a page asks for something,
/// the system's thread pool is never begun for it: that would look after itself once a second from then on.
@main
enum Program {
    /// The first thread's.
    static let executor = LoopExecutor()

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let complaint = SondyGo2MQTT.complaint(about: arguments) { CommandFailure(.usage, complaint).exit() }
        // What can't be parsed is told below.
        let isGateway = (try? SondyGo2MQTT.parseAsRoot(arguments)) is any GatewayCommand
        // A command that only asks something may wait in any way that it likes.
        Task(executorPreference: isGateway ? executor : nil) {
            await SondyGo2MQTT.main(arguments)
            exit(EXIT_SUCCESS)
        }
        executor.run()
    }
}

/// A command that runs a gateway until it is stopped.
protocol GatewayCommand: AsyncParsableCommand {}
