import NIOCore
import NIOHTTP1

/// Stands before the HTTP decoder and keeps the time: who is slow with a request, idle for long or reads nothing is sent
/// away. The request handler tells it how far a request is.
///
///     head (5 s) -> body (5 s) -> answering -> idle (30 s) -> head …
///                                           -> streaming
///     any -> leaving: the last words are on their way (10 s), and have gone (1 s); what still comes is dropped
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case head, body, answering, streaming, idle, leaving
    }

    private static let requestLimit = TimeAmount.seconds(5)
    private static let idleLimit = TimeAmount.seconds(30)
    /// For a reader that takes nothing.
    private static let stallLimit = TimeAmount.seconds(10)
    /// A closed socket with unread input resets the connection, and the last words are lost: read on for so long.
    private static let farewell = TimeAmount.seconds(1)

    private let gate: ConnectionGate
    private var phase = Phase.head
    private var timer: Scheduled<Void>?
    /// Written and not taken by the system yet, as the client doesn't read.
    private var unsent = 0
    /// When something of it was taken.
    private var sentAt = NIODeadline.now()
    private var stall: Scheduled<Void>?

    /// Its own: what it writes itself must not pass the encoder.
    private var context: ChannelHandlerContext?

    init(_ gate: ConnectionGate) {
        self.gate = gate
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: - What the request handler tells

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

    /// Closes when what was written has gone.
    func leave() {
        guard phase != .leaving else { return }
        enter(.leaving)
        guard let context else { return }
        let gone = context.eventLoop.makePromise(of: Void.self)
        gone.futureResult.assumeIsolated().whenComplete { _ in self.startTimer(Self.farewell) }
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
            sentAt = .now()
            note()
            if stall == nil { watch(for: Self.stallLimit) }
        }
        context.write(data, promise: written)
    }

    private func sent() {
        unsent -= 1
        sentAt = .now()
        note()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            switch phase {
            // A client that has asked and shut its side still wants the answer.
            case .answering, .leaving: break
            case .head, .body, .streaming, .idle: context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A connection that breaks is everyday; what the decoder refuses comes by behind this.
        context.close(promise: nil)
    }

    // MARK: - Time

    /// For a request or the rest of it, for the end, or for its client to read; for nothing that we do.
    private var isWaiting: Bool {
        switch phase {
        case .head, .body, .idle, .leaving: true
        case .answering, .streaming: unsent > 0
        }
    }

    /// Who reads nothing keeps out nobody who asks.
    private func note() {
        guard let context else { return }
        gate.note(context.channel, isWaiting: isWaiting)
    }

    private func watch(for time: TimeAmount) {
        stall = context?.eventLoop.assumeIsolated().scheduleTask(in: time) { self.stallIsDue() }
    }

    private func stallIsDue() {
        stall = nil
        guard unsent > 0 else { return }
        let rest = sentAt + Self.stallLimit - .now()
        guard rest > .zero else {
            context?.close(promise: nil)
            return
        }
        watch(for: rest)
    }

    private func enter(_ next: Phase) {
        timer?.cancel()
        timer = nil
        phase = next
        let limit: TimeAmount?
        switch next {
        case .head, .body: limit = Self.requestLimit
        case .idle: limit = Self.idleLimit
        case .leaving: limit = Self.stallLimit
        case .answering, .streaming: limit = nil
        }
        guard context != nil else { return }
        note()
        if let limit { startTimer(limit) }
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

    /// Before there is a request to answer.
    private func refuse(_ status: HTTPResponseStatus) {
        let text = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        leave()
    }
}
