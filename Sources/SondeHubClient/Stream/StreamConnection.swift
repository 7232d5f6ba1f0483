import GatewayReports
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import SondeHubProtocol

/// A WebSocket that carries one MQTT session of SondeHub's live stream.
struct StreamConnection: Sendable {
    private static let connectTimeout = TimeAmount.seconds(5)
    /// The longest frame of the server, bytes.
    private static let longestFrame = 65_536

    private let channel: any Channel

    /// - Parameter inbox: gets the session's news, and why it ended.
    /// - Throws: an error of NIO, or `status` if the server does not speak WebSocket.
    init(
        to address: StreamAddress, tls: TLSConfiguration, userAgent: String, session: StreamSession, inbox: StreamInbox
    ) async throws {
        channel = try await Self.connect(to: address, tls: tls, userAgent: userAgent, session, inbox)
        await withHandler { $0.start() }
    }

    /// Takes leave of the server and closes the connection, even in a cancelled task.
    func close() async {
        await withHandler { $0.leave() }
        try? await channel.close()
    }

    /// Does nothing if the connection has ended.
    private func withHandler(_ body: @escaping @Sendable (StreamHandler) -> Void) async {
        let done = channel.eventLoop.submit { [channel] in
            if let handler = try? channel.pipeline.syncOperations.handler(type: StreamHandler.self) { body(handler) }
        }
        try? await done.get()
    }

    private static func connect(
        to address: StreamAddress, tls: TLSConfiguration, userAgent: String, _ session: StreamSession,
        _ inbox: StreamInbox
    ) async throws -> any Channel {
        // Reads the files of the trusted authorities.
        let context =
            address.isSecure
            ? try await NIOThreadPool.singleton.runIfActive { try NIOSSLContext(configuration: tls) } : nil
        let request = upgrade(to: address, userAgent: userAgent, session, inbox)
        let upgraded = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(connectTimeout)
            .connect(host: address.host, port: address.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        let name = address.host.isAddress ? nil : address.host
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                    }
                    var configuration = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: request)
                    // The server's first frame may come with its answer.
                    configuration.leftOverBytesStrategy = .forwardBytes
                    let future = try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
                    future.whenFailure { _ in channel.close(promise: nil) }
                    return (channel, future)
                }
            }
        return try await withTaskCancellationHandler {
            try await upgraded.1.get()
        } onCancel: {
            upgraded.0.close(promise: nil)
        }
    }

    private static func upgrade(
        to address: StreamAddress, userAgent: String, _ session: StreamSession, _ inbox: StreamInbox
    ) -> NIOTypedHTTPClientUpgradeConfiguration<any Channel> {
        let upgrader = NIOTypedWebSocketClientUpgrader<any Channel>(
            maxFrameSize: longestFrame, enableAutomaticErrorHandling: false
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(StreamHandler(session, inbox))
                return channel
            }
        }
        let usualPort = address.isSecure ? 443 : 80
        let host = address.port == usualPort ? address.host : "\(address.host):\(address.port)"
        let headers = HTTPHeaders([
            ("Host", host), ("User-Agent", userAgent), ("Sec-WebSocket-Protocol", "mqtt"), ("Content-Length", "0"),
        ])
        return NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: HTTPRequestHead(version: .http1_1, method: .GET, uri: address.path, headers: headers),
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                let error = OnlineServiceError(.status, "the server does not speak WebSocket there")
                return channel.eventLoop.makeFailedFuture(error)
            })
    }
}
