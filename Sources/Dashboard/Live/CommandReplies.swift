import Gateway
import GatewayReports
import Synchronization

/// Commands of the page and their answers: a request has the final one, or the first after two seconds; what comes later
/// comes as an event.
final class CommandReplies: Sendable {
    /// To wait for the final answer (specification 7.1).
    private static let answerTimeout = Duration.seconds(2)
    /// Answers to one command.
    private static let mostAnswers = 8

    private struct State {
        var number: UInt64 = 0
        var waiting: [UInt64: AsyncStream<AnswerReport>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// An answer to one of the page's commands goes to its request.
    func deliver(_ report: AnswerReport) {
        switch report.answer.origin.reply {
        case .mqtt: break  // Of another way in.
        case .page(let number):
            state.withLock { state in
                guard let waiting = state.waiting[number] else { return }
                waiting.yield(report)
                if report.answer.isFinal { waiting.finish() }
            }
        }
    }

    /// - Returns: the final answer, else the first; nil when the gateway gives none.
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
        // A loop that stands still takes nothing, and must not hold up the request.
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
