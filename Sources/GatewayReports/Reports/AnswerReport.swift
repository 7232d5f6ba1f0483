public import FlightMath
import ReceiverProtocol

/// The answer to a command, and its time.
public struct AnswerReport: Equatable, Sendable {
    public var answer: CommandAnswer
    public var at: Moment

    public init(answer: CommandAnswer, at: Moment) {
        self.answer = answer
        self.at = at
    }

    public var payload: [UInt8] {
        var json = JSONText()
        json.field("id", answer.origin.id ?? .null)
        json.field("command", answer.origin.verb)
        json.field("status", answer.status.rawValue)
        json.field("error", answer.error) { inner, error in
            inner.field("code", error.code.rawValue)
            inner.field("message", error.message)
        }
        json.field("final", answer.isFinal)
        json.field("applied", answer.applied.map { .object($0) } ?? .null)
        json.field("latency_ms", Int(at.duration(since: answer.origin.receivedAt).wholeMilliseconds))
        json.field("at", at.wall)
        return json.object
    }
}
