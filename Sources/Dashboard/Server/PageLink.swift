import GatewayReports
import NIOHTTP1

/// The link with which a phone opens the page, for a QR code: `{"url":"http://car1.local:8080/?key=…"}`.
struct PageLink: Sendable {
    /// Nil if other machines can't open the page.
    let url: String?
    let key: String?

    /// The name that the client itself has used is one that works. Only this machine's own names don't work elsewhere.
    func answer(to request: Request) -> Answer {
        let host = request.headers["host"].first.flatMap { request.isFromThisMachine ? nil : "http://\($0)/" }
        let suffix = key.map { "?key=\($0)" } ?? ""
        let link: String? = url.map { (host ?? $0) + suffix }
        var json = JSONText()
        json.field("url", link)
        return .json(json.object)
    }
}
