import ArgumentParser
import GatewayRuntime
import Glibc

struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a command through the broker and print the answers.",
        discussion: """
            For example:  sondygo2mqtt send '{"frequency":404.2,"type":"RS41"}'
            Exits with 0 when the command was carried out, 1 when it was refused or timed out, 69 when no gateway \
            answers.
            """)

    @Argument(help: "The command, a JSON object.")
    var command: String

    @Option(help: "Seconds to wait for the final answer, 0.1 to 3600.")
    var timeout = 15.0

    @OptionGroup var shared: SharedOptions

    private static let timeouts = 0.1...3600

    func validate() throws {
        // NaN is outside the range, too.
        guard Self.timeouts.contains(timeout) else {
            throw ValidationError("--timeout \(timeout): give 0.1 to 3600 seconds")
        }
    }

    func run() async throws {
        let configuration = AskedGateway.configuration(shared)
        do throws(CommandFailure) {
            let answer = try await SentCommand(command, to: configuration, within: .seconds(timeout)).run { answer in
                writeLine(String(decoding: answer, as: UTF8.self).plainLine(limit: 100_000))
            }
            if !answer.isCarriedOut { Glibc.exit(CommandFailure.Kind.refused.rawValue) }
        } catch {
            error.exit()
        }
    }
}
