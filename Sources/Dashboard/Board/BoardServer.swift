public import Logging
import NIOCore
import NIOPosix

/// The server of a fleet's board, with the same guard as the page in the car.
public final class BoardServer: Sendable {
    private let router: BoardRouter
    private let server: PageServer
    private let pool = NIOThreadPool(numberOfThreads: 1)

    public init(
        _ options: DashboardOptions, _ surroundings: BoardSurroundings, retry: Duration = .seconds(30), log: Logger
    ) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        router = BoardRouter(
            own: BoardStreams(on: loop, everything: surroundings.everything),
            policy: RequestPolicy(
                hosts: options.hosts, ownName: DashboardOptions.hostName, allowsCommands: options.allowsCommands,
                commandsKey: "board.commands"),
            lock: options.key.map { PageLock(key: $0, port: options.port) },
            files: PageFiles(
                pageDirectory: options.pageDirectory, start: "/board/index.html", pool: pool),
            maps: TileMaps(
                folder: options.mapsDirectory, online: options.onlineMap, tiles: surroundings.tiles, log: log),
            surroundings: surroundings)
        server = PageServer(options, router, on: loop, retry: retry, log: log)
    }

    /// Sends changes to all pages.
    public func send(_ events: [BoardEvent]) { router.own.send(events) }

    /// Serves until the task is cancelled.
    public func run() async {
        pool.start()
        router.maps.start()
        await server.run()
        router.maps.stop()
        try? await pool.shutdownGracefully()
    }
}
