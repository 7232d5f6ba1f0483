import Gateway
import GatewayReports
import Synchronization

/// Matches the page's commands with their answers. A request gets the final answer, or after two seconds the first one.
/// Later answers come as events.
final class CommandReplies: Sendable {
    /// How long a request waits for the final answer.
    private static let answerTimeout = Duration.seconds(2)
    /// The most answers kept for one command.
    private static let mostAnswers = 8

    private struct State {
        var number: UInt64 = 0
        var waiting: [UInt64: AsyncStream<AnswerReport>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Gives an answer to the request of the page that waits for it.
    func deliver(_ report: AnswerReport) {
        switch report.answer.origin.reply {
        case .mqtt: break  // Another client's command.
        case .page(let number):
            state.withLock { state in
                guard let waiting = state.waiting[number] else { return }
                waiting.yield(report)
                if report.answer.isFinal { waiting.finish() }
            }
        }
    }

    /// Sends a command and waits for its answer.
    /// - Returns: the final answer, else the first; nil if none came in time.
    func exchange(
        _ body: [UInt8], by send: @escaping @Sendable (IncomingCommand) async -> Void
    ) async -> AnswerReport? {
        let (answers, continuation) = AsyncStream<AnswerReport>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.mostAnswers))
        let number = state.withLock { state in
            state.number &+= 1
            state.waiting[state.number] = continuation
            return state.number
        }
        // The request must be answered even if the gateway's loop hangs.
        let sending = Task { await send(IncomingCommand(body: body, reply: .page(number))) }
        let clock = Task {
            try await Task.sleep(for: Self.answerTimeout)
            continuation.finish()
        }
        defer {
            sending.cancel()
            clock.cancel()
            state.withLock { $0.waiting[number] = nil }
        }
        var first: AnswerReport?
        for await answer in answers {
            if answer.answer.isFinal { return answer }
            first = first ?? answer
        }
        return first
    }
}
