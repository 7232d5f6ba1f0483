import FlightMath
import GatewayReports
import ReceiverProtocol

extension FollowedSonde {
    /// Says that the gateway follows the sonde, as soon as a source hears it.
    mutating func introduce(_ turn: inout Turn) {
        guard let introduction = heard.introduction, Silence(since: heardAt, at: turn.now.monotonic) < .silent else {
            return
        }
        turn.say(introduction)
        heard.introduction = nil
    }

    /// Adds a piece of the requested track, or ends it.
    /// - Parameter clocks: those of the stations that have heard this sonde.
    /// - Returns: the error, if it was one.
    mutating func fillGap(
        with reply: Reply, by clocks: inout StationClocks, _ turn: inout Turn
    ) -> OnlineServiceError? {
        guard let answer = news.gapFill.take(reply, &turn), let serial else { return nil }
        switch answer {
        case .success(.part(let piece)):
            news.gapFill.collect(piece.records)
            return nil
        case .success(.end):
            filled(news.gapFill.ended(nil, by: &clocks, heard: receiverTimes, &turn), of: serial, &turn)
            return nil
        case .failure(let error):
            filled(news.gapFill.ended(error, by: &clocks, heard: receiverTimes, &turn), of: serial, &turn)
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

    /// When the receiver heard this sonde where.
    var receiverTimes: ReceiverTimes { ReceiverTimes(track: flight.track.points) }

    /// A track reaches this much further back than its hole, if the receiver's frames can date it.
    mutating func compareClocks(over overlap: Duration) {
        if heard.positionAt != nil { news.gapFill.overlap = overlap }
    }

    /// The newest time at which the sonde is known.
    var newestTime: WallTime? { .latest(flight.newest?.time, news.record?.time) }

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
        let dated = frames.filter(\.record.isTimeKnown)
        guard let newest = dated.max(by: { $0.record.time < $1.record.time }) else {
            return frames.last.map { update(with: $0) } ?? false
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
