import NIOCore
import NIOHTTP1

/// Answers one connection's requests. NIO's pipeline handler in front passes on a request only after the answer to the
/// one before has ended.
final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A command's longest body.
    private static let longestBody = 4096

    private enum Phase {
        case waiting
        case reading(Request)
        case answering
        /// The answer is written but not ended: the end, which lets the next request in, waits for the client to read.
        case ending
        case streaming
        /// The handler reads no more requests.
        case over
    }

    private let server: any PageRouter
    private let guardian: ConnectionGuard
    private let frame: String?
    private var phase = Phase.waiting
    /// The connection stays open for another request.
    private var isKept = true

    /// - Parameter frame: which page may show this one in a frame, see ``DashboardOptions/frameFrom``.
    init(_ server: any PageRouter, guardian: ConnectionGuard, frame: String? = nil) {
        self.server = server
        self.guardian = guardian
        self.frame = frame
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (phase, unwrapInboundIn(data)) {
        case (.waiting, .head(let head)):
            guardian.headCame()
            let length = head.headers["content-length"].first.flatMap { Int($0) } ?? 0
            guard length <= Self.longestBody else { return refuse(.payloadTooLarge, context) }
            // NIO's decoder stops after CONNECT or Upgrade: close the connection.
            isKept = head.isKeepAlive && head.method != .CONNECT && !head.headers.contains(name: "Upgrade")
            phase = .reading(Request(head, from: context.channel.remoteAddress))
        case (.reading(var request), .body(let bytes)):
            guard request.body.count + bytes.readableBytes <= Self.longestBody else {
                return refuse(.payloadTooLarge, context)
            }
            request.body += bytes.readableBytesView
            phase = .reading(request)
        case (.reading(let request), .end):
            guardian.requestEnded()
            answer(request, context)
        // The pipeline handler keeps these away: it holds requests back until the answer has ended.
        case (.waiting, .body), (.waiting, .end), (.reading, .head), (.answering, _), (.ending, _), (.streaming, _),
            (.over, _):
            break
        }
    }

    private func answer(_ request: Request, _ context: ChannelHandlerContext) {
        phase = .answering
        let me = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let finish = { @Sendable (answer: Answer) in
            loop.execute {
                let (handler, context) = me.value
                handler.write(answer, to: request, context)
            }
        }
        switch server.route(request) {
        // `finish` answers in a new call. Otherwise the calls would nest a thousand deep for a thousand requests in one
        // packet.
        case .answer(let answer): finish(answer)
        case .events: stream(request, context)
        case .work(let work): Task { finish(await work()) }
        }
    }

    // MARK: - Answers

    private func write(_ answer: Answer, to request: Request, _ context: ChannelHandlerContext) {
        guard case .answering = phase, context.channel.isActive else { return }
        isKept = isKept && !answer.isLast
        switch answer.body {
        case .bytes(let bytes):
            var head = head(of: answer, isKept: isKept)
            if answer.status != .noContent, answer.status != .notModified {
                head.headers.add(name: "Content-Length", value: "\(bytes.readableBytes)")
            }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if request.method != .HEAD, bytes.readableBytes > 0 {
                context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            }
            end(context)
        case .pieces(let produce):
            // The answer has no length. Without chunks (HTTP/1.0, or no body) only closing the connection ends it.
            isKept = isKept && !request.isOld && request.method != .HEAD
            var head = head(of: answer, isKept: isKept)
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
                        handler.end(context)
                    }
                } catch {
                    // An incomplete answer must not look complete.
                    channel.close(promise: nil)
                }
            }
        }
    }

    /// Ends the answer, which lets the next request in, but only when the client reads. So a client that sends many
    /// requests and reads nothing costs the memory of one answer.
    private func end(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        if !context.channel.isWritable { context.flush() }
        guard context.channel.isWritable else {
            phase = .ending
            return
        }
        // Writing the end may bring the next request, which changes `isKept` and `phase`.
        let isLast = !isKept
        phase = isLast ? .over : .waiting
        if !isLast { guardian.answered() }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if isLast { guardian.leave() }
    }

    private func stream(_ request: Request, _ context: ChannelHandlerContext) {
        isKept = false
        guard request.method == .GET else {
            return write(Answer(.ok, headers: Self.streamHeaders), to: request, context)
        }
        guard server.streams.makeRoom(for: context.channel) else {
            var answer = Answer.refusal(.serviceUnavailable, "too many pages are open")
            answer.headers.append(("Retry-After", "10"))
            return write(answer, to: request, context)
        }
        var head = head(of: Answer(.ok, headers: Self.streamHeaders), isKept: !request.isOld)
        if request.isOld { head.version = .http1_0 }
        phase = .streaming
        guardian.streamBegan()
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        server.streams.add(context.channel)
    }

    private static let streamHeaders = [
        (name: "Content-Type", value: "text/event-stream"), (name: "Cache-Control", value: "no-store"),
        // Without it nginx collects the events and passes none on.
        (name: "X-Accel-Buffering", value: "no"),
    ]

    /// Refuses the request and closes the connection.
    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        phase = .over
        var head = head(of: Answer(status), isKept: false)
        head.headers.add(name: "Content-Length", value: "0")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        guardian.leave()
    }

    private func head(of answer: Answer, isKept: Bool) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: .http1_1, status: answer.status)
        for (name, value) in answer.headers { head.headers.add(name: name, value: value) }
        // Another site must not show this page in a frame and lure clicks to its buttons. X-Frame-Options can't name a
        // site, so it goes where one is named.
        let framer = frame.map { $0 == DashboardOptions.sameOrigin ? "" : " " + $0 }
        let ancestors = framer.map { "; frame-ancestors 'self'" + $0 } ?? ""
        let policy = "default-src 'self'; img-src 'self' data:" + ancestors
        head.headers.add(name: "Content-Security-Policy", value: policy)
        if frame == nil { head.headers.add(name: "X-Frame-Options", value: "DENY") }
        head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        head.headers.add(name: "Referrer-Policy", value: "no-referrer")
        if !isKept { head.headers.add(name: "Connection", value: "close") }
        return head
    }

    // MARK: - The channel

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            switch phase {
            case .streaming: server.streams.resume(context.channel)
            case .ending: end(context)
            case .waiting, .reading, .answering, .over: break  // No data waits.
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // This event follows the last request. A client that has closed its sending side still waits for the answer.
        if let event = event as? ChannelEvent, event == .inputClosed { isKept = false }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .streaming = phase { server.streams.remove(context.channel) }
        phase = .over
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch phase {
        case .waiting, .reading:
            guard let fault = error as? HTTPParserError else { return context.close(promise: nil) }
            refuse(fault == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest, context)
        // The connection is broken: the pipeline handler holds the decoder's errors back until the answer has ended.
        case .answering, .ending, .streaming, .over: context.close(promise: nil)
        }
    }
}
