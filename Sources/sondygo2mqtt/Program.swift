import ArgumentParser
import CLinux
import GatewayRuntime
import Glibc

/// The process's entry point. A gateway runs on the process's first thread.
@main
enum Program {
    static let executor = ThreadExecutor(named: "loop")

    static func main() {
        // Swift reads them from /proc/self/cmdline. Without them each command would run a gateway.
        guard !CommandLine.arguments.isEmpty else {
            CommandFailure(.unavailable, "the program can't read its arguments: is /proc mounted?").exit()
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let complaint = SondyGo2MQTT.complaint(about: arguments) { CommandFailure(.usage, complaint).exit() }
        // `main` below reports arguments that can't be parsed.
        let isGateway = (try? SondyGo2MQTT.parseAsRoot(arguments)) is any GatewayCommand
        _ = refuse_huge_pages()
        Task(executorPreference: isGateway ? executor : nil) {
            await SondyGo2MQTT.main(arguments)
            exit(EXIT_SUCCESS)
        }
        executor.run()
    }
}

/// A command that runs a gateway until it is stopped.
protocol GatewayCommand: AsyncParsableCommand {}
