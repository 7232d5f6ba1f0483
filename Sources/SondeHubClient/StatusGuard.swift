import AsyncHTTPClient
import GatewayReports
import NIOCore
import NIOHTTP1

/// Stands between the HTTP decoder and the HTTP library's state machine. The state machine ends the process on a status
/// below 100 and on an unrequested change of protocol. The guard turns both into an error of that one connection.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var hasFailed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 || head.status == .switchingProtocols {
            hasFailed = true
            context.fireErrorCaught(
                OnlineServiceError(.malformed, "the answer has the HTTP status \(head.status.code)"))
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }

    /// Adds a guard to a new connection of the library, directly behind its decoder.
    static func install(in channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusGuard(), position: .after(decoder))
        }
    }
}
