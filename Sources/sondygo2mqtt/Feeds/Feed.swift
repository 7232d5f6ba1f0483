import Feeds

/// A feed to other programs, as the configuration has it.
///
/// The configuration's keys, its contradictions, `doctor`, `bridge/info` and the sockets follow from the list
/// ``Configuration/FeedSettings/all``.
protocol Feed: Sendable {
    /// In `bridge/info`, and of its section below `feeds`.
    static var name: String { get }
    static var keys: [ConfigurationKey] { get }
    var isEnabled: Bool { get }
    /// It is switched on, and nothing else keeps it from telling anybody.
    func isOn(in configuration: Configuration) -> Bool
    /// Ports of this machine that it needs.
    var listeners: [Listener] { get }
    func contradictions(in configuration: Configuration) -> [Contradiction]
    /// What `doctor` says of it.
    var finding: Finding { get }
    /// Nil for a feed that has no sockets of its own.
    var sockets: (any SocketFeed)? { get }
}

extension Feed {
    func isOn(in configuration: Configuration) -> Bool { isEnabled }
    var listeners: [Listener] { [] }
    func contradictions(in configuration: Configuration) -> [Contradiction] { [] }
    var sockets: (any SocketFeed)? { nil }
}

extension Feed where Self: SocketFeed {
    var sockets: (any SocketFeed)? { self }
}

extension Configuration {
    /// The feeds to other programs. All of them are off as long as nobody switches one on.
    struct FeedSettings: Equatable {
        var rdz = RDZFeed()
        var horus = HorusFeed()
        var gdl90 = GDL90Feed()
        var rocket = RocketFeed()
        var ownTracks = OwnTracksFriends()
        var chaseCar = ChaseCarFeed()

        var all: [any Feed] { [rdz, horus, gdl90, rocket, ownTracks, chaseCar] }
    }

    /// Those that are on, in the order of the list.
    var feedsThatAreOn: [any Feed] { feeds.all.filter { $0.isOn(in: self) } }
}

extension ConfigurationKey {
    static let feeds = Configuration.FeedSettings().all.flatMap { Swift.type(of: $0).keys }
}
