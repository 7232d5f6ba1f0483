import GatewayReports
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// A WebSocket that carries one MQTT session, and the UNIX socket at which a client speaks that MQTT.
///
///     server <-- WebSocket, TLS --> WebSocketEnd | ClientEnd <-- UNIX socket --> MQTT client
struct StreamBridge: Sendable {
    private static let connectTimeout = TimeAmount.seconds(5)
    /// The longest frame of the server, bytes.
    private static let longestFrame = 65_536

    /// The path of the UNIX socket, in a folder that only this user can enter.
    let path: String
    /// Why the connection ended.
    let ending: StreamEnding
    private let server: any Channel
    private let listener: any Channel

    /// - Throws: an error of NIO, or `status` if the server does not speak WebSocket.
    init(to address: StreamAddress, tls: TLSConfiguration, userAgent: String) async throws {
        ending = StreamEnding()
        server = try await Self.connect(to: address, tls: tls, userAgent: userAgent, ending)
        let pool = NIOThreadPool.singleton
        do {
            let directory = try await pool.runIfActive { try Self.makeDirectory() }
            path = directory + "/mqtt"
            listener = try await Self.listen(path, before: server)
        } catch {
            server.close(promise: nil)
            throw error
        }
    }

    /// Closes both ends and removes the socket, even in a cancelled task, in which the thread pool would run nothing.
    func close() async {
        // Tell the server before the connection goes.
        let told = server.eventLoop.submit { [server] in
            (try? server.pipeline.syncOperations.handler(type: WebSocketEnd.self))?.close()
        }
        try? await told.get()
        try? await server.close()
        try? await listener.close()
        Self.remove(path)
    }

    /// Removes the socket and its folder.
    @Sendable private static func remove(_ path: String) {
        unlink(path)
        rmdir(String(path.dropLast("/mqtt".count)))
    }

    // MARK: - The server's end

    private static func connect(
        to address: StreamAddress, tls: TLSConfiguration, userAgent: String, _ ending: StreamEnding
    ) async throws -> any Channel {
        // Reads the files of the trusted authorities.
        let context =
            address.isSecure
            ? try await NIOThreadPool.singleton.runIfActive { try NIOSSLContext(configuration: tls) } : nil
        let request = upgrade(to: address, userAgent: userAgent, ending)
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
        to address: StreamAddress, userAgent: String, _ ending: StreamEnding
    ) -> NIOTypedHTTPClientUpgradeConfiguration<any Channel> {
        let upgrader = NIOTypedWebSocketClientUpgrader<any Channel>(
            maxFrameSize: longestFrame, enableAutomaticErrorHandling: false
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(WebSocketEnd(ending))
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

    // MARK: - The client's end

    private static func makeDirectory() throws -> String {
        var template = Array("\(temporaryDirectory)/sondygo2mqtt-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw IOError(errnoCode: errno, reason: "mkdtemp") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A UNIX socket's path has at most 107 bytes, so a long `TMPDIR` is not used.
    private static var temporaryDirectory: String {
        guard let named = getenv("TMPDIR").map({ String(cString: $0) }), named.hasPrefix("/"), named.utf8.count <= 60
        else { return "/tmp" }
        return named
    }

    /// Both ends run on the server's event loop.
    private static func listen(_ path: String, before server: any Channel) async throws -> any Channel {
        try await ServerBootstrap(group: server.eventLoop)
            .childChannelInitializer { child in
                // There is only one client, so nothing needs the path any more. Removed now, it does not stay behind
                // after a kill.
                NIOThreadPool.singleton.submit { _ in remove(path) }
                return child.eventLoop.makeCompletedFuture {
                    let end = try server.pipeline.syncOperations.handler(type: WebSocketEnd.self)
                    guard end.client == nil else { throw ChannelError.alreadyClosed }
                    let client = ClientEnd(end)
                    try child.pipeline.syncOperations.addHandler(client)
                    end.connect(to: client)
                }
            }
            .bind(unixDomainSocketPath: path).get()
    }
}
