import FlightMath
import Gateway
import GatewayReports

/// All enabled feeds. Passes them the current state once a second. Lives on one event loop.
final class FeedHub {
    /// Keeps the newest position of each source. One a second is enough.
    private final class Inbox {
        var fixes: [CarSource: CarFix] = [:]
    }

    private let outlets: [any FeedOutlet]
    private let inbox = Inbox()
    private let onCar: (CarFix) -> Void

    /// - Parameter surroundings: its `onCar` gets the newest position of each source once a second.
    init(_ feeds: [any SocketFeed], _ surroundings: FeedSurroundings) {
        onCar = surroundings.onCar
        var inside = surroundings
        inside.onCar = { [inbox] fix in inbox.fixes[fix.source] = fix }
        outlets = feeds.map { $0.makeOutlet(in: inside) }
    }

    var counts: [FeedCounts] { outlets.map(\.counts) }

    func tick(_ moment: FeedMoment) {
        for outlet in outlets { outlet.tick(moment) }
        for fix in inbox.fixes.values { onCar(fix) }
        inbox.fixes = [:]
    }

    func stop() {
        for outlet in outlets { outlet.stop() }
    }
}
