import GatewayReports
import NIOHTTP1

/// The link with which a phone opens the page, for a QR code, and the page's name beside it:
/// `{"url":"http://10.42.0.1:8080/?key=…","name":"http://car1.local:8080/","here":false}`.
struct PageLink: Sendable {
    /// With this machine's name; nil if other machines can't open the page.
    let url: String?
    let key: String?
    let port: Int
    /// This machine's address in the network, for names that a phone can't resolve.
    var address: @Sendable () -> String? = { OwnAddress.current }

    /// The link has the host of the client's own request, which works. A name that ends with `.local`, and that of a
    /// client on this machine, give way to this machine's address. `here` is whether the client is on this machine.
    func answer(to request: Request) -> Answer {
        let host = request.headers["host"].first.flatMap { request.isFromThisMachine ? nil : "http://\($0)/" }
        let suffix = key.map { "?key=\($0)" } ?? ""
        let named: String? = url.map { host ?? $0 }
        let isLocal = named.map { Self.isLocal($0) } ?? false
        let numbered: String? = isLocal ? address().map { "http://\($0):\(port)/" } : nil
        let link: String? = named.map { (numbered ?? $0) + suffix }
        var json = JSONText()
        json.field("url", link)
        json.field("name", numbered == nil ? nil : named)
        json.field("here", request.isFromThisMachine)
        return .json(json.object)
    }

    /// Whether only machines that know mDNS find the host.
    private static func isLocal(_ url: String) -> Bool {
        let host = url.dropFirst("http://".count).prefix { $0 != ":" && $0 != "/" }
        return host.lowercased().hasSuffix(".local")
    }
}
