import Feeds

extension RDZFeed: Feed {
    static let name = "rdz"
    static let keys: [ConfigurationKey] = [
        .flag("feeds.rdz.enabled", \.feeds.rdz.isEnabled), .address("feeds.rdz.address", \.feeds.rdz.address),
        .integer("feeds.rdz.port", \.feeds.rdz.port, in: 1...65_535),
        .flag("feeds.rdz.car", \.feeds.rdz.takesCar),
    ]
    private var server: Listener { Listener(key: "feeds.rdz.port", host: address, port: port) }
    var listener: Listener? { server }
    var finding: Finding { server.finding(of: Self.name) }
}
