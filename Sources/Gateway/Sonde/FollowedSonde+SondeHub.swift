import FlightMath
import GatewayReports
import ReceiverProtocol

extension FollowedSonde {
    /// If the live stream was away for this long, SondeHub is asked for what was missed, because polls would have had
    /// it.
    private static let lossToFill = Duration.seconds(15)

    /// Adds a piece of the requested track, or ends it.
    mutating func fillGap(with answer: Answer, _ turn: inout Turn) {
        guard let serial else { return }
        switch answer {
        case .trackPart(let piece): gapFill.collect(piece.records, of: otherName ?? serial, at: turn.now)
        case .trackEnd: filled(gapFill.ended(nil, &turn), of: serial, &turn)
        case .failed(let error): filled(gapFill.ended(error, &turn), of: serial, &turn)
        // Asked by nobody here.
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

    /// The live stream delivered frames of this sonde. The newest becomes news; the others only enter the track.
    /// - Parameter isReopened: these are the first of a connection.
    /// - Returns: whether one is news.
    mutating func stream(
        _ frames: [LatestRecord], isReopened: Bool, in state: TelemetryState, _ turn: inout Turn
    ) -> Bool {
        guard let newest = frames.max(by: { $0.record.time < $1.record.time }) else { return false }
        let known = news.record?.time
        let earlier = frames.filter { $0.record.time < newest.record.time }.sorted { $0.record.time < $1.record.time }
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
