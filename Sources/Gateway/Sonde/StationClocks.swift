import FlightMath
import ReceiverProtocol

/// Puts the frames of several stations on one clock. Some sondes send no time: each station stamps their frames by its
/// own clock, and these differ by up to a minute. On several clocks the track would jump back and forth.
///
/// | station | its frames |
/// | --- | --- |
/// | the first | as stamped: its clock is the reference |
/// | has sent a frame that a station with a known clock has sent, too | corrected by the difference of the two stamps |
/// | has sent a frame that the receiver has heard, too | corrected to the gateway's clock, from then the reference |
/// | another | left out, until nobody else has been heard for a minute; then its clock is the reference |
///
/// A clock that is wrong by more than half a minute is first corrected by the difference that SondeHub has measured.
///
/// Two stations have sent the same frame if it has the same number and place, or without numbers exactly the same
/// place. The receiver gives no number, so the place alone counts.
struct StationClocks: Equatable, Sendable {
    private static let silence = Duration.seconds(60)
    /// The most frames that are remembered: some seconds of many stations, or minutes of two.
    private static let remembered = 256
    /// The delays of two uploads differ by less, seconds.
    private static let uploadDelay = 15.0
    /// Decoders round a place differently.
    private static let roundedDegrees = 2e-4
    private static let roundedMetres = 2.0

    private struct Frame: Equatable, Sendable {
        var stamp: StationStamp
        var coordinate: Coordinate
        var altitudeMetres: Double
        /// Whether the station's frame before was at another place. A repeated place does not show when it was sent.
        var isMoving = false
        /// The time by the reference clock; nil if it is unknown.
        var time: WallTime?

        init(_ stamp: StationStamp, _ point: TrackPoint) {
            (self.stamp, coordinate, altitudeMetres) = (stamp, point.coordinate, point.altitudeMetres)
        }

        func isAtPlace(of other: Frame) -> Bool {
            coordinate == other.coordinate && altitudeMetres == other.altitudeMetres
        }

        func isSame(as other: Frame) -> Bool {
            guard isMoving, other.isMoving, stamp.station != other.stamp.station else { return false }
            guard let number = stamp.frame, let otherNumber = other.stamp.frame else { return isAtPlace(of: other) }
            return number == otherNumber && abs(altitudeMetres - other.altitudeMetres) <= roundedMetres
                && abs(coordinate.latitude - other.coordinate.latitude) <= roundedDegrees
                && abs(coordinate.longitude - other.coordinate.longitude) <= roundedDegrees
        }
    }

    /// The station whose clock is the reference; nil without one, and if the gateway's clock is the reference.
    private var reference: String?
    /// The stations whose clocks are compared with the gateway's, by the receiver's frames or by another such station.
    private var compared: Set<String> = []
    /// The time of the receiver's last point; nil without one, and while a track is corrected.
    private var heardUntil: WallTime?
    /// How far each known clock is ahead of the reference.
    private var ahead: [String: Duration] = [:]
    /// How far the clocks are ahead that SondeHub has found to be wrong. A difference that is measured again replaces
    /// this one only if the clock was set: the delays of the uploads differ, and the times would jump with them.
    private var wrong: [String: Duration] = [:]
    private var newest: WallTime?
    private var frames: [Frame] = []

    /// How much earlier than its true time a frame may be stamped.
    var mostBehind: Duration {
        let corrections = ahead.map { $0.value + (wrong[$0.key] ?? .zero) } + wrong.values
        return .zero - (corrections.min().map { min($0, .zero) } ?? .zero)
    }

    /// The times are the gateway's own.
    var isOnGatewaysClock: Bool { !compared.isEmpty }

    /// Corrects the time of a record that has just come.
    /// - Returns: nil if its time is unknown.
    mutating func onOneClock(
        _ record: SondeHubRecord, at now: WallTime, heard: ReceiverTimes = ReceiverTimes(track: [])
    ) -> SondeHubRecord? {
        guard record.stamp != nil else { return record }
        let point = withMeasuredClock(StampedPoint(record))
        compare(point, with: heard)
        heardUntil = heard.last
        guard let time = time(of: point) else { return nil }
        var record = record
        record.time = time.advanced(by: .zero - holdBack(to: now))
        return record
    }

    /// Corrects a whole track, which may begin before what was known so far.
    /// - Returns: the points whose time is known, sorted by time.
    mutating func onOneClock(
        _ track: [StampedPoint], at now: WallTime, heard: ReceiverTimes = ReceiverTimes(track: [])
    ) -> [StampedPoint] {
        var clocks = self
        (clocks.newest, clocks.heardUntil, clocks.frames) = (nil, nil, [])
        let track = track.map { clocks.withMeasuredClock($0) }
        for point in track { clocks.compare(point, with: heard) }
        var points: [StampedPoint] = []
        points.reserveCapacity(track.count)
        for var point in track.sorted(by: { $0.stampedAt < $1.stampedAt }) {
            guard let time = clocks.time(of: point) else { continue }
            point.point.time = time
            points.append(point)
        }
        // The track's first station was the reference. Return to our reference, if the track shows how far both differ.
        // The gateway's clock is the better reference.
        let known = clocks.isOnGatewaysClock ? nil : reference.flatMap { ahead[$0] }
        let found = reference.flatMap { clocks.ahead[$0] }
        var shift = Duration.zero
        if let known, let found {
            shift = found - known
            clocks.shift(by: shift)
            clocks.reference = reference
        }
        shift -= clocks.holdBack(to: now)
        for index in points.indices where points[index].stamp != nil {
            let time = points[index].point.time
            points[index].point.time = clocks.isOnGatewaysClock ? min(time, now) : time.advanced(by: shift)
        }
        if reference == clocks.reference || reference == nil || clocks.isOnGatewaysClock {
            clocks.newest = [newest, clocks.newest].compactMap { $0 }.max()
            self = clocks
        }
        return points.sorted { $0.point.time < $1.point.time }
    }

