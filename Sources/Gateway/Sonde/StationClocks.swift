import FlightMath
import ReceiverProtocol

/// Puts the frames of several stations on one clock. Some sondes send no time: each station stamps their frames by its
/// own clock, and these differ by up to a minute. On several clocks the track would jump back and forth.
///
/// | station | its frames |
/// | --- | --- |
/// | has sent a frame that the receiver has heard, too | corrected to the gateway's clock |
/// | the followed one, at first the first one | as stamped |
/// | another | left out, until nobody else has been heard for a minute; then it is the followed one |
///
/// A clock that is wrong by more than half a minute is first corrected by the difference that SondeHub has measured. A
/// frame can't come from the future: a clock that is ahead of the gateway's by one is corrected by so much.
struct StationClocks: Equatable, Sendable {
    private static let silence = Duration.seconds(60)
    /// The most stations whose clocks are remembered.
    private static let remembered = 256
    /// The delays of two uploads differ by less, seconds.
    private static let uploadDelay = 15.0

    /// The station whose frames count as they are stamped; nil for none.
    private var followed: String?
    /// How far a station's clock is ahead of the gateway's.
    private struct Clock: Equatable, Sendable {
        /// At least, by frames from the future.
        var early = Duration.zero
        /// By frames that the receiver has heard, too; nil without any.
        var compared: Duration?
        /// If SondeHub has found that the clock is wrong; else nil. A difference that is measured again replaces this one
        /// only if the clock was set: the delays of the uploads differ, and the times would jump with them.
        var wrong: Duration?

        /// How much earlier than its true time a frame may be stamped, negative.
        var behind: Duration {
            let wrong = wrong ?? .zero
            return min(wrong, wrong + (compared ?? .zero))
        }

        /// How far it is ahead at least, with what a stamp shows that has just come.
        func earliness(of stamp: StationStamp, at now: WallTime) -> Duration {
            max(early, stamp.time.duration(since: now))
        }
    }

    private var clocks: [String: Clock] = [:]
    /// The newest corrected time.
    private var newest: WallTime?

    /// How much earlier than its true time a frame may be stamped.
    var mostBehind: Duration { .zero - clocks.values.map(\.behind).reduce(.zero, min) }

    /// The times are the gateway's own.
    var isOnGatewaysClock: Bool { clocks.values.contains { $0.compared != nil } }

    /// Corrects the time of a record that has just come.
    /// - Returns: the record, whose time may still be unknown.
    mutating func onOneClock(
        _ record: SondeHubRecord, at now: WallTime, heard: ReceiverTimes = ReceiverTimes(track: [])
    ) -> SondeHubRecord {
        let point = withMeasuredClock(StampedPoint(record))
        guard let stamp = point.stamp else { return record }
        compare(point, with: heard)
        var record = record
        let time = time(of: stamp, after: .latest(newest, heard.last), at: now)
        record.isTimeKnown = time != nil
        if let time {
            record.time = time
            newest = .latest(newest, time)
        }
        return record
    }

    /// Corrects a whole track, which may begin before what was known so far.
    /// - Returns: the points whose time is known, sorted by time.
    mutating func onOneClock(
        _ track: [StampedPoint], at now: WallTime, heard: ReceiverTimes = ReceiverTimes(track: [])
    ) -> [StampedPoint] {
        let track = track.map { withMeasuredClock($0) }
        for point in track { compare(point, with: heard) }
        var dated = track.filter { $0.stamp == nil }.sorted { $0.point.time < $1.point.time }
        var stations: [String: [StampedPoint]] = [:]
        for point in track {
            if let stamp = point.stamp { stations[stamp.station, default: []].append(point) }
        }
        for (station, points) in stations.sorted(by: { precedes($0, $1) }) {
            let points = onClock(of: station, points.sorted { $0.stampedAt < $1.stampedAt }, at: now)
            dated += isCompared(station) ? points : Self.points(points, apartFrom: dated)
            dated.sort { $0.point.time < $1.point.time }
        }
        if let last = dated.last, let station = last.stamp?.station {
            if followed == nil, !isCompared(station) { followed = station }
            newest = .latest(newest, last.point.time)
        }
        return dated
    }

