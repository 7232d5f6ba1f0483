import ArgumentParser
import GatewayReports
import GatewayRuntime

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what the sonde does, where and when it lands.",
        discussion: "The running gateway says it, in its language. Exits with 69 when no gateway answers.")

    @OptionGroup var shared: SharedOptions

    private static let limit = Duration.seconds(10)

    func run() async throws {
        let configuration = AskedGateway.configuration(shared)
        do throws(CommandFailure) {
            let command = SentCommand("{\"request\":\"status\"}", to: configuration, within: Self.limit)
            let answer = try await command.run { _ in }
            guard answer.isCarriedOut, case .string(let sentence)? = answer.applied["text"] else {
                throw CommandFailure(.refused, answer.refusal ?? "the gateway gave no sentence; is it an old one?")
            }
            writeLine(sentence.plainLine(limit: 1000))
        } catch {
            error.exit()
        }
    }
}
