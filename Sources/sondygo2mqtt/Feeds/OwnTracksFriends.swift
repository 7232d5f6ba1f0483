import MQTTPublishing

/// Shows the sonde and its landing point as friends to phones with OwnTracks on the same broker.
struct OwnTracksFriends: Feed, Equatable {
    var isEnabled = false
    var user = "sonde"

    static let name = "owntracks"
    static let keys: [ConfigurationKey] = [
        .flag("feeds.owntracks.enabled", \.feeds.ownTracks.isEnabled),
        .text("feeds.owntracks.user", \.feeds.ownTracks.user, accepts: "one topic level of a-z 0-9 _ -") {
            ConfigurationKey.isTopicLevel($0) && $0.utf8.count <= 64
        },
    ]
    var finding: Finding { Finding.ok(Self.name, "sends to phones on owntracks/\(user)/…") }
}

extension Configuration {
    var ownTracksOptions: OwnTracksOptions? {
        feeds.ownTracks.isEnabled ? OwnTracksOptions(user: feeds.ownTracks.user, device: gateway.id) : nil
    }
}
