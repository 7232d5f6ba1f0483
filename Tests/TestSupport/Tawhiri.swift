import Foundation

/// The real Tawhiri with synthetic winds; see Tests/Peers/tawhiri.sh.
public final class Tawhiri: Sendable {
    /// The data that Tawhiri lacks, to test its errors.
    public enum Lack: String, Sendable {
        case nothing = "", winds = "nowinds", ground = "noground"
    }

    public let port: Int
    private let folder: URL
    private let child: Child

    /// - Parameter seconds: how long to wait for its first answer. The first run on a machine installs Tawhiri.
    public init(without lack: Lack = .nothing, within seconds: Double = 280) async throws {
        folder = try temporaryDirectory()
        let child = try Child(Fixtures.url("Tests/Peers/tawhiri.sh").path, [folder.path, lack.rawValue])
        self.child = child
        port = try await eventually("Tawhiri's port", within: seconds) {
            guard child.isRunning else { throw TimedOut(description: "Tawhiri has ended: \(child.text)") }
            return child.lines.lazy.compactMap { Int($0) }.first
        }
    }

    /// Kills the server, as in a crash.
    public func stop() async throws {
        child.kill(SIGKILL)
        _ = try await child.exitCode()
    }

    deinit {
        child.kill(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    public var url: String { "http://127.0.0.1:\(port)/api/v1/" }
}
