public import Gateway
public import Logging
import NIOPosix

/// The server of the page in the car.
public final class DashboardServer: Sendable {
    private let router: RequestRouter
    private let server: PageServer
    /// Reads the page's own files. Maps have another thread.
    private let pool = NIOThreadPool(numberOfThreads: 1)

    public init(
        _ options: DashboardOptions, _ surroundings: DashboardSurroundings, retry: Duration = .seconds(30),
        healthLimit: Duration = .seconds(2), limits: ConnectionLimits = ConnectionLimits(), log: Logger
    ) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let replies = CommandReplies()
        let maps = TileMaps(
            folder: options.mapsDirectory, online: options.onlineMaps, tiles: surroundings.tiles, log: log)
        router = RequestRouter(
            hub: EventHub(
                replies: replies, loop: loop, clock: surroundings.clock, watched: surroundings.watched),
            policy: RequestPolicy(
                hosts: options.hosts, ownName: DashboardOptions.hostName, proxy: options.onlyFrom,
                allowsCommands: options.allowsCommands),
            lock: options.key.map { PageLock(key: $0, port: options.port) },
            link: PageLink(
                url: options.isForThisMachine ? nil : options.urlForOthers, key: options.key, port: options.port),
            replies: replies,
            files: PageFiles(pageDirectory: options.pageDirectory, pool: pool),
            maps: maps,
            diagnosis: Diagnosis(surroundings.diagnose),
            surroundings: surroundings,
            records: FlightRecords(surroundings),
            setup: SetupRequests(
                desk: surroundings.setup,
                access: options.key == nil ? .keyless : options.allowsCommands ? .open : .readOnly, maps: maps),
            healthLimit: healthLimit)
        server = PageServer(options, router, on: loop, limits: limits, retry: retry, log: log)
    }

    /// Receives the gateway's reports.
    public var feed: any ReportFeed { router.hub }
    /// The number of open event streams.
    public var streams: Int { router.hub.count }
    /// The number of open connections, with those of streams.
    public var connections: Int { server.connections }

    /// Serves until the task is cancelled.
    public func run() async {
        await server.run(maps: router.maps, files: pool)
    }
}
