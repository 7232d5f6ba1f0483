import GatewayReports
import NIOHTTP1

/// The link with which a phone opens the page, for a QR code: `{"url":"http://car1.local:8080/?key=…"}`.
struct PageLink: Sendable {
    /// Nil if other machines can't open the page.
    let url: String?
    let key: String?

    /// The link has the host name of the client's own request, which works. For a client on this machine it has that of
    /// ``url``, because `localhost` does not work elsewhere.
    func answer(to request: Request) -> Answer {
        let host = request.headers["host"].first.flatMap { request.isFromThisMachine ? nil : "http://\($0)/" }
        let suffix = key.map { "?key=\($0)" } ?? ""
        let link: String? = url.map { (host ?? $0) + suffix }
        var json = JSONText()
        json.field("url", link)
        return .json(json.object)
    }
}
