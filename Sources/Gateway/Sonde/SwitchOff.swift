import FlightMath
import GatewayReports
import ReceiverProtocol

/// When the sonde's own timer switches it off. The receiver's frames and SondeHub's records tell it; the newest counts.
/// The store keeps it, so that a restart neither forgets it nor tells the crew again.
struct SwitchOff: Sendable {
    /// The timer tells whole seconds, and stations tell it late. A difference this small is none.
    private static let tolerance = Duration.seconds(10)
    /// The gateway tells the crew when so much time is left.
    private static let notice = Duration.seconds(1800)

    /// When the timer ends.
    private enum End: Equatable, Sendable {
        /// A source of this run has told it.
        case heard(Moment)
        /// An earlier run has stored it. A set clock does not move it, but shows how much time is left.
        case stored(WallTime)

        func moment(at now: Moment) -> Moment {
            switch self {
            case .heard(let moment): moment
            case .stored(let time):
                Moment(
                    monotonic: now.monotonic.advanced(by: time.duration(since: now.wall)), wall: time,
                    isClockSynced: now.isClockSynced)
            }
        }

        func time(by clock: RunClock) -> WallTime {
            switch self {
            case .heard(let moment): clock.corrected(moment).wall
            case .stored(let time): time
            }
        }
    }

    /// Nil while the timer does not run. It stays when the sonde is no longer heard.
    private var end: End?
    private(set) var basis = TransmissionEnd.Basis.burstKiller
    private var heardAt: MonotonicTime?
    private var isTold = false
    /// What the store has of this sonde; nil for nothing.
    private var stored: StoredSwitchOff?
    /// When the crew must be told; nil if it was told, or no timer runs.
    private(set) var deadline: MonotonicTime?

    /// When the timer ends; nil while it does not run.
    func time(by clock: RunClock) -> WallTime? { end?.time(by: clock) }

    /// A source tells how long the timer still runs.
    /// - Parameters:
    ///   - seconds: nil if it does not run.
    ///   - heard: when the sonde sent it.
    mutating func hear(_ seconds: Int?, at heard: Moment, by basis: TransmissionEnd.Basis) {
        if let heardAt, heard.monotonic < heardAt { return }
        heardAt = heard.monotonic
        guard let seconds else { return end = nil }
        let next = heard.advanced(by: .seconds(seconds))
        let known = end?.moment(at: heard)
        if let known, Self.isSame(next, known) { return end = .heard(known) }
        // The crew is told again if the new end is later and still far away. Then somebody has set the timer anew, or one
        // frame had a wrong number.
        if isTold, let known, next.duration(since: known) > .zero, next.duration(since: heard) > Self.notice {
            isTold = false
        }
        (end, self.basis) = (.heard(next), basis)
    }

    private static func isSame(_ end: Moment, _ other: Moment) -> Bool {
        abs(end.duration(since: other) / .seconds(1)) < tolerance / .seconds(1)
    }

    /// - Parameters:
    ///   - isRecovered: somebody has the sonde, so nobody needs its signal.
    ///   - isTimeKnown: the clock is right.
    mutating func follow(of serial: SondeSerial?, isRecovered: Bool, isTimeKnown: Bool, _ turn: inout Turn) {
        tell(isRecovered: isRecovered, isTimeKnown: isTimeKnown, &turn)
        let new = serial.flatMap { serial in
            time(by: turn.clock).map {
                StoredSwitchOff(serial: serial, end: $0, basis: basis.rawValue, isTold: isTold)
            }
        }
        guard new != stored else { return }
        stored = new
        turn.store(new, as: .switchOff)
    }

    /// Tells once that the sonde can be heard for a short time only.
    private mutating func tell(isRecovered: Bool, isTimeKnown: Bool, _ turn: inout Turn) {
        deadline = nil
        guard !isTold, let end else { return }
        // With a wrong clock nobody knows how much is left until an earlier run's time.
        if case .stored = end, !isTimeKnown { return }
        let moment = end.moment(at: turn.now)
        let due = moment.monotonic.advanced(by: .zero - Self.notice)
        guard turn.now.monotonic >= due else { return deadline = due }
        isTold = true
        let left = moment.duration(since: turn.now)
        guard left > .zero, !isRecovered else { return }
        turn.announce(.switchesOff(at: end.time(by: turn.clock), in: left))
    }

    /// Another flight of the sonde begins. Its timer runs anew.
    mutating func beginAnew() {
        let stored = stored
        self = SwitchOff()
        self.stored = stored
    }

    /// The gateway follows the sonde again. Meanwhile the store may have got another sonde's timer.
    mutating func comeBack() { stored = nil }

    /// Restores the end that an earlier run has stored. What this run has heard has priority.
    /// - Parameters:
    ///   - serial: the sonde's.
    ///   - last: when the earlier run last heard the sonde.
    mutating func recall(_ stored: StoredSwitchOff?, of serial: SondeSerial, lastHeard last: WallTime, at now: Moment) {
        guard let stored, stored.serial == serial, let basis = TransmissionEnd.Basis(rawValue: stored.basis),
            stored.end >= last, stored.end < last.advanced(by: FlightSpan.longest)
        else { return }
        self.stored = stored
        let earlier = End.stored(stored.end)
        if heardAt == nil {
            (end, self.basis, isTold) = (earlier, basis, stored.isTold)
        } else if let end, Self.isSame(end.moment(at: now), earlier.moment(at: now)) {
            isTold = isTold || stored.isTold
        }
    }
}

extension FollowedSonde {
    /// How long the sonde can still be heard: until its timer ends, or else as long as its batteries last at least.
    /// Without the time of the launch nobody knows that.
    func transmission(by clock: RunClock) -> TransmissionEnd? {
        if let end = switchOff.time(by: clock) { return TransmissionEnd(at: end, basis: switchOff.basis) }
        guard let minutes = names.sondeType?.batteryMinutes, let launchedAt = flight.launchedAt else { return nil }
        return TransmissionEnd(at: launchedAt.advanced(by: .seconds(60 * minutes)), basis: .type)
    }

    /// When the timer switches the sonde off, for the position report of a record.
    func burstKillerAt(of record: SondeHubRecord, at now: Moment, by clock: RunClock) -> WallTime? {
        record.secondsUntilOff == nil ? heard.radio.burstKillerAt(now) : switchOff.time(by: clock)
    }
}