    /// The point with its stamp corrected by the difference that SondeHub has measured.
    private mutating func withMeasuredClock(_ point: StampedPoint) -> StampedPoint {
        guard let stamp = point.stamp else { return point }
        let known = wrong[stamp.station]
        var error = known ?? stamp.error
        if let known, let measured = stamp.ahead, abs((measured - known).inSeconds) > Self.uploadDelay {
            error = stamp.error
        }
        guard known != nil || error != .zero else { return point }
        if wrong.count > Self.remembered { wrong = [:] }
        wrong[stamp.station] = error
        var point = point
        point.stamp?.time = stamp.time.advanced(by: .zero - error)
        return point
    }

    private mutating func time(of point: StampedPoint) -> WallTime? {
        guard let stamp = point.stamp else { return point.point.time }
        var frame = Frame(stamp, point.point)
        if let before = frames.last(where: { $0.stamp.station == stamp.station }) {
            // A cache has repeated the frame.
            if before.stamp == stamp { return before.time }
            frame.isMoving = !before.isAtPlace(of: frame)
        }
        let same = frames.last { $0.isSame(as: frame) }
        if let same { learn(stamp, of: same.stamp) }
        frame.time = same?.time ?? corrected(stamp)
        frames.append(frame)
        if frames.count > Self.remembered { frames.removeFirst() }
        newest = [newest, frame.time].compactMap { $0 }.max()
        return frame.time
    }

    /// Compares a station's clock with the gateway's, if the receiver has heard the same frame.
    private mutating func compare(_ point: StampedPoint, with heard: ReceiverTimes) {
        guard let stamp = point.stamp, !compared.contains(stamp.station),
            let time = heard.time(of: point.point, stampedAt: stamp.time)
        else { return }
        let isAhead = stamp.time.duration(since: time)
        if compared.isEmpty {
            // The other clocks are known only if they were compared with this one.
            if let known = ahead[stamp.station] {
                shift(by: known - isAhead)
                compared = Set(ahead.keys)
            } else {
                (ahead, frames, newest) = ([:], [], nil)
            }
            reference = nil
        }
        forgetIfFull()
        ahead[stamp.station] = isAhead
        compared.insert(stamp.station)
    }

    private mutating func forgetIfFull() {
        guard ahead.count > Self.remembered else { return }
        ahead = ahead.filter { $0.key == reference }
        compared = []
    }

    /// Two stations have stamped the same frame.
    private mutating func learn(_ stamp: StationStamp, of other: StationStamp) {
        let difference = stamp.time.duration(since: other.time)
        forgetIfFull()
        if let known = ahead[other.station], !isFixed(stamp.station) {
            ahead[stamp.station] = known + difference
            if compared.contains(other.station) { compared.insert(stamp.station) }
        } else if let known = ahead[stamp.station], !isFixed(other.station) {
            ahead[other.station] = known - difference
            if compared.contains(stamp.station) { compared.insert(other.station) }
        }
    }

    /// Whether other stations' frames leave a station's clock as it is.
    private func isFixed(_ station: String) -> Bool { station == reference || compared.contains(station) }

    private mutating func corrected(_ stamp: StationStamp) -> WallTime? {
        if let ahead = ahead[stamp.station] { return stamp.time.advanced(by: .zero - ahead) }
        let last = [newest, heardUntil].compactMap { $0 }.max()
        if let last, stamp.time.duration(since: last) <= Self.silence { return nil }
        if isOnGatewaysClock {
            ahead[stamp.station] = .zero
        } else {
            (reference, ahead, frames) = (stamp.station, [stamp.station: .zero], [])
        }
        return stamp.time
    }

    /// Moves all clocks back if the newest frame is ahead of `now`. A frame can't come from the future, so the
    /// reference is ahead, and with it all clocks that were compared with it. Those that were compared with the gateway's
    /// stay.
    /// - Returns: how far the clocks were moved.
    private mutating func holdBack(to now: WallTime) -> Duration {
        guard let newest, newest > now else { return .zero }
        let early = newest.duration(since: now)
        shift(by: .zero - early)
        return early
    }

    private mutating func shift(by change: Duration) {
        for station in ahead.keys where !compared.contains(station) { ahead[station, default: .zero] -= change }
        for index in frames.indices where !compared.contains(frames[index].stamp.station) {
            frames[index].time = frames[index].time?.advanced(by: change)
        }
        newest = newest?.advanced(by: change)
    }
}
