import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves pages: NIO's HTTP/1 on one event loop. A guard in front keeps slow, idle and hostile clients from hindering
/// the others. If the port is in use, the server tries it again.
final class PageServer: Sendable {
    /// The kernel's buffer in bytes for data that a client has not read.
    private static let sendBuffer: Int = 65_536
    /// The kernel's buffer in bytes for requests that wait behind another. The longest request has 12 kB.
    private static let receiveBuffer: Int = 16_384
    /// Milliseconds until the kernel closes the connection of a client that acknowledges nothing.
    private static let acknowledgementLimit: Int = 20_000

    private let options: DashboardOptions
    private let router: any PageRouter
    private let gate: ConnectionGate
    private let loop: any EventLoop
    private let limits: ConnectionLimits
    /// The pause between two attempts to open a port that is in use.
    private let retry: Duration
    private let log: Logger

    init(
        _ options: DashboardOptions, _ router: any PageRouter, on loop: any EventLoop,
        mostConnections: Int = EventHub.mostStreams + 32, limits: ConnectionLimits = ConnectionLimits(),
        retry: Duration,
        log: Logger
    ) {
        self.limits = limits
        gate = ConnectionGate(most: mostConnections)
        self.options = options
        self.router = router
        self.loop = loop
        self.retry = retry
        self.log = log
    }

    /// The number of open connections, with those of streams.
    var connections: Int { gate.count }

    /// Serves until the task is cancelled.
    /// - Parameter pool: reads the pages' own files.
    func run(maps: TileMaps, files pool: NIOThreadPool) async {
        pool.start()
        maps.start()
        await serve()
        maps.stop()
        try? await pool.shutdownGracefully()
    }

    private func serve() async {
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
            .childChannelInitializer { [router, gate, limits, frame = options.frameFrom] channel in
                channel.eventLoop.makeCompletedFuture {
                    var headLimits = NIOHTTPDecoderLimitConfiguration()
                    headLimits.maxHeaderFieldSize = 8192
                    headLimits.maxHeaderListSize = 8192
                    headLimits.maxHeaderFieldCount = 64
                    let guardian = ConnectionGuard(gate, limits: limits)
                    try channel.pipeline.syncOperations.addHandlers([
                        guardian, HTTPResponseEncoder(),
                        ByteToMessageHandler(
                            HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: headLimits)),
                        HTTPServerPipelineHandler(), RequestHandler(router, guardian: guardian, frame: frame),
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
