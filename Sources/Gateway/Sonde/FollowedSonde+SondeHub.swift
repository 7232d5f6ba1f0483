import FlightMath
import GatewayReports
import ReceiverProtocol

extension FollowedSonde {
    /// So much of a track shows how far the stations' clocks differ from the gateway's.
    private static let overlap = Duration.seconds(60)

    /// Says that the gateway follows the sonde, as soon as a source hears it.
    mutating func introduce(_ turn: inout Turn) {
        guard let introduction = heard.introduction, let heardAt,
            Silence(after: turn.now.monotonic.duration(since: heardAt)) < .silent
        else { return }
        turn.say(introduction)
        heard.introduction = nil
    }

    /// Adds a piece of the requested track, or ends it.
    /// - Returns: the error, if it was one.
    mutating func fillGap(with reply: Reply, _ turn: inout Turn) -> OnlineServiceError? {
        guard let answer = news.gapFill.take(reply, &turn), let serial else { return nil }
        switch answer {
        case .success(.part(let piece)):
            news.gapFill.collect(piece.records)
            return nil
        case .success(.end):
            filled(news.gapFill.ended(nil, by: &news.clocks, heard: heardTimes, &turn), of: serial, &turn)
            return nil
        case .failure(let error):
            filled(news.gapFill.ended(error, by: &news.clocks, heard: heardTimes, &turn), of: serial, &turn)
            return error
        }
    }

    private mutating func filled(_ points: [TrackPoint], of serial: SondeSerial, _ turn: inout Turn) {
        let taken = insert(late: points, &turn)
        if taken > 0 {
            turn.note(.info, "gap filled from SondeHub", facts: ["points": "\(taken)", "of": "\(points.count)"])
            predictNow()
        }
        news.gapFill.widen(
            firstMetres: flight.track.points.first?.altitudeMetres, gained: taken, of: sondeHubSerial ?? serial, &turn)
    }

    /// A poll answered with a frame of this sonde.
    /// - Returns: whether the frame is newer than the last one.
    mutating func polled(_ latest: LatestRecord) -> Bool {
        if let dated = onOneClock(latest) { return update(with: dated) }
        update(withUndated: latest)
        return false
    }

    private var heardTimes: ReceiverTimes { ReceiverTimes(track: flight.track.points) }

    /// The record with its time corrected by ``StationClocks``; nil if that time is unknown.
    private mutating func onOneClock(_ latest: LatestRecord) -> LatestRecord? {
        let corrected = news.clocks.onOneClock(latest.record, at: latest.at.wall, heard: heardTimes)
        if latest.record.stamp != nil, heard.positionAt != nil {
            news.gapFill.overlap = Self.overlap + news.clocks.mostBehind
        }
        guard let record = corrected else { return nil }
        var dated = latest
        dated.record = record
        dated.age = max(.zero, latest.age + latest.record.time.duration(since: record.time))
        return dated
    }

    /// The newest time at which the sonde is known.
    var newestTime: WallTime? { [flight.newest?.time, news.record?.time].compactMap { $0 }.max() }

    /// SondeHub becomes the source: requests what the receiver has missed.
    mutating func becomeSondeHubs() {
        guard serial != nil, !news.gapFill.isWanted else { return }
        // The poll may have brought a frame that is older than the receiver's last one.
        let newer = news.record.flatMap { $0.time.wholeSeconds >= news.gapFill.known.end ?? .min ? $0.time : nil }
        news.gapFill.want(until: newer)
    }

    /// The live stream delivered frames of this sonde. The newest becomes news; the others only enter the track.
    /// - Parameter mayMissSome: whether frames before these may be missing.
    /// - Returns: whether the newest frame is newer than the last one before.
    mutating func stream(
        _ frames: [LatestRecord], mayMissSome: Bool, in state: TelemetryState, _ turn: inout Turn
    ) -> Bool {
        let dated = frames.compactMap { onOneClock($0) }
        guard let newest = dated.max(by: { $0.record.time < $1.record.time }) else {
            if let last = frames.last { update(withUndated: last) }
            return false
        }
        let earlier = dated.filter { $0.record.time < newest.record.time }.sorted { $0.record.time < $1.record.time }
            .filter { !news.repeats.isRepeat($0.record) }
        let isNew = update(with: newest)
        let first = dated.map(\.record.time).min() ?? newest.record.time
        news.gapFill.streamed(
            from: first, through: newest.record.time, mayMissSome: mayMissSome, at: turn.now.monotonic)
        let late = (isNew ? earlier : earlier + [newest]).map { TrackPoint($0.record) }
        if state == .aprsFlying, !late.isEmpty { _ = insert(late: late, &turn) }
        return isNew
    }
}
