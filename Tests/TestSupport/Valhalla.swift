import Foundation
import Synchronization

/// The real Valhalla on a made-up network of roads; see Tests/Peers/valhalla.sh.
public final class Valhalla: Sendable {
    /// Its package can't be had here.
    public struct Missing: Error {}

    /// The network's south-west corner.
    public static let corner = (latitude: 46.6, longitude: 7.0)

    public let port = Broker.freePort()
    private let folder: URL
    private let child = Mutex<Child?>(nil)

    /// - Throws: ``Missing``, when the package is not to be had.
    public init() async throws {
        folder = try temporaryDirectory()
        try await start()
    }

    deinit {
        child.withLock { $0?.kill(SIGTERM) }
        try? FileManager.default.removeItem(at: folder)
    }

    public var url: String { "http://127.0.0.1:\(port)" }

    /// The first run on a machine fetches 37 MB; each first start makes tiles.
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

    /// Returns when it has gone: what ends it is a script.
    public func stop() async throws {
        let child = child.withLock { $0.take() }
        child?.kill(SIGTERM)
        try await eventually("Valhalla has gone") { (!Broker.accepts(port)).orNil }
    }
}
