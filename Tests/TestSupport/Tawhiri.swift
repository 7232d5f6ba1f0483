import Foundation

/// The real Tawhiri on synthetic winds; see Tests/Peers/tawhiri.sh.
public final class Tawhiri: Sendable {
    /// What it lacks, to see how it fails.
    public enum Lack: String, Sendable {
        case nothing = "", winds = "nowinds", ground = "noground"
    }

    public let port: Int
    private let folder: URL
    private let child: Child

    /// - Parameter seconds: until it answers; the first run on a machine installs it.
    public init(without lack: Lack = .nothing, within seconds: Double = 280) async throws {
        folder = try temporaryDirectory()
        let child = try Child(Fixtures.url("Tests/Peers/tawhiri.sh").path, [folder.path, lack.rawValue])
        self.child = child
        port = try await eventually("Tawhiri's port", within: seconds) {
            guard child.isRunning else { throw TimedOut(description: "Tawhiri has ended: \(child.text)") }
            return child.lines.lazy.compactMap { Int($0) }.first
        }
    }

    /// It is gone, as a server that crashes.
    public func stop() { child.kill(SIGKILL) }

    deinit {
        child.kill(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    public var url: String { "http://127.0.0.1:\(port)/api/v1/" }
}
