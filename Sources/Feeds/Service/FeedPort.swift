import Glibc
import Logging
import NIOCore

/// A port of this machine. It is opened in the first second, and again every 30 s while that fails. Lives on one event
/// loop.
///
///     condition                                       action
///     the port can't be opened                        logs each new reason once, tries again after 30 s
///     the address is "::" and there is no IPv6        opens 0.0.0.0 at once
///     an error closes the open port                   opens it again
final class FeedPort {
    /// The seconds between two tries.
    static let retryInterval = 30

    /// Opens the port at an address.
    typealias Opening = (_ host: String) -> EventLoopFuture<any Channel>

    private let feed: String
    private let endpoint: FeedEndpoint
    private let loop: any EventLoop
    private let log: Logger
    private let open: Opening
    private(set) var channel: (any Channel)?
    private var isOpening = false
    private var hasStopped = false
    private var secondsToTry = 0
    private var lastFault: String?

    init(
        of feed: String, at endpoint: FeedEndpoint, on loop: any EventLoop, log: Logger,
        open: @escaping Opening
    ) {
        self.feed = feed
        self.endpoint = endpoint
        self.loop = loop
        self.log = log
        self.open = open
    }

    /// Call once a second.
    func tick() {
        guard channel == nil, !isOpening, !hasStopped else { return }
        secondsToTry -= 1
        if secondsToTry <= 0 { open(at: endpoint.host) }
    }

    func stop() {
        hasStopped = true
        channel?.close(promise: nil)
        channel = nil
    }

    private func open(at host: String) {
        isOpening = true
        let me = NIOLoopBound(self, eventLoop: loop)
        open(host).whenComplete { result in me.value.opened(result, at: host) }
    }

    private func opened(_ result: Result<any Channel, any Error>, at host: String) {
        isOpening = false
        switch result {
        case .success(let channel):
            guard !hasStopped else { return channel.close(promise: nil) }
            self.channel = channel
            lastFault = nil
            let me = NIOLoopBound(self, eventLoop: loop)
            channel.closeFuture.whenComplete { _ in me.value.channel = nil }
            log.info(
                "feed ready", metadata: ["feed": "\(feed)", "address": "\(host)", "port": "\(endpoint.port)"])
        case .failure(let error):
            if host == "::", error.isWithoutIPv6 { return open(at: "0.0.0.0") }
            secondsToTry = Self.retryInterval
            let fault = "\(error)"
            guard fault != lastFault else { return }
            lastFault = fault
            log.warning(
                "a feed's port can't be opened; trying again every 30 s",
                metadata: [
                    "feed": "\(feed)", "address": "\(host)", "port": "\(endpoint.port)", "why": "\(fault)",
                ])
        }
    }
}

extension Error {
    /// Whether the kernel has no IPv6, or has it switched off.
    fileprivate var isWithoutIPv6: Bool {
        guard let error = self as? IOError else { return self is SocketAddressError }
        return error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL
    }
}
