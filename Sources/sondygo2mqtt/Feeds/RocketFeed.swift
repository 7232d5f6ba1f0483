import Feeds

extension RocketFeed: Feed {
    static let name = "rocket"
    static let keys: [ConfigurationKey] = [
        .flag("feeds.rocket.enabled", \.feeds.rocket.isEnabled),
        .address("feeds.rocket.address", \.feeds.rocket.address),
        .integer("feeds.rocket.port", \.feeds.rocket.port, in: 1...65_535),
        .integer("feeds.rocket.flights", \.feeds.rocket.flights, in: 1...100),
    ]
    private var server: Listener { Listener(key: "feeds.rocket.port", host: address, port: port) }
    var listener: Listener? { server }
    var finding: Finding { server.finding(of: Self.name) }
}
