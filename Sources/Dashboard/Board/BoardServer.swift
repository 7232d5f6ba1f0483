public import Logging
import NIOCore
import NIOPosix

/// The server of a fleet's board, with the same guard as the page in the car.
public final class BoardServer: Sendable {
    /// More than the streams, so that the page's files are served even if there is no room for one more stream.
    private static let mostConnections = BoardStreams.most + 56

    private let router: BoardRouter
    private let server: PageServer
    private let pool = NIOThreadPool(numberOfThreads: 1)

    public init(
        _ options: DashboardOptions, _ surroundings: BoardSurroundings, retry: Duration = .seconds(30),
        limits: ConnectionLimits = ConnectionLimits(), log: Logger
    ) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        router = BoardRouter(
            own: BoardStreams(on: loop),
            policy: RequestPolicy(
                hosts: options.hosts, ownName: DashboardOptions.hostName, allowsCommands: options.allowsCommands,
                commandsKey: "board.commands"),
            lock: options.key.map { PageLock(key: $0, port: options.port) },
            files: PageFiles(
                pageDirectory: options.pageDirectory, start: "/board/index.html", pool: pool),
            maps: TileMaps(
                folder: options.mapsDirectory, online: options.onlineMaps, tiles: surroundings.tiles, log: log),
            surroundings: surroundings)
        server = PageServer(
            options, router, on: loop, mostConnections: Self.mostConnections, limits: limits, retry: retry, log: log)
    }

    /// Sends changes to all pages.
    /// - Parameter sign: the data of a sign of life, JSON without line breaks; nil for none.
    public func send(_ items: [BoardItem], sign: [UInt8]?) { router.own.send(items, sign: sign) }
    /// The number of open event streams.
    public var streams: Int { router.own.count }

    /// Serves until the task is cancelled.
    public func run() async {
        await server.run(maps: router.maps, files: pool)
    }
}
