import FlightMath
import GatewayReports
import ReceiverProtocol

extension FollowedSonde {
    /// If the live stream was away for this long, SondeHub is asked for the missed frames, because polls would have
    /// brought them.
    private static let lossToFill = Duration.seconds(15)

    /// Says that the gateway follows the sonde, as soon as a source hears it.
    mutating func introduce(_ turn: inout Turn) {
        guard let introduction, let heardAt, turn.now.monotonic.duration(since: heardAt) < SondeHubNews.silence else {
            return
        }
        turn.say(introduction)
        self.introduction = nil
    }

    /// Adds a piece of the requested track, or ends it.
    mutating func fillGap(with answer: Answer, _ turn: inout Turn) {
        guard let serial else { return }
        switch answer {
        case .trackPart(let piece): gapFill.collect(piece.records, at: turn.now)
        case .trackEnd: filled(gapFill.ended(nil, by: &clocks, heard: heardTimes, &turn), of: serial, &turn)
        case .failed(let error):
            filled(gapFill.ended(error, by: &clocks, heard: heardTimes, &turn), of: serial, &turn)
        // Not answers to this part's calls.
        case .sondes, .prediction, .terrain, .landings, .recoveries, .recoveryTaken, .sites, .route, .carShared,
            .stream, .crews:
            break
        }
    }

    private mutating func filled(_ points: [TrackPoint], of serial: SondeSerial, _ turn: inout Turn) {
        let taken = insert(late: points, &turn)
        if taken > 0 {
            turn.note(.info, "gap filled from SondeHub", facts: ["points": "\(taken)", "of": "\(points.count)"])
            predictNow(at: turn.now)
        }
        gapFill.widen(
            firstMetres: flight.track.points.first?.altitudeMetres, gained: taken, of: otherName ?? serial, &turn)
    }

    /// A poll answered with a frame of this sonde.
    /// - Returns: whether the frame is newer than the last one.
    mutating func polled(_ latest: LatestRecord) -> Bool {
        if let dated = onOneClock(latest) { return update(with: dated) }
        update(withUndated: latest)
        return false
    }

    private var heardTimes: ReceiverTimes { ReceiverTimes(track: flight.track.points) }

    /// The record with its time corrected by ``clocks``; nil if that time is unknown.
    private mutating func onOneClock(_ latest: LatestRecord) -> LatestRecord? {
        if latest.record.stamp != nil, lastHeard != nil { gapFill.comparesClocks = true }
        guard let record = clocks.onOneClock(latest.record, at: latest.at.wall, heard: heardTimes) else { return nil }
        var dated = latest
        dated.record = record
        dated.age = max(.zero, latest.age + latest.record.time.duration(since: record.time))
        return dated
    }

    /// The live stream delivered frames of this sonde. The newest becomes news; the others only enter the track.
    /// - Parameter isReopened: whether these are the first frames of a later connection.
    /// - Returns: whether the newest frame is newer than the last one before.
    mutating func stream(
        _ frames: [LatestRecord], isReopened: Bool, in state: TelemetryState, _ turn: inout Turn
    ) -> Bool {
        let dated = frames.compactMap { onOneClock($0) }
        guard let newest = dated.max(by: { $0.record.time < $1.record.time }) else {
            if let last = frames.last { update(withUndated: last) }
            return false
        }
        let known = news.record?.time
        let earlier = dated.filter { $0.record.time < newest.record.time }.sorted { $0.record.time < $1.record.time }
            .filter { !sondeHubRepeats.isRepeat($0.record) }
        let isNew = update(with: newest)
        if let known, isReopened, newest.record.time.duration(since: known) >= Self.lossToFill {
            gapFill.want(since: known)
        }
        let late = (isNew ? earlier : earlier + [newest]).map { TrackPoint($0.record) }
        if state == .aprsFlying, !late.isEmpty { _ = insert(late: late, &turn) }
        return isNew
    }
}
