import FlightMath
import GatewayReports
import ReceiverProtocol

// SondeHub's answers.

extension GatewayMachine {
    /// SondeHub's answer to the poll.
    mutating func polled(_ reply: Reply, _ turn: inout Turn) {
        guard let answer = sondeHub.poll.take(reply, &turn) else { return }
        sondeHub.poll.isLaunchTime = launches.isLaunchTime(of: sondeHub.site.value.number, at: turn.now.wall)
        let likeness = sonde.likeness(listeningOnMHz: receiver.listening?.frequencyMHz)
        guard let latest = sondeHub.answered(answer, knowing: facts, of: likeness, &turn) else {
            if !sondeHub.stream.isDelivering { sonde.sondeHubHasNone() }
            return
        }
        if let name = latest.otherName { sonde.rename(onSondeHub: name, &turn) }
        if latest.record.serial != sonde.serial {
            // The receiver has priority, also with a sonde whose name it can't read.
            guard !facts.receiver.hasTelemetry else { return }
            follow(
                FollowedSonde(latest.record.serial, type: latest.record.sondeType.named), isHeard: latest.isFresh, &turn
            )
        }
        sondeHub.learn(frequencyOf: [latest.record], at: turn.now.monotonic)
        guard sonde.polled(latest) else { return }
        sondeHub.told(latest.record.serial, at: turn.now.monotonic)
        sondeHub.poll.correct(newest: sonde.news.ageWhenAnswered, at: turn.now.monotonic)
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
        let serial = name == facts.sonde.sondeHubSerial ? facts.sonde.serial ?? name : name
        let frames = answer.records.filter { $0.serial == name }.map { record in
            var record = record
            record.serial = serial
            return LatestRecord(
                record: record, age: answer.age(of: record, at: turn.now), at: turn.now, isStreamed: true)
        }
        let mayMissSome = sondeHub.stream.received(frames, of: answer, at: turn.now)
        // The receiver has priority, also with a sonde whose name it can't read.
        guard let newest = frames.max(by: { $0.record.time < $1.record.time }), !facts.receiver.hasTelemetry else {
            return
        }
        if serial != sonde.serial {
            follow(FollowedSonde(serial, type: newest.record.sondeType.named), isHeard: newest.isFresh, &turn)
        }
        sondeHub.learn(frequencyOf: frames.map(\.record), at: turn.now.monotonic)
        guard sonde.stream(frames, mayMissSome: mayMissSome, in: facts.state, &turn) else { return }
        if turn.now.isClockSynced { sondeHub.stream.measure(newest.age) }
        sondeHub.told(serial, at: turn.now.monotonic)
    }
}
