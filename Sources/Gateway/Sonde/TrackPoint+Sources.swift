import FlightMath
import GatewayReports
import ReceiverProtocol

extension SondeHubRecord {
    /// A record that is further ahead of the clock is wrong (specification 4.2).
    private static let future = Duration.seconds(60)

    /// Nil for a record from the future. A record that is only a little ahead gets the present time; otherwise the
    /// receiver's next position would get a time in the future, too.
    fileprivate func notFromTheFuture(at now: Moment) -> SondeHubRecord? {
        guard time > now.wall else { return self }
        guard time.duration(since: now.wall) <= Self.future else { return nil }
        var record = self
        record.time = now.wall
        return record
    }
}

extension SondeHubAnswer {
    fileprivate func dated(at now: Moment) -> SondeHubAnswer {
        var answer = self
        answer.records = records.compactMap { $0.notFromTheFuture(at: now) }
        answer.skipped += records.count - answer.records.count
        return answer
    }
}

extension Answer {
    /// The answer as all parts see it: none of SondeHub's records is from the future.
    func dated(at now: Moment) -> Answer {
        switch self {
        case .sondes(let answer): .sondes(answer.dated(at: now))
        case .trackPart(let piece): .trackPart(piece.dated(at: now))
        case .stream(.frames(let frames)): .stream(.frames(frames.dated(at: now)))
        case .stream, .trackEnd, .prediction, .terrain, .landings, .sites, .recoveries, .recoveryTaken, .route,
            .carShared, .crews, .failed:
            self
        }
    }
}

extension TrackPoint {
    /// A point of the receiver.
    init(_ position: Position, at time: WallTime) {
        self.init(
            time: time, coordinate: position.coordinate, altitudeMetres: position.altitudeMetres, source: .ble)
    }

    /// A point of SondeHub.
    init(_ record: SondeHubRecord) {
        self.init(
            time: record.time, coordinate: record.coordinate, altitudeMetres: record.altitudeMetres,
            source: .sondehub)
    }
}

extension Position {
    var speeds: ReportedSpeeds { ReportedSpeeds(horizontal: horizontalSpeed, vertical: verticalSpeed) }
}

extension SondeHubRecord {
    var speeds: ReportedSpeeds { ReportedSpeeds(horizontal: horizontalSpeed, vertical: verticalSpeed) }
}
