public import FlightMath
public import Gateway
public import GatewayReports
import ReceiverProtocol
import Synchronization

/// Tells the gateway which towns are around the landing point.
///
/// It follows the reports like a feed. When the landing point has moved far, it reads the files of the base map and
/// hands the towns to the gateway. One reading goes on at a time; the newest place follows it.
public final class TownFeed: ReportFeed {
    /// The towns in this square are told, metres from the middle to each edge.
    private static let reachMetres = 50_000.0
    /// The landing point moves so far until the towns are read again.
    private static let stepMetres = 15_000.0

    private struct State {
        /// Where the towns were read last.
        var read: Coordinate?
        var isReading = false
        var waiting: Coordinate?
    }

    private let files: TownFiles
    private let executor: any TaskExecutor
    private let tell: @Sendable (TownsAround) async -> Void
    private let state = Mutex(State())

    /// - Parameter executor: runs the reading.
    public init(
        _ files: TownFiles, executor: any TaskExecutor, tell: @escaping @Sendable (TownsAround) async -> Void
    ) {
        self.files = files
        self.executor = executor
        self.tell = tell
    }

    public func handle(_ report: Report, at now: Moment) {
        guard case .landing(let landing?) = report else { return }
        let starts = state.withLock { state in
            let isNear = state.read.map { $0.distanceMetres(to: landing.coordinate) < Self.stepMetres } ?? false
            guard !isNear else { return false }
            state.waiting = landing.coordinate
            defer { state.isReading = true }
            return !state.isReading
        }
        if starts { Task(executorPreference: executor) { await self.read() } }
    }

    private func read() async {
        while let place = next() { await tell(TownsAround(files.towns(around: place, metres: Self.reachMetres))) }
    }

    private func next() -> Coordinate? {
        state.withLock { state in
            guard let place = state.waiting else {
                state.isReading = false
                return nil
            }
            (state.read, state.waiting) = (place, nil)
            return place
        }
    }
}
