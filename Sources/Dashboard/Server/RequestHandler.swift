import NIOCore
import NIOHTTP1

/// One connection's requests, one after the other.
final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A command's longest body (specification 7.1).
    private static let longestBody = 4096
    /// Parts of further requests that wait while one is answered.
    private static let mostWaiting = 64

    private enum Phase {
        case waiting
        case reading(Request, isKept: Bool)
        case answering
        /// The next request waits until the client has read.
        case answered
        case streaming
        /// Nothing more is read.
        case over
    }

    private let server: RequestRouter
    private let guardian: ConnectionGuard
    private var phase = Phase.waiting
    private var waiting: [HTTPServerRequestPart] = []

    init(_ server: RequestRouter, guardian: ConnectionGuard) {
        self.server = server
        self.guardian = guardian
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch phase {
        case .waiting, .reading: take(part, context)
        case .answering, .answered:
            waiting.append(part)
            if waiting.count > Self.mostWaiting { context.close(promise: nil) }
        case .streaming, .over: break
        }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (phase, part) {
        case (.waiting, .head(let head)):
            guardian.headCame()
            let length = head.headers["content-length"].first.flatMap { Int($0) } ?? 0
            guard length <= Self.longestBody else { return refuse(.payloadTooLarge, context) }
            // The decoder is deaf behind what might become another protocol.
            let isKept = head.isKeepAlive && head.method != .CONNECT && !head.headers.contains(name: "Upgrade")
            phase = .reading(Request(head), isKept: isKept)
        case (.reading(var request, let isKept), .body(let bytes)):
            guard request.body.count + bytes.readableBytes <= Self.longestBody else {
                return refuse(.payloadTooLarge, context)
            }
            request.body += bytes.readableBytesView
            phase = .reading(request, isKept: isKept)
        case (.reading(let request, let isKept), .end):
            guardian.requestEnded()
            answer(request, isKept: isKept, context)
        // The decoder keeps the order, and nothing is taken in the other phases.
        case (.waiting, .body), (.waiting, .end), (.reading, .head), (.answering, _), (.answered, _), (.streaming, _),
            (.over, _):
            break
        }
    }

    private func answer(_ request: Request, isKept: Bool, _ context: ChannelHandlerContext) {
        phase = .answering
        switch server.route(request) {
        case .answer(let answer): write(answer, to: request, isKept: isKept, context)
        case .events: stream(request, context)
        case .work(let work):
            let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let loop = context.eventLoop
            Task {
                let answer = await work()
                loop.execute {
                    let (handler, context) = me.value
                    handler.write(answer, to: request, isKept: isKept, context)
                }
            }
        }
    }

    // MARK: - Answers

    private func write(_ answer: Answer, to request: Request, isKept: Bool, _ context: ChannelHandlerContext) {
        guard case .answering = phase, context.channel.isActive else { return }
        switch answer.body {
        case .bytes(let bytes):
            let isKept = isKept && !answer.isLast
            var head = Self.head(of: answer, isKept: isKept)
            if answer.status != .noContent, answer.status != .notModified {
                head.headers.add(name: "Content-Length", value: "\(bytes.readableBytes)")
            }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if request.method != .HEAD, bytes.readableBytes > 0 {
                context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            }
            end(isKept: isKept, context)
        case .pieces(let produce):
            // Without a length the end of the connection is the end, where there are no chunks: to an old client, and of
            // an answer without a body.
            let isKept = isKept && !answer.isLast && !request.isOld && request.method != .HEAD
            var head = Self.head(of: answer, isKept: isKept)
            if request.isOld { head.version = .http1_0 }
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            guard request.method != .HEAD else {
                phase = .over
                return guardian.leave()
            }
            let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let (loop, channel) = (context.eventLoop, context.channel)
            Task {
                do {
                    try await produce { piece in
                        try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(piece)))
                    }
                    loop.execute {
                        let (handler, context) = me.value
                        handler.end(isKept: isKept, context)
                    }
                } catch {
                    // Half an answer must not look like a whole one.
                    channel.close(promise: nil)
                }
            }
        }
    }

    private func end(isKept: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // Who has shut its side asks nothing more than what is here.
        guard isKept, !(guardian.isInputClosed && waiting.isEmpty) else {
            phase = .over
            return guardian.leave()
        }
        phase = .answered
        guardian.answered()
        if context.channel.isWritable { takeNext(context) }
    }

    /// Whoever asks on and on, and reads nothing, has one answer at a time in our memory.
    private func takeNext(_ context: ChannelHandlerContext) {
        phase = .waiting
        let next = waiting
        waiting = []
        for part in next { channelRead(context: context, data: NIOAny(part)) }
    }

    private func stream(_ request: Request, _ context: ChannelHandlerContext) {
        guard request.method == .GET else {
            return write(Answer(.ok, headers: Self.streamHeaders), to: request, isKept: false, context)
        }
        var head = Self.head(of: Answer(.ok, headers: Self.streamHeaders), isKept: !request.isOld)
        if request.isOld { head.version = .http1_0 }
        guard server.hub.hasRoom else {
            return write(.refusal(.serviceUnavailable, "too many pages are open"), to: request, isKept: false, context)
        }
        phase = .streaming
        guardian.streamBegan()
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        server.hub.add(context.channel)
    }

    private static let streamHeaders = [
        (name: "Content-Type", value: "text/event-stream"), (name: "Cache-Control", value: "no-store"),
    ]

    /// Nothing that follows is read.
    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        phase = .over
        var head = Self.head(of: Answer(status), isKept: false)
        head.headers.add(name: "Content-Length", value: "0")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        guardian.leave()
    }

    private static func head(of answer: Answer, isKept: Bool) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: .http1_1, status: answer.status)
        for (name, value) in answer.headers { head.headers.add(name: name, value: value) }
        head.headers.add(name: "Content-Security-Policy", value: "default-src 'self'; img-src 'self' data:")
        // No foreign page may lay itself over this one's buttons.
        head.headers.add(name: "X-Frame-Options", value: "DENY")
        head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        head.headers.add(name: "Referrer-Policy", value: "no-referrer")
        if !isKept { head.headers.add(name: "Connection", value: "close") }
        return head
    }

    // MARK: - The channel

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            switch phase {
            case .streaming: server.hub.resume(context.channel)
            case .answered: takeNext(context)
            case .waiting, .reading, .answering, .over: break  // Nothing waits.
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .streaming = phase { server.hub.remove(context.channel) }
        phase = .over
        waiting = []
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch phase {
        case .waiting, .reading:
            guard let fault = error as? HTTPParserError else { return context.close(promise: nil) }
            refuse(fault == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest, context)
        // Whoever is being answered has sent rubbish behind its request.
        case .answering, .answered, .streaming, .over: context.close(promise: nil)
        }
    }
}
