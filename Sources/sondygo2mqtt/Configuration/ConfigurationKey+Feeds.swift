import Dashboard
import Feeds

extension ConfigurationKey {
    /// Of the feeds to other programs.
    static let feeds: [ConfigurationKey] = [
        flag("feeds.rdz.enabled", \.feeds.sockets.rdz.isEnabled),
        address("feeds.rdz.address", \.feeds.sockets.rdz.address),
        integer("feeds.rdz.port", \.feeds.sockets.rdz.port, in: 1...65_535),
        flag("feeds.horus.enabled", \.feeds.sockets.horus.isEnabled),
        endpoints("feeds.horus.targets", \.feeds.sockets.horus.targets, usualPort: nil),
        endpoint("feeds.horus.car", \.feeds.sockets.horus.car),
        endpoint("feeds.horus.listen", \.feeds.sockets.horus.listen, accepts: "address:port of this machine") {
            DashboardOptions.isAddress($0.host)
        },
        flag("feeds.gdl90.enabled", \.feeds.sockets.gdl90.isEnabled),
        endpoints("feeds.gdl90.targets", \.feeds.sockets.gdl90.targets, usualPort: 4000),
        flag("feeds.gdl90.discover", \.feeds.sockets.gdl90.discovers),
        flag("feeds.gdl90.ownship", \.feeds.sockets.gdl90.tellsOwnship),
        optional("feeds.gdl90.max_altitude_m", \.feeds.sockets.gdl90.highestMetres, in: 0...60_000),
        flag("feeds.rocket.enabled", \.feeds.sockets.rocket.isEnabled),
        address("feeds.rocket.address", \.feeds.sockets.rocket.address),
        integer("feeds.rocket.port", \.feeds.sockets.rocket.port, in: 1...65_535),
        integer("feeds.rocket.flights", \.feeds.sockets.rocket.flights, in: 1...100),
        flag("feeds.owntracks.enabled", \.feeds.ownTracks.isEnabled),
        text("feeds.owntracks.user", \.feeds.ownTracks.user, accepts: "one topic level of a-z 0-9 _ -") {
            isTopicLevel($0) && $0.utf8.count <= 64
        },
        flag("feeds.chase_car.enabled", \.feeds.chaseCar.isEnabled).live,
        optional(
            "feeds.chase_car.callsign", \.feeds.chaseCar.callSign,
            accepts: "a call sign of 3 to 20 letters, digits, - and _"
        ) { text in
            3...20 ~= text.utf8.count
                && text.utf8.allSatisfy { byte in
                    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains(byte)
                }
        }.live,
        integer("feeds.chase_car.seconds", \.feeds.chaseCar.seconds, in: 15...3600).live,
    ]

    /// Where a server listens.
    private static func address(_ path: String, _ property: any Path<String>) -> ConfigurationKey {
        text(path, property, accepts: "an address of this machine, \"::\" or 0.0.0.0 for all of them") { text in
            !text.isEmpty && text.utf8.count <= 64
                && text.utf8.allSatisfy { "0123456789abcdefABCDEF.:%".utf8.contains($0) }
        }
    }

    private static func endpoint(
        _ path: String, _ property: any Path<FeedsConfiguration.Endpoint?>, accepts: String = "host:port",
        where isAccepted: @escaping @Sendable (FeedsConfiguration.Endpoint) -> Bool = { _ in true }
    ) -> ConfigurationKey {
        parsed(path, property, absent: nil, accepts: accepts) { text in
            FeedsConfiguration.Endpoint(text).flatMap { isAccepted($0) ? .some($0) : nil }
        }
    }

    /// None to eight of them: a list in the file, separated by commas elsewhere.
    private static func endpoints(
        _ path: String, _ property: any Path<[FeedsConfiguration.Endpoint]>, usualPort: Int?
    ) -> ConfigurationKey {
        let form = usualPort == nil ? "host:port" : "host or host:port"
        return parsed(path, property, absent: [], accepts: "a list of \(form), up to 8", as: .list) { text in
            let items = text.split(separator: ",").map { $0.trimmed }
            let endpoints = items.compactMap { FeedsConfiguration.Endpoint($0, usualPort: usualPort) }
            return endpoints.count == items.count && items.count <= 8 ? endpoints : nil
        }
    }
}
