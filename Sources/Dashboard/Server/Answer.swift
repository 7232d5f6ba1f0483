import GatewayReports
import NIOCore
import NIOHTTP1

/// What a request is answered with.
struct Answer: Sendable {
    enum Body: Sendable {
        case bytes(ByteBuffer)
        /// Written piece by piece, each when the one before has gone.
        case pieces(@Sendable (_ write: @Sendable (ByteBuffer) async throws -> Void) async throws -> Void)
    }

    var status: HTTPResponseStatus
    var headers: [(name: String, value: String)]
    var body: Body
    /// The connection ends with it.
    var isLast = false

    init(
        _ status: HTTPResponseStatus, headers: [(name: String, value: String)] = [], body: Body = .bytes(ByteBuffer())
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A refusal in words.
    static func refusal(_ status: HTTPResponseStatus, _ text: String = "") -> Answer {
        let text = text.isEmpty ? status.reasonPhrase : text
        return Answer(
            status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(ByteBuffer(string: text + "\n")))
    }

    /// Why there is nothing of the store. The error's detail names files, which never reach the page.
    static func unreadable(_ error: StoreError) -> Answer {
        .refusal(.serviceUnavailable, "the recorded flights can't be read: \(error.code.rawValue)")
    }

    static func json(_ bytes: [UInt8], status: HTTPResponseStatus = .ok) -> Answer {
        Answer(
            status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(ByteBuffer(bytes: bytes)))
    }
}
