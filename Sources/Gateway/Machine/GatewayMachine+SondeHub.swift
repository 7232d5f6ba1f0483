import FlightMath
import GatewayReports
import ReceiverProtocol

// SondeHub's answers.

extension GatewayMachine {
    /// The answer as all parts see it: SondeHub's records are dated.
    mutating func dated(_ reply: Reply, at now: Moment) -> Reply {
        let answer = sondeHub.intake.dated(reply.answer, following: sonde, at: now)
        let overlap = sonde.serial.flatMap { sondeHub.intake.overlap(of: $0) }
        if let overlap { sonde.compareClocks(over: overlap) }
        return Reply(id: reply.id, answer: answer)
    }

    /// A piece of a track, or its end.
    /// - Returns: the error, if it was one.
    mutating func fillGap(_ reply: Reply, _ turn: inout Turn) -> OnlineServiceError? {
        guard let serial = sonde.serial else { return nil }
        return sonde.fillGap(with: reply, by: &sondeHub.intake[serial], &turn)
    }

    /// SondeHub's answer to the poll.
    mutating func polled(_ reply: Reply, _ turn: inout Turn) {
        guard let answer = sondeHub.poll.take(reply, &turn) else { return }
        sondeHub.poll.isLaunchTime = launches.isLaunchTime(of: sondeHub.site.value.number, at: turn.now.wall)
        let named = answer.map { name($0, &turn) }
        guard let latest = sondeHub.answered(named, knowing: facts, &turn) else {
            if !sondeHub.stream.isDelivering { sonde.sondeHubHasNone() }
            return
        }
        // The receiver has priority, also with a sonde whose name it can't read.
        guard latest.record.serial == sonde.serial || !facts.receiver.givesPositions else { return }
        followSonde(of: latest, &turn)
        sondeHub.learn(frequencyOf: [latest.record], at: turn.now.monotonic)
        if sonde.update(with: latest) { sondeHub.told(latest.record.serial, at: turn.now.monotonic) }
    }

    /// Follows the sonde of a record, unless it is followed already.
    private mutating func followSonde(of latest: LatestRecord, _ turn: inout Turn) {
        let record = latest.record
        guard record.serial != sonde.serial else { return }
        change(to: FollowedSonde(record.serial, type: record.sondeType.named), isHeard: latest.isFresh, &turn)
    }

    /// News of SondeHub's live stream. Its frames are judged like those of a poll, but have not lain in a cache.
    mutating func streamed(_ reply: Reply, _ turn: inout Turn) {
        switch sondeHub.stream.take(reply, &turn) {
        case .success(.opened): sondeHub.stream.opened()
        case .success(.frames(let frames)): receive(frames, &turn)
        case .success(.prediction(let prediction)):
            let facts = facts
            guard sondeHub.stream.serial == facts.sonde.sondeHubSerial else { return }
            sonde.offered(
                prediction, in: facts.state, by: kept.predictionParameters, taughtBy: &kept.earlierFlights, &turn)
        case .success(.recoveries(let reports)): recoveries.learn(reports, knowing: facts, &turn)
        case .failure(let error): sondeHub.stream.ended(error, &turn)
        case nil: break  // The answer is another part's.
        }
    }

    private mutating func receive(_ answer: SondeHubAnswer, _ turn: inout Turn) {
        guard let name = sondeHub.stream.serial else { return }
        let facts = facts
        let frames = answer.records.filter { $0.serial == name }.map { record in
            LatestRecord(
                record: sonde.names.named(record), age: answer.age(of: record, at: turn.now), at: turn.now,
                isStreamed: true)
        }
        let mayMissSome = sondeHub.stream.received(frames, of: answer, at: turn.now)
        // The receiver has priority, also with a sonde whose name it can't read.
        guard let newest = frames.max(by: { $0.record.time < $1.record.time }), !facts.receiver.givesPositions else {
            return
        }
        followSonde(of: newest, &turn)
        sondeHub.learn(frequencyOf: frames.map(\.record), at: turn.now.monotonic)
        guard sonde.stream(frames, mayMissSome: mayMissSome, in: facts.state, &turn) else { return }
        if turn.now.isClockSynced { sondeHub.stream.measure(newest.age) }
        sondeHub.told(newest.record.serial, at: turn.now.monotonic)
    }
}
