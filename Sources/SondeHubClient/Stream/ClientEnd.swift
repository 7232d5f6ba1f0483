import NIOCore

/// The MQTT client's end of a ``StreamBridge``, a UNIX socket.
final class ClientEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private let server: WebSocketEnd
    private var context: ChannelHandlerContext?
    private var wantsToRead = false

    init(_ server: WebSocketEnd) {
        self.server = server
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { server.write(Self.unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) {
        server.close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func write(_ bytes: ByteBuffer) {
        context?.writeAndFlush(Self.wrapOutboundOut(bytes), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    // MARK: - Backpressure

    /// True after the end: nothing waits for a client that has gone.
    var isWritable: Bool { context?.channel.isWritable ?? true }

    func read(context: ChannelHandlerContext) {
        guard server.isWritable else { return wantsToRead = true }
        context.read()
    }

    /// The server's end can be written again.
    func resumeReading() {
        guard wantsToRead else { return }
        wantsToRead = false
        context?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { server.resumeReading() }
        context.fireChannelWritabilityChanged()
    }
}

@available(*, unavailable)
extension ClientEnd: Sendable {}
