import NIOCore

/// The way in which a request is answered.
enum Route {
    case answer(Answer)
    case work(@Sendable () async -> Answer)
    /// The event stream.
    case events
}

/// Finds the answers of one kind of page.
protocol PageRouter: Sendable {
    /// The page's event streams.
    var streams: any EventStreams { get }

    func route(_ request: Request) -> Route
}

/// The open event streams. Called on their event loop.
protocol EventStreams: Sendable {
    /// Makes sure that a stream may begin, if need be by closing another one.
    /// - Returns: false if none makes room.
    func makeRoom(for channel: any Channel) -> Bool
    /// Begins a stream, which gets everything first and then the changes.
    func add(_ channel: any Channel)
    func remove(_ channel: any Channel)
    /// The connection accepts data again.
    func resume(_ channel: any Channel)
}
