import GatewayReports
import Logging
import NIOCore

/// The rdzJSON feed: one line a second for each phone, even without a sonde.
final class RDZOutlet: FeedOutlet {
    /// The longest line that a phone may send, bytes.
    private static let longestLine = 512

    private let server: LineServer

    init(_ feed: RDZFeed, _ surroundings: FeedSurroundings) {
        let endpoint = FeedEndpoint(host: feed.address, port: feed.port)
        server = LineServer(
            "rdz", at: endpoint, longestLine: Self.longestLine, on: surroundings.loop, log: surroundings.log)
        server.onLine = { line, _ in
            guard feed.takesCar else { return }
            if let fix = RDZLine.carFix(in: line) { surroundings.onCar(fix) }
        }
    }

    var counts: FeedCounts { server.counts }

    func tick(_ moment: FeedMoment) {
        server.tick()
        guard !server.clients.isEmpty else { return }
        server.sendToAll(RDZLine.line(moment.sonde, car: moment.car, listeningMHz: moment.listeningMHz))
    }

    func stop() { server.stop() }
}
