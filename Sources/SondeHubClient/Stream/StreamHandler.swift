import GatewayReports
import NIOCore
import NIOWebSocket
import ReceiverProtocol
import SondeHubProtocol

/// Runs a ``StreamSession`` over a WebSocket: takes MQTT's bytes out of frames, puts them into frames, and sets the
/// session's timer. It answers pings and the server's close.
final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private var session: StreamSession
    private let inbox: StreamInbox
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    /// When ``timer`` runs.
    private var timerDeadline: MonotonicTime?
    /// The number of pings in the second that began at ``pingsSince``.
    private var pings = 0
    private var pingsSince = NIODeadline.distantPast
    private static let mostPings = 20

    init(_ session: StreamSession, _ inbox: StreamInbox) {
        self.session = session
        self.inbox = inbox
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
        // The server may have closed the connection before this handler was there.
        inbox.end(OnlineServiceError(.unreachable, "the server closed the connection"))
    }

    // MARK: - The session

    /// Begins the session. During the upgrade to a WebSocket, when this handler is added, NIO refuses to write.
    func start() {
        if let context { handle(.connected, context) }
    }

    private func handle(_ event: StreamSession.Event, _ context: ChannelHandlerContext) {
        for action in session.handle(event, at: now) {
            switch action {
            case .send(let bytes): send(ByteBuffer(bytes: bytes), as: .binary, context)
            case .opened: inbox.open()
            case .message(let message): inbox.receive(message)
            case .end(let error): end(context, as: .normalClosure, error)
            }
        }
        setTimer(context)
    }

    private var now: MonotonicTime {
        MonotonicTime(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    }

    private func setTimer(_ context: ChannelHandlerContext) {
        guard timerDeadline != session.deadline else { return }
        timer?.cancel()
        timerDeadline = session.deadline
        timer = session.deadline.map { deadline in
            let wait = TimeAmount(deadline.duration(since: now))
            return context.eventLoop.assumeIsolated().scheduleTask(in: wait) { self.timePassed() }
        }
    }

    private func timePassed() {
        timerDeadline = nil
        if let context { handle(.timePassed, context) }
    }

    /// Ends the session, because nobody listens any more.
    func leave() {
        guard let context else { return }
        handle(.left, context)
        end(context, as: .normalClosure, OnlineServiceError(.cancelled, "cancelled"))
    }

    // MARK: - The WebSocket

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.opcode {
        case .binary, .continuation: handle(.received(Array(frame.unmaskedData.readableBytesView)), context)
        case .ping: answer(ping: frame.unmaskedData, context)
        case .connectionClose: closed(by: frame.unmaskedData, context)
        case .pong: break
        default: end(context, as: .unacceptableData, "the server sends text instead of MQTT")
        }
    }

    private func answer(ping: ByteBuffer, _ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        if now - pingsSince >= .seconds(1) { (pingsSince, pings) = (now, 0) }
        pings += 1
        guard pings <= Self.mostPings else { return end(context, as: .policyViolation, "the server pings without end") }
        // Pongs would wait without a bound for a server that does not read.
        if context.channel.isWritable { send(ping, as: .pong, context) }
    }

    private func closed(by payload: ByteBuffer, _ context: ChannelHandlerContext) {
        var rest = payload
        let code = rest.readInteger(as: UInt16.self)
        let text = PrintableText.of(rest.readableBytesView)
        let named = code.map { " with code \($0)" } ?? ""
        let words = "the server closed the stream\(named)\(text.isEmpty ? "" : ": \(text)")"
        inbox.end(OnlineServiceError(.unreachable, words))
        send(payload, as: .connectionClose, context)
        context.close(promise: nil)
    }

    private func end(_ context: ChannelHandlerContext, as code: WebSocketErrorCode, _ reason: String) {
        end(context, as: code, OnlineServiceError(.unreachable, reason))
    }

    private func end(_ context: ChannelHandlerContext, as code: WebSocketErrorCode, _ error: OnlineServiceError) {
        inbox.end(error)
        var payload = context.channel.allocator.buffer(capacity: 2)
        payload.write(webSocketErrorCode: code)
        send(payload, as: .connectionClose, context)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.end(OnlineServiceError(.unreachable, "the server closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? NIOWebSocketError {
        case .some(.invalidFrameLength):
            end(context, as: .messageTooLarge, "the server sends a frame of more than 64 kB")
        case .some: end(context, as: .protocolError, "the server breaks WebSocket's rules")
        case nil:
            inbox.end(OnlineServiceError(.unreachable, "the connection failed"))
            context.close(promise: nil)
        }
    }

    private func send(_ data: ByteBuffer, as opcode: WebSocketOpcode, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    }
}

@available(*, unavailable)
extension StreamHandler: Sendable {}
