import FlightMath
import GatewayCore
import SondeHubProtocol
import Synchronization

/// A track on its way: what is decoded and not handed on yet. It outlives a fetch that is given up.
final class TrackBuffer: Sendable {
    private struct State: Sendable {
        var stream = RecordStream(.track)
        var cacheAge = Duration.zero
        var answeredAt: WallTime?
        /// Told with the pieces before.
        var skipped = 0
    }

    private let pieceSize: Int
    private let state = Mutex(State())

    /// - Parameter pieceSize: records handed on at once; a piece may be longer by what one chunk holds.
    init(pieceSize: Int) {
        self.pieceSize = pieceSize
    }

    func begin(_ facts: ResponseFacts) {
        state.withLock { state in
            state.cacheAge = facts.cacheAge
            state.answeredAt = facts.answeredAt
        }
    }

    /// - Returns: a piece when it is full.
    func append(_ bytes: [UInt8]) throws(OnlineServiceError) -> SondeHubAnswer? {
        try state.withLock { (state) throws(OnlineServiceError) in
            try state.stream.append(bytes)
            return state.stream.count >= pieceSize ? Self.piece(&state) : nil
        }
    }

    func end() throws(OnlineServiceError) {
        try state.withLock { (state) throws(OnlineServiceError) in try state.stream.end() }
    }

    /// What was decoded since the last piece.
    func rest() -> SondeHubAnswer { state.withLock { Self.piece(&$0) } }

    private static func piece(_ state: inout State) -> SondeHubAnswer {
        defer { state.skipped = state.stream.skipped }
        return SondeHubAnswer(
            records: state.stream.takeRecords(), cacheAge: state.cacheAge, answeredAt: state.answeredAt,
            skipped: state.stream.skipped - state.skipped)
    }
}
