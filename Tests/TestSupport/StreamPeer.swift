import Foundation

/// The server of a live stream on a free loopback port, before a real broker. streampeer.py documents its behaviours.
public final class StreamPeer: Sendable {
    public let port: Int
    private let child: Child

    /// - Parameter broker: the port of the broker that holds the frames.
    public init(broker: Int, certificate: String? = nil, key: String? = nil) async throws {
        let script = Fixtures.url("Tests/TestSupport/streampeer.py").path
        let child = try Child("python3", [script, "\(broker)"] + [certificate, key].compactMap { $0 })
        self.child = child
        port = try await eventually("the stream peer's port") {
            child.text.split(separator: "\n").first.flatMap { Int($0) }
        }
    }

    deinit { child.kill(SIGKILL) }

    public func url(_ behaviour: String = "good") -> String { "ws://127.0.0.1:\(port)/\(behaviour)" }

    /// What has happened: `open PATH SUBPROTOCOL AGENT`, `pong TEXT`, `closed CODE`.
    public var events: [String] { child.wholeText.split(separator: "\n").dropFirst().map(String.init) }

    public func count(_ prefix: String) -> Int { events.count { $0.hasPrefix(prefix) } }
}
