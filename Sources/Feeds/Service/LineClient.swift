import Gateway
import NIOCore

/// One client of a ``LineServer``: cuts what it sends into lines, and takes no more of it than is good for all others.
///
/// | the client | what is done |
/// | --- | --- |
/// | sends a longer line than is allowed | the line is passed over, and counted |
/// | sends more than 16 kB or 100 lines in a second | it is read on in the next second |
/// | asks while its last question is not answered | its next line waits, and so does what it sends |
/// | doesn't read | what it would get is dropped, and counted; after 20 s it is closed |
/// | shuts its side | what it asked before is answered, for 20 s at most, and then it is closed |
/// | shuts its side behind more than 32 kB | it is closed: the library reads all of that at once |
final class LineClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let bytesInASecond = 16_384
    private static let linesInASecond = 100
    private static let patience = 20

    let channel: any Channel
    private weak var server: LineServer?
    private var splitter: LineSplitter
    private var bytesLeft = bytesInASecond
    private var linesLeft = linesInASecond
    private var isHeld = false
    /// While there are any, nothing more is read: those of a few reads at most.
    private var waiting: [[UInt8]] = []
    private var isReading = true
    private var secondsStalled = 0
    /// Since it has shut its side.
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
        // More than what was under way when it was told to wait.
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

    /// What waits, as far as it has its turn.
    private func deliver() {
        while !isHeld, linesLeft > 0, !waiting.isEmpty {
            linesLeft -= 1
            server?.received(waiting.removeFirst(), from: self)
        }
        guard secondsSinceEnd != nil else { return setReading() }
        if !isHeld, waiting.isEmpty { leave() }
    }

    /// Closes when what was written has gone: to close at once would drop it.
    private func leave() {
        guard !isLeaving else { return }
        isLeaving = true
        channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { [channel] _ in
            channel.close(promise: nil)
        }
    }

    // MARK: - Out

    /// - Returns: false when it was dropped.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        guard channel.isActive, channel.isWritable, !isLeaving else { return false }
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
        return true
    }

    /// Its question is being answered: it has to wait with the next.
    func hold() {
        isHeld = true
        setReading()
    }

    func release() {
        isHeld = false
        deliver()
    }

    /// A second is over.
    func tick() {
        (bytesLeft, linesLeft) = (Self.bytesInASecond, Self.linesInASecond)
        secondsStalled = channel.isWritable ? 0 : secondsStalled + 1
        secondsSinceEnd = secondsSinceEnd.map { $0 + 1 }
        if max(secondsStalled, secondsSinceEnd ?? 0) > Self.patience { return channel.close(promise: nil) }
        deliver()
    }

    private func setReading() {
        let mayRead = !isHeld && waiting.isEmpty && bytesLeft > 0 && channel.isWritable
        guard mayRead != isReading, channel.isActive, secondsSinceEnd == nil else { return }
        isReading = mayRead
        _ = channel.setOption(.autoRead, value: mayRead)
    }
}
