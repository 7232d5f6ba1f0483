import FlightMath
import GatewayReports
import ReceiverProtocol

extension FollowedSonde {
    /// If the live stream was away for this long, SondeHub is asked for the missed frames, because polls would have
    /// brought them.
    private static let lossToFill = Duration.seconds(15)

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

    /// Each second before this one is in the track or in a gap of ``GapFill``; nil if nothing is known.
    func knownUntil(by clock: RunClock) -> WallTime? {
        [heard.positionTime(by: clock), news.streamedUntil, news.gapFill.filledUntil, heard.resumedUntil].compactMap {
            $0
        }.max()
    }

    /// The newest time at which the sonde is known.
    var newestTime: WallTime? { [flight.newest?.time, news.record?.time].compactMap { $0 }.max() }

    /// SondeHub becomes the source: requests what the receiver has missed.
    mutating func becomeSondeHubs(_ turn: Turn) {
        guard serial != nil, !news.gapFill.isWanted else { return }
        let knownUntil = knownUntil(by: turn.clock)
        // The poll may have brought a frame that is older than the receiver's last one.
        let isNewer = knownUntil.map { known in news.record.map { $0.time > known } ?? false } ?? true
        news.gapFill.want(since: knownUntil, until: isNewer ? news.record?.time : turn.now.wall)
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
        if mayMissSome {
            news.gapFill.networkIsBack(at: turn.now.monotonic)
            fillLoss(until: newest.record.time, turn)
        }
        news.streamed(until: newest.record.time)
        let late = (isNew ? earlier : earlier + [newest]).map { TrackPoint($0.record) }
        if state == .aprsFlying, !late.isEmpty { _ = insert(late: late, &turn) }
        return isNew
    }

    /// Requests what the stream has not delivered before `time`. A poll's frame in between fills nothing: the seconds
    /// around it are missing.
    private mutating func fillLoss(until time: WallTime, _ turn: Turn) {
        guard let knownUntil = knownUntil(by: turn.clock) else { return news.gapFill.extend(to: time) }
        guard time.duration(since: knownUntil) >= Self.lossToFill else { return }
        news.gapFill.want(missed: TrackGap(since: knownUntil, until: time), at: turn.now.monotonic)
    }
}

extension RecordedFlight {
    /// Holes that ended longer before the last point were given up.
    private static let holeLimit = Duration.seconds(900)
    /// A shorter silence is no hole.
    private static let shortestHole = Duration.seconds(15)

    /// The time after which points may be missing: the gateway may have ended before it could fill a hole. Nil if
    /// nothing was recorded.
    var knownUntil: WallTime? {
        guard let last = points.last else { return nil }
        let recent = points.drop { last.time.duration(since: $0.time) > Self.holeLimit }
        let hole = zip(recent, recent.dropFirst()).first { $1.time.duration(since: $0.time) >= Self.shortestHole }
        return hole?.0.time ?? last.time
    }
}
