import NIOCore
import NIOWebSocket
import SondeHubProtocol

/// The server's end of a ``StreamBridge``: takes MQTT's bytes out of WebSocket frames and puts them into frames.
///
/// It answers pings and the server's close. Bytes wait in neither end: while the other end can't be written, this one is
/// not read.
final class WebSocketEnd: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    private let ending: StreamEnding
    private var packets = MQTTPacketLimit()
    private var context: ChannelHandlerContext?
    private var wantsToRead = false
    /// The number of pings in the second that began at ``pingsSince``.
    private var pings = 0
    private var pingsSince = NIODeadline.distantPast
    private static let mostPings = 20
    /// Nil until the MQTT client has connected.
    private(set) var client: ClientEnd?

    init(_ ending: StreamEnding) {
        self.ending = ending
    }

    func connect(to client: ClientEnd) {
        self.client = client
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        client = nil
    }

    // MARK: - From the server

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.opcode {
        case .binary, .continuation: forward(frame.unmaskedData, context)
        case .ping: answer(ping: frame.unmaskedData, context)
        case .connectionClose: closed(by: frame.unmaskedData, context)
        case .pong: break
        default: end(context, as: .unacceptableData, "the server sends text instead of MQTT")
        }
    }

    private func forward(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let client else { return end(context, as: .protocolError, "the server speaks before it is asked") }
        switch packets.fault(in: bytes.readableBytesView) {
        case .tooLong: end(context, as: .messageTooLarge, "the server sends a message of more than 64 kB")
        case .acknowledged:
            end(context, as: .policyViolation, "the server wants acknowledgements that nobody asked for")
        case nil: client.write(bytes)
        }
    }

    private func answer(ping: ByteBuffer, _ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        if now - pingsSince >= .seconds(1) { (pingsSince, pings) = (now, 0) }
        pings += 1
        guard pings <= Self.mostPings else { return end(context, as: .policyViolation, "the server pings without end") }
        // Pongs would wait without a bound for a server that does not read.
        if isWritable { send(ping, as: .pong, context) }
    }

    private func closed(by payload: ByteBuffer, _ context: ChannelHandlerContext) {
        var rest = payload
        let code = rest.readInteger(as: UInt16.self)
        let text = PrintableText.of(rest.readableBytesView)
        let named = code.map { " with code \($0)" } ?? ""
        ending.note("the server closed the stream\(named)\(text.isEmpty ? "" : ": \(text)")")
        send(payload, as: .connectionClose, context)
        context.close(promise: nil)
    }

    private func end(_ context: ChannelHandlerContext, as code: WebSocketErrorCode, _ reason: String) {
        ending.note(reason)
        var payload = context.channel.allocator.buffer(capacity: 2)
        payload.write(webSocketErrorCode: code)
        send(payload, as: .connectionClose, context)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ending.note("the server closed the connection")
        client?.close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? NIOWebSocketError {
        case .some(.invalidFrameLength):
            end(context, as: .messageTooLarge, "the server sends a frame of more than 64 kB")
        case .some: end(context, as: .protocolError, "the server breaks WebSocket's rules")
        case nil:
            ending.note("the connection failed")
            context.close(promise: nil)
        }
    }

    // MARK: - From the client

    func write(_ bytes: ByteBuffer) {
        if let context { send(bytes, as: .binary, context) }
    }

    /// Ends the connection, because the client has gone.
    func close() {
        guard let context else { return }
        end(context, as: .normalClosure, "the MQTT session ended")
    }

    private func send(_ data: ByteBuffer, as opcode: WebSocketOpcode, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    }

    // MARK: - Backpressure

    var isWritable: Bool { context?.channel.isWritable ?? false }

    func read(context: ChannelHandlerContext) {
        guard client?.isWritable ?? true else { return wantsToRead = true }
        context.read()
    }

    /// The client's end can be written again.
    func resumeReading() {
        guard wantsToRead else { return }
        wantsToRead = false
        context?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { client?.resumeReading() }
        context.fireChannelWritabilityChanged()
    }
}

@available(*, unavailable)
extension WebSocketEnd: Sendable {}
