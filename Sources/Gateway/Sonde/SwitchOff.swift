import FlightMath
import GatewayReports
import ReceiverProtocol

/// When the sonde's own timer switches it off. The receiver's frames and SondeHub's records tell it; the newest counts.
struct SwitchOff: Sendable {
    /// The timer tells whole seconds, and stations tell it late. A difference this small is none.
    private static let tolerance = Duration.seconds(10)
    /// The gateway tells the crew when so much time is left.
    private static let notice = Duration.seconds(1800)

    /// When the timer ends; nil while it does not run. It stays when the sonde is no longer heard.
    private(set) var end: Moment?
    private(set) var basis = TransmissionEnd.Basis.burstKiller
    private var heardAt: MonotonicTime?
    private var isTold = false

    /// A source tells how long the timer still runs.
    /// - Parameters:
    ///   - seconds: nil if it does not run.
    ///   - heard: when the sonde sent it.
    mutating func hear(_ seconds: Int?, at heard: Moment, by basis: TransmissionEnd.Basis) {
        if let heardAt, heard.monotonic < heardAt { return }
        heardAt = heard.monotonic
        guard let seconds else { return end = nil }
        let next = heard.advanced(by: .seconds(seconds))
        if let end, abs(next.duration(since: end) / .seconds(1)) < Self.tolerance / .seconds(1) { return }
        // The crew is told again if the new end is later and still far away. Then somebody has set the timer anew, or one
        // frame had a wrong number.
        if isTold, let end, next.duration(since: end) > .zero, next.duration(since: heard) > Self.notice {
            isTold = false
        }
        (end, self.basis) = (next, basis)
    }

    /// When the crew must be told; nil if it was told, or no timer runs.
    var deadline: MonotonicTime? { isTold ? nil : end?.monotonic.advanced(by: .zero - Self.notice) }

    /// Tells once that the sonde can be heard for a short time only.
    /// - Parameter isRecovered: somebody has the sonde, so nobody needs its signal.
    mutating func follow(isRecovered: Bool, _ turn: inout Turn) {
        guard let deadline, turn.now.monotonic >= deadline, let end else { return }
        isTold = true
        let left = end.duration(since: turn.now)
        guard left > .zero, !isRecovered else { return }
        turn.announce(.switchesOff(at: turn.clock.corrected(end).wall, in: left))
    }
}

extension FollowedSonde {
    /// How long the sonde can still be heard: until its timer ends, or else as long as its batteries last at least.
    /// Without the time of the launch nobody knows that.
    func transmission(by clock: RunClock) -> TransmissionEnd? {
        if let end = switchOff.end { return TransmissionEnd(at: clock.corrected(end).wall, basis: switchOff.basis) }
        guard let minutes = names.sondeType?.batteryMinutes, let launchedAt = flight.launchedAt else { return nil }
        return TransmissionEnd(at: launchedAt.advanced(by: .seconds(60 * minutes)), basis: .type)
    }

    /// When the timer switches the sonde off, for the position report of a record.
    func burstKillerAt(of record: SondeHubRecord, at now: Moment, by clock: RunClock) -> WallTime? {
        record.secondsUntilOff == nil
            ? heard.radio.burstKillerAt(now) : switchOff.end.map { clock.corrected($0).wall }
    }
}
