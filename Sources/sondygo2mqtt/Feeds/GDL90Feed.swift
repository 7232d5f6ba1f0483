import Feeds

extension GDL90Feed: Feed {
    static let name = "gdl90"
    static let keys: [ConfigurationKey] = [
        .flag("feeds.gdl90.enabled", \.feeds.gdl90.isEnabled),
        .endpoints("feeds.gdl90.targets", \.feeds.gdl90.targets, usualPort: 4000),
        .flag("feeds.gdl90.discover", \.feeds.gdl90.discovers),
        .flag("feeds.gdl90.ownship", \.feeds.gdl90.tellsOwnship),
        .optional("feeds.gdl90.max_altitude_m", \.feeds.gdl90.highestMetres, in: 0...60_000),
    ]

    var listener: Listener? {
        guard discovers else { return nil }
        let place = Self.announcements
        return Listener(key: "feeds.gdl90.discover", host: place.host, port: place.port, isDatagram: true)
    }

    func contradictions(in configuration: Configuration) -> [Contradiction] {
        guard targets.isEmpty, !discovers else { return [] }
        return [
            Contradiction(
                keys: ["feeds.gdl90.enabled"],
                text: "feeds.gdl90: it has no address to send to; give targets, or set discover to true")
        ]
    }

    var finding: Finding {
        let fault = listener?.fault
        let told = targets.isEmpty ? "" : "sends to \(targets.list)"
        let discovered = discovers ? "whoever announces itself on UDP \(Self.announcements.port)" : ""
        let text = [told, discovered].filter { !$0.isEmpty }.joined(separator: ", and ")
        return Finding(
            subject: Self.name, verdict: fault == nil ? .ok : .note,
            text: text + (fault ?? "") + "; for awareness, not for separation")
    }
}
