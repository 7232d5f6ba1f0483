import FlightMath
import GatewayReports
import ReceiverProtocol

/// When the sonde was heard, by the receiver above all, and for how long nobody has heard it.
struct Heard: Sendable {
    /// The receiver's last position of this sonde.
    var positionAt: Moment?
    /// When the receiver last heard this sonde, even without a position.
    var receivedAt: MonotonicTime?
    /// The time of the newest published position. The next position gets a later time.
    var publishedAt: WallTime?
    /// For how long nobody has heard the sonde.
    private(set) var silence = Silence.none
    /// When the silence reaches its next limit; nil if there is none.
    private(set) var deadline: MonotonicTime?
    /// When an earlier run last heard the place of the resumed flight; nil once this run's receiver has. Its name alone
    /// does not end that silence.
    var resumedAt: MonotonicTime?
    /// The announcement that the gateway follows the sonde. It is said when a source hears the sonde; nil after that.
    var introduction: Announcement?
    var radio = RadioChannel()
    var jumpFilter = JumpFilter()
    var repeats = RepeatFilter()

    /// The flight comes from an earlier run, and this run's receiver has heard no place of the sonde yet.
    var isResumed: Bool { resumedAt != nil }

    /// The time of the receiver's last position of this sonde, by the present clock.
    func positionTime(by clock: RunClock) -> WallTime? { positionAt.map { clock.corrected($0).wall } }

    /// Judges the silence anew.
    /// - Parameters:
    ///   - heardAt: when a source last heard the sonde; nil if none ever did.
    ///   - isAnswerFresh: SondeHub's stations heard it when SondeHub last answered. Between two answers nobody can know
    ///     whether they still do, so the first limit does not count.
    mutating func measureSilence(since heardAt: MonotonicTime?, isAnswerFresh: Bool, at now: MonotonicTime) {
        silence = Silence(after: heardAt.map { now.duration(since: $0) } ?? .zero)
        deadline = heardAt.flatMap { heardAt in
            let limits = Silence.allCases.filter { $0 != .none && !(isAnswerFresh && $0 == .unheard) }
            return limits.map { heardAt.advanced(by: $0.begins) }.first { $0 > now }
        }
    }

    /// A silent landing is due at this time, if that is sooner than the next limit.
    mutating func expect(landingAt time: MonotonicTime) { deadline = .earliest(deadline, time) }
}
