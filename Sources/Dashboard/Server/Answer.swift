import GatewayReports
import NIOCore
import NIOHTTP1

/// The answer to a request.
struct Answer: Sendable {
    enum Body: Sendable {
        case bytes(ByteBuffer)
        /// Each piece is written when the one before has been sent.
        case pieces(@Sendable (_ write: @Sendable (ByteBuffer) async throws -> Void) async throws -> Void)
    }

    var status: HTTPResponseStatus
    var headers: [(name: String, value: String)]
    var body: Body
    /// The connection is closed after the answer.
    var isLast = false

    init(
        _ status: HTTPResponseStatus, headers: [(name: String, value: String)] = [], body: Body = .bytes(ByteBuffer())
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A refusal with a text.
    static func refusal(_ status: HTTPResponseStatus, _ text: String = "") -> Answer {
        let text = text.isEmpty ? status.reasonPhrase : text
        return Answer(
            status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(ByteBuffer(string: text + "\n")))
    }

    /// The answer if the store can't be read. It leaves out the error's detail, which names files.
    static func unreadable(_ error: StoreError) -> Answer {
        .refusal(.serviceUnavailable, "the recorded flights can't be read: \(error.code.rawValue)")
    }

    static func json(_ bytes: [UInt8], status: HTTPResponseStatus = .ok) -> Answer {
        Answer(
            status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(ByteBuffer(bytes: bytes)))
    }
}
