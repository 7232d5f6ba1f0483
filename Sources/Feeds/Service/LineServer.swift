import GatewayReports
import Logging
import NIOCore
import NIOPosix

/// A TCP server for a few clients that exchange lines. Lives on one event loop, and is used only there.
final class LineServer {
    private static let mostClients = 4
    /// The connections accepted or refused in a second. Further ones wait in the kernel's backlog.
    private static let admissionsInASecond = 16
    /// The bytes of one read, and the reads of one client before other clients have their turn.
    private static let pieceLength = 2048
    private static let piecesAtOnce: UInt = 4
    /// About how many unsent bytes may wait for a client.
    private static let waitingLimit = 32_768
    /// The connection ends if sent data stays unacknowledged this long, ms, because then the other side has
    /// disappeared.
    private static let deadAfter = 20_000
    /// TCP_USER_TIMEOUT
    private static let userTimeout: CInt = 18

    private let name: String
    private let longestLine: Int
    private let loop: any EventLoop
    private var port: FeedPort?
    private var hasStopped = false
    private var admissions = admissionsInASecond
    /// The clients, including those that are just being accepted.
    private(set) var clients: [LineClient] = []
    var messages = 0
    var drops = 0
    var onBegin: (LineClient) -> Void = { _ in }
    var onLine: ([UInt8], LineClient) -> Void = { _, _ in }
    var onEnd: (LineClient) -> Void = { _ in }

    init(
        _ name: String, at endpoint: FeedEndpoint, longestLine: Int, on loop: any EventLoop, log: Logger
    ) {
        self.name = name
        self.longestLine = longestLine
        self.loop = loop
        port = FeedPort(of: name, at: endpoint, on: loop, log: log) { [unowned self] host in
            self.open(host, port: endpoint.port)
        }
    }

    var counts: FeedCounts { FeedCounts(name: name, clients: clients.count, messages: messages, drops: drops) }

    /// Call once a second.
    func tick() {
        for client in clients { client.tick() }
        if admissions <= 0 { _ = port?.channel?.setOption(.autoRead, value: true) }
        admissions = Self.admissionsInASecond
        port?.tick()
    }

    func send(_ bytes: [UInt8], to client: LineClient) {
        if client.send(bytes) { messages += 1 } else { drops += 1 }
    }

    func sendToAll(_ bytes: [UInt8]) {
        for client in clients where client.channel.isActive { send(bytes, to: client) }
    }

    func stop() {
        hasStopped = true
        port?.stop()
        for client in clients { client.channel.close(promise: nil) }
    }

    private func open(_ host: String, port: Int) -> EventLoopFuture<any Channel> {
        let me = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 8)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // A client that shuts its sending side after a question still gets its answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: Self.piecesAtOnce)
            .childChannelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.pieceLength)
            )
            .childChannelOption(
                .writeBufferWaterMark, value: .init(low: Self.waitingLimit / 4, high: Self.waitingLimit)
            )
            .childChannelOption(.tcpOption(.init(rawValue: Self.userTimeout)), value: Self.deadAfter)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try me.value.admit(channel) }
            }
            .bind(host: host, port: port)
    }

    // MARK: - Clients

    private struct TooManyClients: Error {}

    private func admit(_ channel: any Channel) throws {
        admissions -= 1
        if admissions == 0 { _ = port?.channel?.setOption(.autoRead, value: false) }
        guard clients.count < Self.mostClients, !hasStopped else {
            drops += 1
            throw TooManyClients()
        }
        let client = LineClient(channel, of: self, longestLine: longestLine)
        try channel.pipeline.syncOperations.addHandler(client)
        clients.append(client)
    }

    func began(_ client: LineClient) { onBegin(client) }

    func received(_ line: [UInt8], from client: LineClient) { onLine(line, client) }

    func ended(_ client: LineClient) {
        clients.removeAll { $0 === client }
        onEnd(client)
    }
}
