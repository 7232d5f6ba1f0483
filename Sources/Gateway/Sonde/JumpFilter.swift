import FlightMath
import GatewayReports
import ReceiverProtocol

/// Refuses positions of the receiver that can't be the followed sonde's: jumps, and unnamed positions elsewhere.
///
///     last one   next            verdict
///     none       any             accept
///     Bern       Zürich          accept
///     Bern       Sydney          hold, counted as refused
///     Bern       Sydney x 3      release: the first was wrong, or the sonde really is there
///     any        no name, near   accept; no name, far: refuse
struct JumpFilter: Equatable, Sendable {

    enum Verdict: Equatable {
        case accept
        case refuse(PositionRefusal)
        /// The last three positions agree with one another, but not with the earlier ones. All three are accepted, in
        /// order.
        case release([HeardFrame], forgetsTrack: Bool)
    }

    static let jumpMetres = 1_000_000.0
    static let framesToAgree = 3
    /// Bounds for an unnamed position: no sonde flies faster, m/s, and no position is less exact, metres.
    private static let unnamedSpeed = 300.0
    private static let unnamedMetres = 1000.0

    /// Two records of another source agree within this distance, metres.
    private static let agreeingMetres = 50_000.0

    private var last: Coordinate?
    private var lastAt = MonotonicTime.zero
    private var accepted = 0
    private var suspects: [HeardFrame] = []
    /// A far place that another source gave once.
    private var doubtful: Coordinate?

    /// Judges a plausible position of the receiver.
    /// - Parameter isSondeKnown: whether the gateway follows a sonde, to which an unnamed position could belong.
    mutating func judge(_ position: Position, of heard: HeardFrame, isSondeKnown: Bool) -> Verdict {
        let place = position.coordinate
        if heard.serial == nil, isSondeKnown {
            guard isNear(place, at: heard.at.monotonic) else { return .refuse(.unnamed) }
        } else if let last, last.distanceMetres(to: place) > Self.jumpMetres {
            return judgeJump(to: place, heard)
        }
        suspects = []
        accept(place, at: heard.at.monotonic)
        return .accept
    }

    /// Learns the sonde's position from another source. One false record does not move it: a far place counts when the
    /// next one agrees.
    mutating func learn(_ place: Coordinate, at time: MonotonicTime) {
        guard last == nil || time > lastAt else { return }
        let isLikely = last == nil || isNear(place, at: time)
        let agrees = doubtful.map { $0.distanceMetres(to: place) <= Self.agreeingMetres } ?? false
        doubtful = isLikely ? nil : place
        if isLikely || agrees { (last, lastAt, doubtful) = (place, time, nil) }
    }

    private mutating func judgeJump(to place: Coordinate, _ heard: HeardFrame) -> Verdict {
        if let last = suspects.last?.position, last.coordinate.distanceMetres(to: place) > Self.jumpMetres {
            suspects = []
        }
        suspects.append(heard)
        guard suspects.count >= Self.framesToAgree else { return .refuse(.jump) }
        let released = suspects
        let forgetsTrack = accepted < Self.framesToAgree
        suspects = []
        accepted = forgetsTrack ? 0 : accepted
        for frame in released {
            if let position = frame.position { accept(position.coordinate, at: frame.at.monotonic) }
        }
        return .release(released, forgetsTrack: forgetsTrack)
    }

    private mutating func accept(_ place: Coordinate, at time: MonotonicTime) {
        (last, lastAt) = (place, time)
        accepted += 1
    }

    private func isNear(_ place: Coordinate, at now: MonotonicTime) -> Bool {
        guard let last else { return false }
        let seconds = max(0, now.duration(since: lastAt).inSeconds)
        return last.distanceMetres(to: place) <= Self.unnamedSpeed * seconds + Self.unnamedMetres
    }
}

extension Turn {
    /// Counts a refused position, and notes the reason.
    mutating func refusePosition(_ reason: String) {
        refuse(reason)
        note(.info, "position refused: \(reason)")
    }
}
