import Glibc
import NIOCore

/// The page's address, port, folders and permissions.
public struct DashboardOptions: Equatable, Sendable {
    /// An IP address. `::` is each interface, and means 0.0.0.0 if IPv6 is off.
    public var address: String
    public var port: Int
    /// Host names that browsers may use, besides IP addresses, `localhost`, the machine's name and `*.local`.
    public var hosts: [String]
    /// False refuses each command, whatever the page shows.
    public var allowsCommands: Bool
    /// The key with which other machines open the page; nil if they need none.
    public var key: String?
    /// Which page may show this one in a frame: an origin, for example that of Home Assistant, or ``sameOrigin``; nil for
    /// none.
    public var frameFrom: String?
    /// The address of the proxy that alone gets the page; nil for all.
    public var onlyFrom: String?
    /// The folder of the raster maps.
    public var mapsDirectory: String
    /// The maps of tile servers.
    public var onlineMaps: [OnlineMapOptions]
    /// The folder of the page's files; nil if they are not installed.
    public var pageDirectory: String?

    /// The page's URL, for a log line.
    public var url: String {
        let host = address == "::" || address == "0.0.0.0" ? Self.hostName : address
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }

    /// The URL for other machines: with the first of ``hosts``, else with the name that avahi announces.
    public var urlForOthers: String {
        let isEverywhere = address == "::" || address == "0.0.0.0"
        guard let host = hosts.first ?? (isEverywhere ? Self.localName : nil) else { return url }
        return "http://\(host):\(port)/"
    }

    /// The link with which another machine opens the page.
    public var link: String { urlForOthers + (key.map { "?key=\($0)" } ?? "") }

    /// Other machines can't open the page, but for a proxy.
    public var isForThisMachine: Bool { onlyFrom != nil || address.hasPrefix("127.") || address == "::1" }

    private static let keyLetters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Whether the text can be a key: it goes into links and cookies as it is.
    public static func isKey(_ text: String) -> Bool {
        16...128 ~= text.utf8.count && text.utf8.allSatisfy(keyLetters.contains)
    }

    /// For ``frameFrom``: the pages of the origin under which the browser sees this one. Home Assistant's ingress needs it.
    public static let sameOrigin = "self"

    /// Whether the text names the page for a frame.
    public static func isFramer(_ text: String) -> Bool { text == sameOrigin || isOrigin(text) }

    /// Whether the text is an origin: `http` or `https`, a host, and perhaps a port. Anything else would end the header in
    /// which it stands.
    public static func isOrigin(_ text: String) -> Bool {
        let host = ["https://", "http://"].lazy.filter(text.hasPrefix).map { text.dropFirst($0.count) }.first ?? ""
        return 1...255 ~= host.utf8.count && host.utf8.allSatisfy(originLetters.contains)
    }

    private static let originLetters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.:[]".utf8)

    /// This machine's name in the local network, as avahi announces it.
    static var localName: String { hostName.prefix { $0 != "." } + ".local" }

    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether the text is an IPv4 or IPv6 address.
    public static func isAddress(_ text: String) -> Bool {
        (try? SocketAddress(ipAddress: text, port: 0)) != nil
    }

    public init(
        address: String = "127.0.0.1", port: Int = 8080, hosts: [String] = [], allowsCommands: Bool = true,
        key: String? = nil, frameFrom: String? = nil, onlyFrom: String? = nil, mapsDirectory: String,
        onlineMaps: [OnlineMapOptions] = [], pageDirectory: String?
    ) {
        self.address = address
        self.port = port
        self.hosts = hosts
        self.allowsCommands = allowsCommands
        self.key = key
        self.frameFrom = frameFrom
        self.onlyFrom = onlyFrom
        self.mapsDirectory = mapsDirectory
        self.onlineMaps = onlineMaps
        self.pageDirectory = pageDirectory
    }
}