    // MARK: - The rule

    /// The time by the one clock; nil if it is unknown.
    /// - Parameter last: when the sonde was last heard.
    private mutating func time(of stamp: StationStamp, after last: WallTime?, at now: WallTime) -> WallTime? {
        let clock = clocks[stamp.station] ?? Clock()
        if let ahead = clock.compared {
            followed = nil
            return min(stamp.time.advanced(by: .zero - ahead), now)
        }
        let ahead = clock.earliness(of: stamp, at: now)
        if ahead > .zero { clocks[stamp.station, default: Clock()].early = ahead }
        let time = stamp.time.advanced(by: .zero - ahead)
        if followed != stamp.station {
            if let last, time.duration(since: last) <= Self.silence { return nil }
            followed = stamp.station
        }
        return time
    }

    /// A station's points of a track, by the one clock if the station counts.
    /// - Parameter points: sorted by time.
    private func onClock(of station: String, _ points: [StampedPoint], at now: WallTime) -> [StampedPoint] {
        let clock = clocks[station] ?? Clock()
        let ahead = clock.compared ?? points.last?.stamp.map { clock.earliness(of: $0, at: now) } ?? .zero
        return points.map { point in
            var point = point
            point.point.time = min(point.stampedAt.advanced(by: .zero - ahead), now)
            return point
        }
    }

    /// In a track the compared stations come first, then the followed one, then those with the most points.
    private func precedes(
        _ first: (key: String, value: [StampedPoint]), _ second: (key: String, value: [StampedPoint])
    ) -> Bool {
        func rank(_ station: (key: String, value: [StampedPoint])) -> (Int, Int, String) {
            let place = isCompared(station.key) ? 0 : followed == station.key ? 1 : 2
            return (place, -station.value.count, station.key)
        }
        return rank(first) < rank(second)
    }

    /// The points before and after which nobody else was heard for a minute. Both lists are sorted by time.
    private static func points(_ points: [StampedPoint], apartFrom others: [StampedPoint]) -> [StampedPoint] {
        var next = 0
        return points.filter { point in
            while next < others.count, others[next].point.time <= point.point.time { next += 1 }
            let isAfter = next == 0 || point.point.time.duration(since: others[next - 1].point.time) > silence
            let isBefore = next == others.count || others[next].point.time.duration(since: point.point.time) > silence
            return isAfter && isBefore
        }
    }

    // MARK: - The clocks

    private func isCompared(_ station: String) -> Bool { clocks[station]?.compared != nil }

    /// The point with its stamp corrected by the difference that SondeHub has measured.
    private mutating func withMeasuredClock(_ point: StampedPoint) -> StampedPoint {
        guard let stamp = point.stamp else { return point }
        // Nobody hears so many stations. Forget all: the next frames show their clocks again.
        if clocks.count > Self.remembered { clocks = [:] }
        let known = clocks[stamp.station]?.wrong
        var error = known ?? stamp.error
        if let known, let measured = stamp.ahead, abs((measured - known).inSeconds) > Self.uploadDelay {
            error = stamp.error
        }
        guard known != nil || error != .zero else { return point }
        clocks[stamp.station, default: Clock()].wrong = error
        var point = point
        point.stamp?.time = stamp.time.advanced(by: .zero - error)
        return point
    }

    /// Compares a station's clock with the gateway's, if the receiver has heard the same frame.
    private mutating func compare(_ point: StampedPoint, with heard: ReceiverTimes) {
        guard let stamp = point.stamp, !isCompared(stamp.station),
            let time = heard.time(of: point.point, stampedAt: stamp.time)
        else { return }
        clocks[stamp.station, default: Clock()].compared = stamp.time.duration(since: time)
    }
}
