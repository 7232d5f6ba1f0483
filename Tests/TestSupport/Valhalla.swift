import Foundation
import Synchronization

/// The real Valhalla with an invented road network; see Tests/Peers/valhalla.sh.
public final class Valhalla: Sendable {
    /// Valhalla's package is not available here.
    public struct Missing: Error {}

    /// The south-west corner of the road network.
    public static let corner = (latitude: 46.6, longitude: 7.0)

    public let port = Broker.freePort()
    private let folder: URL
    private let child = Mutex<Child?>(nil)

    /// - Throws: ``Missing`` if the package is not available.
    public init() async throws {
        folder = try temporaryDirectory()
        try await start()
    }

    deinit {
        child.withLock { $0?.kill(SIGTERM) }
        try? FileManager.default.removeItem(at: folder)
    }

    public var url: String { "http://127.0.0.1:\(port)" }

    /// Starts the server. The first run on a machine downloads 37 MB; the first start of each object makes the map
    /// tiles.
    public func start(within seconds: Double = 200) async throws {
        let child = try Child(
            Fixtures.url("Tests/Peers/valhalla.sh").path,
            [folder.path, "\(Self.corner.latitude)", "\(Self.corner.longitude)", "\(port)"])
        self.child.withLock { $0 = child }
        try await eventually("Valhalla serves", within: seconds) {
            guard child.isRunning else {
                if try await child.exitCode() == 77 { throw Missing() }
                throw TimedOut(description: "Valhalla has ended: \(child.text)")
            }
            return child.lines.contains("ready").orNil
        }
    }

    /// Stops the server, and returns when it has ended. A script ends it.
    public func stop() async throws {
        let child = child.withLock { $0.take() }
        child?.kill(SIGTERM)
        try await eventually("Valhalla has gone") { (!Broker.accepts(port)).orNil }
    }
}
