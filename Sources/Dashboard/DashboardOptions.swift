import Glibc
import NIOCore

/// Where the page listens, and what it permits.
public struct DashboardOptions: Equatable, Sendable {
    /// An IP address; `::` is every interface, and 0.0.0.0 where IPv6 is off.
    public var address: String
    public var port: Int
    /// Names under which browsers may reach it, besides addresses, `localhost`, the machine's own and `*.local`.
    public var hosts: [String]
    /// False refuses every command, whatever the page shows.
    public var allowsCommands: Bool
    /// Where raster maps lie.
    public var mapsDirectory: String
    /// Where the page's files lie; nil when they are not installed.
    public var pageDirectory: String?

    /// For people: where to open the page.
    public var url: String {
        let host = address == "::" || address == "0.0.0.0" ? Self.hostName : address
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }

    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Of version 4 or 6.
    public static func isAddress(_ text: String) -> Bool {
        (try? SocketAddress(ipAddress: text, port: 0)) != nil
    }

    public init(
        address: String = "127.0.0.1", port: Int = 8080, hosts: [String] = [], allowsCommands: Bool = true,
        mapsDirectory: String, pageDirectory: String?
    ) {
        self.address = address
        self.port = port
        self.hosts = hosts
        self.allowsCommands = allowsCommands
        self.mapsDirectory = mapsDirectory
        self.pageDirectory = pageDirectory
    }
}
