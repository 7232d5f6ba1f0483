import Feeds

/// The settings of a feed to other programs.
///
/// The configuration's keys and contradictions, `doctor`, `bridge/info` and the sockets use the list
/// ``Configuration/FeedSettings/all``.
protocol Feed: Sendable {
    /// Its name in `bridge/info`, and of its section below `feeds`.
    static var name: String { get }
    static var keys: [ConfigurationKey] { get }
    var isEnabled: Bool { get }
    /// It is enabled, and no other setting keeps it from sending.
    func isOn(in configuration: Configuration) -> Bool
    /// The port of this machine that it opens; nil for none.
    var listener: Listener? { get }
    func contradictions(in configuration: Configuration) -> [Contradiction]
    /// Its line in `doctor`.
    var finding: Finding { get }
    /// Nil for a feed without sockets of its own.
    var sockets: (any SocketFeed)? { get }
}

extension Feed {
    func isOn(in configuration: Configuration) -> Bool { isEnabled }
    var listener: Listener? { nil }
    func contradictions(in configuration: Configuration) -> [Contradiction] { [] }
    var sockets: (any SocketFeed)? { nil }
}

extension Feed where Self: SocketFeed {
    var sockets: (any SocketFeed)? { self }
}

extension Configuration {
    /// The feeds to other programs. All are off by default.
    struct FeedSettings: Equatable {
        var rdz = RDZFeed()
        var horus = HorusFeed()
        var gdl90 = GDL90Feed()
        var rocket = RocketFeed()
        var ownTracks = OwnTracksFriends()
        var chaseCar = ChaseCarFeed()

        var all: [any Feed] { [rdz, horus, gdl90, rocket, ownTracks, chaseCar] }
    }

    /// The feeds that are on, in the list's order.
    var feedsThatAreOn: [any Feed] { feeds.all.filter { $0.isOn(in: self) } }
}

extension ConfigurationKey {
    static let feeds = Configuration.FeedSettings().all.flatMap { Swift.type(of: $0).keys }
}
