import FoundationEssentials
import GatewayReports
import SondeHubProtocol

/// The address of a live stream: `wss://host/`, or `ws://` for this machine.
struct StreamAddress: Equatable, Sendable {
    /// SondeHub's own, for when its API does not name one.
    static let usual = "wss://ws-reader.v2.sondehub.org/"

    let host: String
    let port: Int
    let path: String
    let isSecure: Bool

    /// - Throws: `refused`; its text names the accepted addresses.
    init(_ text: String) throws(OnlineServiceError) {
        let isSecure = text.hasPrefix("wss://")
        guard isSecure || text.hasPrefix("ws://"), let rest = text.firstIndex(of: ":"),
            let base = try? BaseURL((isSecure ? "https" : "http") + text[rest...])
        else {
            let shown = PrintableText.of(text.utf8)
            throw OnlineServiceError(.refused, "\(shown): a wss address is needed (ws for this machine only)")
        }
        self.isSecure = isSecure
        host = base.host
        port = base.effectivePort
        let path = URL(string: base.text)?.path(percentEncoded: true) ?? ""
        self.path = path.isEmpty ? "/" : path
    }

    /// The answer of `/sondes/websocket`: an address as plain text.
    init(answer: [UInt8]) throws(OnlineServiceError) {
        let text = String(decoding: answer, as: UTF8.self)
        try self.init(String(text.filter { !$0.isWhitespace && $0 != "\"" }))
    }
}
