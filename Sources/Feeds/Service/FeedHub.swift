import FlightMath
import GatewayCore
import Logging
import NIOCore

/// All feeds that are on, told once a second what there is to tell. Lives on one event loop.
final class FeedHub {
    /// The newest of each source: more than one a second is of no use to anybody.
    private final class Inbox {
        var fixes: [CarSource: CarFix] = [:]
    }

    private let outlets: [any FeedOutlet]
    private let inbox = Inbox()
    private let onCar: (CarFix) -> Void

    init(
        _ configuration: FeedsConfiguration, station: String, version: String, archive: any FlightArchive,
        on loop: any EventLoop, onCar: @escaping (CarFix) -> Void, log: Logger
    ) {
        self.onCar = onCar
        let take = { [inbox] (fix: CarFix) in inbox.fixes[fix.source] = fix }
        var outlets: [any FeedOutlet] = []
        if configuration.rdz.isEnabled {
            outlets.append(RDZOutlet(configuration.rdz, on: loop, onCar: take, log: log))
        }
        if configuration.horus.isEnabled {
            outlets.append(HorusOutlet(configuration.horus, station: station, on: loop, onCar: take, log: log))
        }
        if configuration.gdl90.isEnabled { outlets.append(GDL90Outlet(configuration.gdl90, on: loop, log: log)) }
        if configuration.rocket.isEnabled {
            outlets.append(
                RocketOutlet(configuration.rocket, archive: archive, version: version, on: loop, log: log))
        }
        self.outlets = outlets
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
