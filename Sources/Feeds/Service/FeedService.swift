public import FlightMath
public import Gateway
public import GatewayReports
package import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The feeds to other programs: collects the reports, and sends the news once a second.
///
/// ``handle(_:at:)`` only stores a report, so no socket can delay a frame. All sockets share one event loop of the
/// process.
public final class FeedService: ReportFeed, Service {
    private let feeds: [any SocketFeed]
    private let station: String
    private let version: String
    private let second: Duration
    private let archive: any FlightArchive
    private let clock: any GatewayClock
    private let onCar: @Sendable (CarFix) -> Void
    private let onBearing: @Sendable (HeardBearing) -> Void
    private let log: Logger
    private let scene = Mutex(FeedScene())
    private let counted: Mutex<[FeedCounts]>

    /// - Parameters:
    ///   - feeds: the enabled feeds.
    ///   - station: this gateway's id, which the feeds send as the station's name.
    ///   - second: the time between two updates. Tests shorten it.
    ///   - archive: the recorded flights.
    ///   - clock: the gateway's clock, for the ages.
    ///   - onCar: receives the car's positions from phones and other programs.
    ///   - onBearing: receives the bearings of direction finders.
    package init(
        _ feeds: [any SocketFeed], station: String, version: String, second: Duration = .seconds(1),
        archive: any FlightArchive, clock: any GatewayClock, onCar: @escaping @Sendable (CarFix) -> Void,
        onBearing: @escaping @Sendable (HeardBearing) -> Void, log: Logger
    ) {
        self.feeds = feeds
        self.station = station
        self.version = version
        self.second = second
        self.archive = archive
        self.clock = clock
        self.onCar = onCar
        self.onBearing = onBearing
        self.log = log
        counted = Mutex([])
    }

    public var counts: [FeedCounts] { counted.withLock { $0 } }

    public func handle(_ report: Report, at now: Moment) {
        scene.withLock { $0.update(with: report) }
    }

    public func run() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let hub = try await loop.submit {
            NIOLoopBound(
                FeedHub(
                    self.feeds,
                    FeedSurroundings(
                        station: self.station, version: self.version, archive: self.archive, loop: loop,
                        onCar: self.onCar, onBearing: self.onBearing, log: self.log)),
                eventLoop: loop)
        }.get()
        let ticks = loop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(second)) { _ in
            hub.value.tick(self.moment)
            let counts = hub.value.counts
            self.counted.withLock { $0 = counts }
        }
        try? await gracefulShutdown()
        ticks.cancel()
        try await loop.submit { hub.value.stop() }.get()
    }

    private var moment: FeedMoment {
        let now = clock.now
        return scene.withLock { scene in
            FeedMoment(
                now: now, sonde: scene.sonde(at: now.monotonic), serial: scene.serial, car: scene.car,
                listeningMHz: scene.listeningMHz, hasTelemetry: scene.hasTelemetry)
        }
    }
}
