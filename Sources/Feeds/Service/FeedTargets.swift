import NIOCore
import NIOPosix

/// The destinations of datagrams. A name is looked up at the start, and again from time to time.
final class FeedTargets {
    private struct Target {
        var endpoint: FeedEndpoint
        var address: SocketAddress?
        /// Whether the host is a name and not an address.
        var isName: Bool
        var isLookedUp = false
        var secondsToLookUp = 0
    }

    /// The seconds until the next look-up: after one that found the name, and after one that did not.
    private static let (foundInterval, missingInterval) = (300, 30)

    private let loop: any EventLoop
    private var targets: [Target]

    init(_ endpoints: [FeedEndpoint], on loop: any EventLoop) {
        self.loop = loop
        targets = endpoints.map { endpoint in
            let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)
            return Target(endpoint: endpoint, address: address, isName: address == nil)
        }
    }

    /// The addresses that are known so far.
    var addresses: [SocketAddress] { targets.compactMap(\.address) }

    var count: Int { targets.count }

    /// Call once a second.
    func tick() {
        for index in targets.indices where targets[index].isName && !targets[index].isLookedUp {
            targets[index].secondsToLookUp -= 1
            if targets[index].secondsToLookUp <= 0 { lookUp(index) }
        }
    }

    /// Looks the name up on another thread, because an absent name server blocks for half a minute.
    private func lookUp(_ index: Int) {
        targets[index].isLookedUp = true
        let endpoint = targets[index].endpoint
        let me = NIOLoopBound(self, eventLoop: loop)
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
            try SocketAddress.makeAddressResolvingHost(endpoint.host, port: endpoint.port)
        }
        .whenComplete { result in me.value.lookedUp(index, result) }
    }

    private func lookedUp(_ index: Int, _ result: Result<SocketAddress, any Error>) {
        targets[index].isLookedUp = false
        switch result {
        case .success(let address):
            targets[index].address = address
            targets[index].secondsToLookUp = Self.foundInterval
        case .failure: targets[index].secondsToLookUp = Self.missingInterval
        }
    }
}
