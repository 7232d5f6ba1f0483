import FlightMath

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

    /// For how long the sites still serve an area; nil if they must be fetched now.
    func timeLeft(at now: WallTime, for wanted: LaunchArea) -> Duration? {
        guard let fetchedAt, area?.serves(wanted) ?? true else { return nil }
        let age = now.duration(since: fetchedAt)
        // A time ahead of the clock was stored with a wrong clock.
        return (Duration.zero..<Launches.siteLifetime).contains(age) ? Launches.siteLifetime - age : nil
    }

    /// - Returns: false if this launch was announced before.
    mutating func tell(_ site: String, _ time: WallTime) -> Bool {
        let key = "\(site) \(time.millisecondsSince1970)"
        guard !told.contains(key) else { return false }
        told.append(key)
        if told.count > Self.mostTold { told.removeFirst() }
        return true
    }
}

extension LaunchBook: StoredValue {
    private enum CodingKeys: String, CodingKey {
        case fetchedAt = "at"
        case area, sites, told
    }

    /// Leaves out what can't be read.
    init(from decoder: any Decoder) throws {
        let book = try decoder.container(keyedBy: CodingKeys.self)
        fetchedAt = try? book.decode(WallTime.self, forKey: .fetchedAt)
        area = try? book.decode(LaunchArea.self, forKey: .area)
        let sites = try? book.decode(ReadableList<LaunchSite>.self, forKey: .sites)
        let told = try? book.decode(ReadableList<String>.self, forKey: .told)
        self.sites = Array((sites?.elements ?? []).prefix(Self.mostSites))
        self.told = (told?.elements ?? []).suffix(Self.mostTold)
    }
}
