import FlightMath
import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Finds out why a server's certificate was refused. It connects once more, because the TLS library does not report the
/// reason.
struct CertificateProbe {
    private static let handshakeTimeout = TimeAmount.seconds(3)

    private let base: BaseURL
    private let tls: TLSConfiguration

    init(_ base: BaseURL, _ tls: TLSConfiguration) {
        self.base = base
        self.tls = tls
    }

    /// - Returns: the reason in words; nil if the server can't be reached.
    func reason() async -> String? {
        guard let context = try? NIOSSLContext(configuration: tls) else {
            return "the file of trusted authorities can't be used"
        }
        let found = Found()
        let (host, port) = (base.host, base.effectivePort)
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(Self.handshakeTimeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // Send nothing: the callback always ends the handshake.
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: host.isAddress ? nil : host,
                        customVerificationCallback: { certificates, verdict in
                            found.set(certificates)
                            verdict.succeed(.failed)
                        })
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        guard let channel = try? await bootstrap.connect(host: host, port: port).get() else { return nil }
        let alarm = channel.eventLoop.scheduleTask(in: Self.handshakeTimeout) { channel.close(promise: nil) }
        try? await channel.closeFuture.get()
        alarm.cancel()
        return found.reason
    }
}

private final class Found: Sendable {
    private let words = Mutex<String?>(nil)

    var reason: String? { words.withLock { $0 } }

    func set(_ certificates: [NIOSSLCertificate]) {
        let now = Date().timeIntervalSince1970
        let reason =
            if let old = certificates.first(where: { Double($0.notValidAfter) < now }) {
                "the server's certificate expired on \(Self.day(old.notValidAfter)); is this machine's clock right?"
            } else if let young = certificates.first(where: { Double($0.notValidBefore) > now }) {
                "the server's certificate is valid only from \(Self.day(young.notValidBefore)); "
                    + "is this machine's clock right?"
            } else {
                "the server's certificate is signed by an authority that this machine does not trust"
            }
        words.withLock { $0 = reason }
    }

    private static func day(_ seconds: Int) -> String {
        let (milliseconds, overflows) = Int64(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflows else { return "an unknown day" }
        return String(WallTime(millisecondsSince1970: milliseconds).iso8601.prefix { $0 != "T" })
    }
}

extension String {
    /// Whether this is an IPv4 or IPv6 address. TLS does not allow one as the server name.
    var isAddress: Bool { (try? SocketAddress(ipAddress: self, port: 0)) != nil }
}
