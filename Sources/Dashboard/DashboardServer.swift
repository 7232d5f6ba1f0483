public import Gateway
import Glibc
public import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// The page's server: NIO's HTTP/1 on one event loop. A guard in front keeps slow, idle and hostile clients from
/// hindering the others. If the port is in use, the server tries it again; the gateway goes on.
public final class DashboardServer: Sendable {
    /// The kernel's buffer in bytes for data that a client has not read.
    private static let sendBuffer: Int = 65_536
    /// The kernel's buffer in bytes for requests that wait behind another. The longest request has 12 kB.
    private static let receiveBuffer: Int = 16_384
    /// Milliseconds until the kernel closes the connection of a client that acknowledges nothing.
    private static let acknowledgementLimit: Int = 20_000

    private let options: DashboardOptions
    private let router: RequestRouter
    private let gate = ConnectionGate()
    private let loop: any EventLoop
    /// Reads the page's own files. Maps have another thread.
    private let pool = NIOThreadPool(numberOfThreads: 1)
    /// The pause between two attempts to open a port that is in use.
    private let retry: Duration
    private let log: Logger

    public init(
        _ options: DashboardOptions, _ surroundings: DashboardSurroundings, retry: Duration = .seconds(30),
        healthLimit: Duration = .seconds(2), log: Logger
    ) {
        self.options = options
        self.retry = retry
        self.log = log
        loop = MultiThreadedEventLoopGroup.singleton.next()
        let replies = CommandReplies()
        router = RequestRouter(
            hub: EventHub(replies: replies, loop: loop, clock: surroundings.clock, phrases: surroundings.phrases),
            policy: RequestPolicy(
                hosts: options.hosts, ownName: DashboardOptions.hostName, allowsCommands: options.allowsCommands),
            replies: replies,
            files: PageFiles(
                pageDirectory: options.pageDirectory, leafletDirectory: PageLocator.leafletDirectory, pool: pool),
            maps: TileMaps(folder: options.mapsDirectory, log: log), surroundings: surroundings,
            healthLimit: healthLimit)
    }

    /// Receives the gateway's reports.
    public var feed: any ReportFeed { router.hub }
    /// The number of open event streams.
    public var streams: Int { router.hub.count }
    /// The number of open connections, with those of streams.
    public var connections: Int { gate.count }

    /// Serves until the task is cancelled.
    public func run() async {
        pool.start()
        router.maps.start()
        var isTold = false
        while !Task.isCancelled {
            do {
                let listener = try await listen()
                log.notice("the page is served", metadata: ["address": "\(options.url)"])
                isTold = false
                await withTaskCancellationHandler {
                    try? await listener.closeFuture.get()
                } onCancel: {
                    listener.close(promise: nil)
                }
            } catch {
                if !isTold {
                    log.warning(
                        "the page can't be served; trying again",
                        metadata: ["address": "\(options.url)", "why": "\(Self.words(error))"])
                }
                isTold = true
            }
            try? await Task.sleep(for: retry)
        }
        gate.closeAll()
        router.maps.stop()
        try? await pool.shutdownGracefully()
    }

    private func listen() async throws -> any Channel {
        do {
            return try await bind(options.address)
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT && options.address == "::" {
            return try await bind("0.0.0.0")
        }
    }

    private func bind(_ host: String) async throws -> any Channel {
        try await ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
            .childChannelOption(.socketOption(.so_rcvbuf), value: Self.receiveBuffer)
            .childChannelOption(.tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: Self.acknowledgementLimit)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A client that closes its sending side after a request still gets the answer.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [router, gate] channel in
                channel.eventLoop.makeCompletedFuture {
                    var limits = NIOHTTPDecoderLimitConfiguration()
                    limits.maxHeaderFieldSize = 8192
                    limits.maxHeaderListSize = 8192
                    limits.maxHeaderFieldCount = 64
                    let guardian = ConnectionGuard(gate)
                    try channel.pipeline.syncOperations.addHandlers([
                        guardian, HTTPResponseEncoder(),
                        ByteToMessageHandler(
                            HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)),
                        HTTPServerPipelineHandler(), RequestHandler(router, guardian: guardian),
                    ])
                }
            }
            .bind(host: host, port: options.port).get()
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return String(cString: strerror(error.errnoCode))
    }
}
