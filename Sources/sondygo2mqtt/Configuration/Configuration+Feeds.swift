import Feeds
import GatewayCore

extension Configuration {
    /// The feeds to other programs; all of them are off unless somebody wants them.
    struct FeedSettings: Equatable {
        struct OwnTracks: Equatable {
            var isEnabled = false
            var user = "sonde"
        }

        struct ChaseCar: Equatable {
            var isEnabled = false
            var callSign: String?
            var seconds = 30
        }

        /// Those with sockets.
        var sockets = FeedsConfiguration()
        var ownTracks = OwnTracks()
        var chaseCar = ChaseCar()
    }

    var ownTracksOptions: OwnTracksOptions? {
        feeds.ownTracks.isEnabled ? OwnTracksOptions(user: feeds.ownTracks.user, device: gateway.id) : nil
    }

    /// What isn't real is shown to nobody.
    var carSharingOptions: CarSharingOptions {
        guard !isForShow else { return CarSharingOptions() }
        return CarSharingOptions(
            callSign: feeds.chaseCar.isEnabled ? feeds.chaseCar.callSign : nil,
            interval: .seconds(feeds.chaseCar.seconds), mayAsk: sondeHub.isEnabled)
    }

    /// The names of the feeds that are on.
    var feedNames: [String] {
        let all: [(String, Bool)] = [
            ("rdz", feeds.sockets.rdz.isEnabled), ("horus", feeds.sockets.horus.isEnabled),
            ("gdl90", feeds.sockets.gdl90.isEnabled),
            ("rocket", feeds.sockets.rocket.isEnabled), ("owntracks", feeds.ownTracks.isEnabled),
            ("chase_car", carSharingOptions.callSign != nil && carSharingOptions.mayAsk),
        ]
        return all.filter(\.1).map(\.0)
    }
}
