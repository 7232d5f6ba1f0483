import FlightMath
import Gateway
import GatewayReports
import SondeHubProtocol
import Synchronization

/// A track during its fetch: the records that are decoded but not handed on yet. The buffer outlives a fetch that was
/// cancelled.
final class TrackBuffer: Sendable {
    private struct State: Sendable {
        var stream = RecordStream(.track)
        var cacheAge = Duration.zero
        var answeredAt: WallTime?
        /// The skipped records that earlier pieces have reported.
        var skipped = 0
    }

    private let pieceSize: Int
    private let state = Mutex(State())

    /// - Parameter pieceSize: the number of records that fill a piece. The chunk that fills it may add more.
    init(pieceSize: Int) {
        self.pieceSize = pieceSize
    }

    func begin(_ facts: ResponseFacts) {
        state.withLock { state in
            state.cacheAge = facts.cacheAge
            state.answeredAt = facts.answeredAt
        }
    }

    /// - Returns: a full piece; nil if it is not full yet.
    func append(_ bytes: [UInt8]) throws(OnlineServiceError) -> SondeHubAnswer? {
        try state.withLock { (state) throws(OnlineServiceError) in
            try state.stream.append(bytes)
            return state.stream.count >= pieceSize ? Self.piece(&state) : nil
        }
    }

    func end() throws(OnlineServiceError) {
        try state.withLock { (state) throws(OnlineServiceError) in try state.stream.end() }
    }

    /// The records since the last piece.
    func rest() -> SondeHubAnswer { state.withLock { Self.piece(&$0) } }

    private static func piece(_ state: inout State) -> SondeHubAnswer {
        defer { state.skipped = state.stream.skipped }
        return SondeHubAnswer(
            records: state.stream.takeRecords(), cacheAge: state.cacheAge, answeredAt: state.answeredAt,
            skipped: state.stream.skipped - state.skipped)
    }
}
