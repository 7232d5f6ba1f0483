import NIOCore
import NIOHTTP1

/// Closes connections whose client is slow with a request, idle for long, or does not read. It is in front of the HTTP
/// decoder. The request handler tells it the request's progress.
///
///     head (5 s) -> body (5 s) -> answering -> idle (30 s) -> head …
///                                           -> streaming
///     any -> leaving: sends the last bytes (10 s), then waits (1 s); drops further input
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case head, body, answering, streaming, idle, leaving
    }

    private let gate: ConnectionGate
    private let limits: ConnectionLimits
    private var phase = Phase.head
    private var timer: Scheduled<Void>?
    /// The number of writes that the kernel has not accepted yet, because the client does not read.
    private var unsent = 0
    /// When the kernel last accepted a write, or when the first one was made.
    private var sentAt = NIODeadline.uptimeNanoseconds(0)
    private var stall: Scheduled<Void>?

    /// This handler's own context, so that its refusals bypass the HTTP encoder.
    private var context: ChannelHandlerContext?

    init(_ gate: ConnectionGate, limits: ConnectionLimits) {
        self.gate = gate
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: - The request's progress

    func headCame() {
        enter(.body)
    }

    func requestEnded() {
        guard phase == .body else { return }
        enter(.answering)
    }

    func streamBegan() {
        enter(.streaming)
    }

    func answered() {
        guard phase != .leaving else { return }
        enter(.idle)
    }

    /// Closes the connection after the last bytes are sent.
    func leave() {
        guard phase != .leaving else { return }
        enter(.leaving)
        guard let context else { return }
        let gone = context.eventLoop.makePromise(of: Void.self)
        gone.futureResult.assumeIsolated().whenComplete { _ in self.startTimer(TimeAmount(self.limits.farewell)) }
        context.channel.close(mode: .output, promise: gone)
    }

    // MARK: - The channel

    func channelActive(context: ChannelHandlerContext) {
        guard gate.admit(context.channel) else { return refuse(.serviceUnavailable) }
        enter(.head)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        gate.leave(context.channel)
        timer?.cancel()
        stall?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .leaving: return
        case .idle: enter(.head)
        case .head, .body, .answering, .streaming: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.sent() }
        unsent += 1
        if unsent == 1 {
            sentAt = context.eventLoop.now
            note()
            if stall == nil { watch(for: TimeAmount(limits.stall)) }
        }
        context.write(data, promise: written)
    }

    private func sent() {
        unsent -= 1
        if let context { sentAt = context.eventLoop.now }
        note()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            switch phase {
            // A client that has closed its sending side after the request still waits for the answer.
            case .answering, .leaving: break
            case .head, .body, .streaming, .idle: context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Broken connections are ordinary. Errors of the decoder go to the request handler.
        context.close(promise: nil)
    }

    // MARK: - Time

    /// Whether the server waits for the client.
    private var isWaiting: Bool {
        switch phase {
        case .head, .body, .idle, .leaving: true
        case .answering, .streaming: unsent > 0
        }
    }

    /// Tells the gate whether this connection may be closed to make room.
    private func note() {
        guard let context else { return }
        gate.note(context.channel, isWaiting: isWaiting)
    }

    private func watch(for time: TimeAmount) {
        stall = context?.eventLoop.assumeIsolated().scheduleTask(in: time) { self.stallIsDue() }
    }

    private func stallIsDue() {
        stall = nil
        guard unsent > 0, let context else { return }
        let rest = sentAt + TimeAmount(limits.stall) - context.eventLoop.now
        guard rest > .zero else {
            context.close(promise: nil)
            return
        }
        watch(for: rest)
    }

    private func enter(_ next: Phase) {
        timer?.cancel()
        timer = nil
        phase = next
        let limit: Duration?
        switch next {
        case .head, .body: limit = limits.request
        case .idle: limit = limits.idle
        case .leaving: limit = limits.stall
        case .answering, .streaming: limit = nil
        }
        guard context != nil else { return }
        note()
        if let limit { startTimer(TimeAmount(limit)) }
    }

    private func startTimer(_ limit: TimeAmount) {
        timer?.cancel()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(in: limit) { self.timeIsUp() }
    }

    private func timeIsUp() {
        switch phase {
        case .head, .body: refuse(.requestTimeout)
        case .idle, .leaving: context?.close(promise: nil)
        case .answering, .streaming: break
        }
    }

    /// Refuses a connection that has sent no whole request.
    private func refuse(_ status: HTTPResponseStatus) {
        let text = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        leave()
    }
}
