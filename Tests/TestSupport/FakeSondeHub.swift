public import Foundation

/// A simulated SondeHub on a free loopback port. sondehub.py documents its behaviours.
public final class FakeSondeHub: Sendable {
    public let port: Int
    /// The server answers from the files `site.json`, `area.json`, `track.json`, `prediction.json` and `tawhiri.json`
    /// in this folder.
    public let directory: URL
    private let child: Child

    public init(certificate: String? = nil, key: String? = nil) async throws {
        directory = try temporaryDirectory()
        let script = Fixtures.url("Tests/TestSupport/sondehub.py").path
        let child = try Child("python3", [script, directory.path] + [certificate, key].compactMap { $0 })
        self.child = child
        port = try await eventually("the fake SondeHub's port") {
            child.text.split(separator: "\n").first.flatMap { Int($0) }
        }
    }

    deinit { child.kill(SIGKILL) }

    public func url(_ behaviour: String = "good") -> String { "http://127.0.0.1:\(port)/\(behaviour)" }

    /// The requests so far: path, `|`, user agent. Includes each request whose answer has arrived.
    public var requests: [String] {
        child.wholeText.split(separator: "\n").filter { $0.hasPrefix("GET ") }.map(String.init)
    }

    /// The uploads so far: path, `|`, user agent, `|`, body.
    public var uploads: [String] {
        child.wholeText.split(separator: "\n").filter { $0.hasPrefix("PUT ") }.map(String.init)
    }

    /// The network goes away (`away`), or loses the answers to uploads (`lost`); or it is back.
    public func set(_ fault: String, _ isSet: Bool) throws {
        let file = directory.appendingPathComponent(fault)
        if isSet { try Data().write(to: file) } else { try FileManager.default.removeItem(at: file) }
    }

    /// Sets the answer for `kind` (`site`, `area`, `track`, `prediction`, `tawhiri`). The change is atomic.
    public func serve(_ kind: String, _ json: String) throws {
        try Data(json.utf8).write(to: directory.appendingPathComponent("\(kind).json"), options: .atomic)
    }
}
