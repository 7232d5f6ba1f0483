import FlightMath
import Foundation
import Gateway
import SondeHubClient

/// SondeHub's launch sites, for choosing one by its name.
struct SiteList {
    /// How many sites are offered.
    private static let offered = 5

    private let sites: [LaunchSite]

    init(_ sites: [LaunchSite]) {
        self.sites = sites
    }

    /// Nil if SondeHub does not answer.
    static func fetched(_ configuration: Configuration) async -> SiteList? {
        guard
            let client = try? SondeHubClient(.init(url: configuration.sondeHub.url, userAgent: Version.userAgent))
        else { return nil }
        let sites = try? await client.sites()
        await client.close()
        return sites.flatMap { $0.isEmpty ? nil : SiteList($0) }
    }

    /// The nearest sites, the nearest first, with their distances in kilometres.
    func nearest(to place: Coordinate) -> [(site: LaunchSite, kilometres: Int)] {
        sites.map { (site: $0, metres: $0.coordinate.distanceMetres(to: place)) }
            .sorted { $0.metres < $1.metres }.prefix(Self.offered)
            .map { ($0.site, Int(($0.metres / 1000).rounded())) }
    }

    /// The number of the site that a text names: its number, its name, the beginning of one name only, or its place in
    /// `shown`. Nil if there is no such site, or several.
    func number(of text: String, shown: [LaunchSite] = []) -> String? {
        if let index = Int(text), shown.indices.contains(index - 1) { return shown[index - 1].id }
        if let site = sites.first(where: { $0.id == text }) { return site.id }
        let wanted = Self.plain(text)
        guard wanted.count >= 3 else { return nil }
        if let site = sites.first(where: { Self.plain($0.name) == wanted }) { return site.id }
        let found = sites.filter { Self.plain($0.name).hasPrefix(wanted) }
        return found.count == 1 ? found[0].id : nil
    }

    /// The sites that a wrong answer may mean: a number without its zeros, a name among others.
    func suggestions(for text: String) -> [LaunchSite] {
        let wanted = Self.plain(text)
        return Array(
            sites.filter { site in
                (!wanted.isEmpty && Self.plain(site.name).contains(wanted))
                    || (Int(text) != nil && Int(site.id) == Int(text))
            }.prefix(Self.offered))
    }

    /// Without accents and capital letters.
    private static func plain(_ name: String) -> String {
        name.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
            .trimmingCharacters(in: .whitespaces)
    }
}
