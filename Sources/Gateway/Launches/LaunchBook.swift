import FlightMath
import GatewayReports

/// The sites around, and the launches that were announced. The store keeps it.
struct LaunchBook: Equatable, Sendable {
    /// The most sites.
    static let mostSites = 32
    private static let mostTold = 64

    var sites: [LaunchSite] = []
    /// When SondeHub gave the sites; nil before the first time.
    var fetchedAt: WallTime?
    /// The area for which the sites were chosen; nil if an earlier version stored them.
    var area: LaunchArea?
    private var told: [String] = []

    init() {}

    /// - Returns: false if this launch was announced before.
    mutating func tell(_ site: String, _ time: WallTime) -> Bool {
        let key = "\(site) \(time.millisecondsSince1970)"
        guard !told.contains(key) else { return false }
        told.append(key)
        if told.count > Self.mostTold { told.removeFirst() }
        return true
    }

    var text: String {
        var json = JSONText()
        json.field("at", fetchedAt.map { .integer($0.millisecondsSince1970) } ?? .null)
        if let area { json.field("area", area.stored) }
        json.field("sites", .array(sites.map(\.stored)))
        json.field("told", .array(told.map(JSONValue.string)))
        return String(decoding: json.object, as: UTF8.self)
    }

    /// Reads the stored form, and leaves out unreadable parts.
    init(_ text: String) {
        guard case .object(let members)? = JSONValue(json: Array(text.utf8)) else { return }
        if case .integer(let time)? = members["at"] { fetchedAt = WallTime(millisecondsSince1970: time) }
        area = LaunchArea(stored: members["area"])
        if case .array(let items)? = members["sites"] {
            sites = items.prefix(Self.mostSites).compactMap(LaunchSite.init(stored:))
        }
        if case .array(let keys)? = members["told"] {
            told = keys.compactMap { if case .string(let key) = $0 { key } else { nil } }.suffix(Self.mostTold)
        }
    }
}
