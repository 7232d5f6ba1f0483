import Gateway
import NIOCore

/// One client of a ``LineServer``. It cuts the client's bytes into lines, and limits the client so that it can't
/// disturb others.
///
/// | the client | the server |
/// | --- | --- |
/// | sends a line longer than allowed | skips the line and counts it |
/// | sends more than 16 kB or 100 lines in a second | reads on in the next second |
/// | asks before its last question is answered | lets its next line wait, and stops reading |
/// | doesn't read | drops and counts its lines; closes the connection after 20 s |
/// | shuts its sending side | answers its earlier questions, for 20 s at most, then closes |
/// | shuts its sending side after more than 32 kB in a second | closes: the library reads all these bytes at once |
final class LineClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let bytesInASecond = 16_384
    private static let linesInASecond = 100
    private static let stallLimitSeconds = 20

    let channel: any Channel
    private weak var server: LineServer?
    private var splitter: LineSplitter
    private var bytesLeft = bytesInASecond
    private var linesLeft = linesInASecond
    private var isHeld = false
    /// The lines that wait for their turn. While there are any, the client reads no more, so they come from a few reads
    /// at most.
    private var waiting: [[UInt8]] = []
    private var isReading = true
    private var secondsStalled = 0
    /// The seconds since the client shut its sending side; nil before that.
    private var secondsSinceEnd: Int?
    private var isLeaving = false

    init(_ channel: any Channel, of server: LineServer, longestLine: Int) {
        self.channel = channel
        self.server = server
        splitter = LineSplitter(longest: longestLine)
    }

    // MARK: - In

    func channelActive(context: ChannelHandlerContext) {
        server?.began(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The client has sent more bytes than can have been on their way when the reading stopped.
        guard bytesLeft > -Self.bytesInASecond else { return context.close(promise: nil) }
        let bytes = unwrapInboundIn(data).readableBytesView
        bytesLeft -= bytes.count
        let before = splitter.passedOver
        waiting += splitter.lines(in: bytes)
        server?.drops += splitter.passedOver - before
        deliver()
    }

    func channelInactive(context: ChannelHandlerContext) {
        server?.ended(self)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            secondsSinceEnd = 0
            deliver()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        setReading()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Delivers the waiting lines that may have their turn.
    private func deliver() {
        while !isHeld, linesLeft > 0, !waiting.isEmpty {
            linesLeft -= 1
            server?.received(waiting.removeFirst(), from: self)
        }
        guard secondsSinceEnd != nil else { return setReading() }
        if !isHeld, waiting.isEmpty { leave() }
    }

    /// Closes the channel after the last write. To close at once would drop unsent bytes.
    private func leave() {
        guard !isLeaving else { return }
        isLeaving = true
        channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { [channel] _ in
            channel.close(promise: nil)
        }
    }

    // MARK: - Out

    /// - Returns: false if the bytes were dropped.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        guard channel.isActive, channel.isWritable, !isLeaving else { return false }
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
        return true
    }

    /// A question is being answered. The client's next question waits until ``release()``.
    func hold() {
        isHeld = true
        setReading()
    }

    func release() {
        isHeld = false
        deliver()
    }

    /// Call once a second.
    func tick() {
        (bytesLeft, linesLeft) = (Self.bytesInASecond, Self.linesInASecond)
        secondsStalled = channel.isWritable ? 0 : secondsStalled + 1
        secondsSinceEnd = secondsSinceEnd.map { $0 + 1 }
        if max(secondsStalled, secondsSinceEnd ?? 0) > Self.stallLimitSeconds { return channel.close(promise: nil) }
        deliver()
    }

    private func setReading() {
        let mayRead = !isHeld && waiting.isEmpty && bytesLeft > 0 && channel.isWritable
        guard mayRead != isReading, channel.isActive, secondsSinceEnd == nil else { return }
        isReading = mayRead
        _ = channel.setOption(.autoRead, value: mayRead)
    }
}
