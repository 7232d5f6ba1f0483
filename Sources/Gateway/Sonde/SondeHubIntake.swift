import FlightMath
import GatewayReports
import ReceiverProtocol

/// Dates SondeHub's records before any part sees them: none is from the future, and those of a sonde that sends no time
/// are on one clock.
struct SondeHubIntake: Equatable, Sendable {
    /// The most sondes without a time of their own whose stations' clocks are kept.
    private static let limit = 16
    /// So much of a track shows how far the stations' clocks differ from the gateway's.
    private static let overlap = Duration.seconds(60)

    /// The clocks of the stations, for each sonde by the gateway's name for it.
    private var clocks: [SondeSerial: StationClocks] = [:]

    /// The stations' clocks for a sonde.
    subscript(serial: SondeSerial) -> StationClocks {
        get { clocks[serial] ?? StationClocks() }
        set { if clocks[serial] != nil || newValue != StationClocks() { clocks[serial] = newValue } }
    }

    /// How much earlier than its hole a track must begin to be put on one clock; nil for a sonde that sends the time.
    func overlap(of serial: SondeSerial) -> Duration? { clocks[serial].map { Self.overlap + $0.mostBehind } }

    /// The gateway's clock was set: what was compared with it counts no more.
    mutating func forgetClocks() { clocks = [:] }

    /// The answer as all parts see it. A track is put on one clock when it is whole (``GapFill``).
    /// - Parameter sonde: the followed one.
    mutating func dated(_ answer: Answer, following sonde: FollowedSonde, at now: Moment) -> Answer {
        if case .sondes(let answer) = answer {
            return .sondes(onOneClock(answer.withoutFuture(at: now.wall), sonde, at: now.wall).ofStationsThatCount)
        }
        if case .stream(.frames(let frames)) = answer {
            return .stream(.frames(onOneClock(frames.withoutFuture(at: now.wall), sonde, at: now.wall)))
        }
        if case .trackPart(let piece) = answer { return .trackPart(piece.withoutFuture(at: now.wall)) }
        return answer
    }

    private mutating func onOneClock(
        _ answer: SondeHubAnswer, _ sonde: FollowedSonde, at now: WallTime
    ) -> SondeHubAnswer {
        let stamped = answer.records.filter { $0.stamp != nil }
        guard !stamped.isEmpty else { return answer }
        var answer = answer
        answer.records.removeAll { $0.stamp != nil }
        for record in stamped.sorted(by: { $0.time < $1.time }) {
            let serial = sonde.names.ownName(of: record.serial)
            if clocks.count > Self.limit { clocks = clocks.filter { $0.key == sonde.serial } }
            let heard = serial == sonde.serial ? sonde.receiverTimes : ReceiverTimes(track: [])
            answer.records.append(clocks[serial, default: StationClocks()].onOneClock(record, at: now, heard: heard))
        }
        return answer
    }
}

extension SondeHubAnswer {
    /// Without the records whose time is unknown, for sondes that have another one.
    fileprivate var ofStationsThatCount: SondeHubAnswer {
        let known = Set(records.lazy.filter(\.isTimeKnown).map(\.serial))
        var answer = self
        answer.records.removeAll { !$0.isTimeKnown && known.contains($0.serial) }
        return answer
    }

    fileprivate func withoutFuture(at now: WallTime) -> SondeHubAnswer {
        var answer = self
        answer.records = records.compactMap { $0.notFromTheFuture(at: now) }
        answer.skipped += records.count - answer.records.count
        return answer
    }
}

extension SondeHubRecord {
    /// A record that is further ahead of the clock is wrong.
    private static let future = Duration.seconds(60)

    /// Nil for a record from the future. A record that is only a little ahead gets the present time; otherwise the
    /// receiver's next position would get a time in the future, too.
    fileprivate func notFromTheFuture(at now: WallTime) -> SondeHubRecord? {
        guard time > now else { return self }
        guard time.duration(since: now) <= Self.future else { return nil }
        var record = self
        record.time = now
        return record
    }
}
