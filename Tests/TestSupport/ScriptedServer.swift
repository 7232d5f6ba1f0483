import Foundation

/// An HTTP server on a loopback port. Its script documents its behaviours.
public final class ScriptedServer: Sendable {
    public let port: Int
    private let child: Child

    /// - Parameters:
    ///   - script: a file in Tests/TestSupport.
    ///   - wanted: nil for a free port.
    public init(_ script: String = "alerts.py", port wanted: Int? = nil) async throws {
        let file = Fixtures.url("Tests/TestSupport/\(script)").path
        let child = try Child("python3", [file] + (wanted.map { ["\($0)"] } ?? []))
        self.child = child
        port = try await eventually("the port of \(script)") {
            child.text.split(separator: "\n").first.flatMap { Int($0) }
        }
    }

    deinit { child.kill(SIGKILL) }

    public func stop() async throws {
        child.kill(SIGKILL)
        _ = try await child.exitCode()
    }

    public func url(_ behaviour: String) -> String { "http://127.0.0.1:\(port)/\(behaviour)" }

    public struct Request: Decodable, Sendable {
        public var method, path, body: String
        public var headers: [String: String]
    }

    /// All that the script has printed.
    public var text: String { child.wholeText }

    /// The requests so far.
    public var requests: [Request] {
        child.wholeText.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
        }
    }
}
