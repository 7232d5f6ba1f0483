import DequeModule
import GatewayReports
import ReceiverProtocol

/// Sends commands to the receiver, which never acknowledges. One is in flight at a time. It is confirmed when a later
/// frame shows the value (specification 1.6).
///
///     command         written                    confirmed by             given up
///     tune, mute      at once, again after 4 s   a frame that shows it    after 8 s
///     settings        the same, then `o{?}o`     the type 3               after 8 s
///     … that restart  once                       a type 3, also of the    after 20 s
///     the receiver                               link after the restart
///
/// A command whose value no frame shows (`lcdOn`, a mute without a buzzer) ends as written.
struct CommandLoop: Sendable {
    static let queueLimit = 16
    /// The time from the first write to the second.
    static let retryAfter = Duration.seconds(4)
    static let timeLimit = Duration.seconds(8)
    /// The time limit of a command that restarts the receiver.
    static let restartLimit = Duration.seconds(20)
    /// The interval at which the settings are requested after a command that restarts the receiver. The link may
    /// survive the restart.
    static let restartQuestion = Duration.seconds(7)
    /// A command older than this is not sent after a reconnect.
    static let replayLimit = Duration.seconds(10)

    enum Output: Equatable {
        case write(WriteID, [UInt8])
        case answer(CommandAnswer)
    }

    /// A command that waits. Without an origin it is the gateway's own command and gets no answer.
    struct Pending: Equatable, Sendable {
        var command: ReceiverCommand
        var origin: CommandOrigin?
        var since: MonotonicTime
    }

    private struct InFlight: Equatable {
        var pending: Pending
        var startedAt: MonotonicTime
        /// When to write the command again, or to request the settings again.
        var nextAttemptAt: MonotonicTime?
        /// The rest of this attempt's writes.
        var writes: ArraySlice<[UInt8]>
        /// The write in flight.
        var writing: WriteID?
        /// The verdict of a frame that came while the last write was in flight. Over Bluetooth the receiver's answer
        /// often comes before the write's confirmation.
        var earlyVerdict: Verdict?
        /// The attempt's writes failed.
        var isLost = false
        var isWrittenTold = false

        /// All writes of this attempt are done. Frames from now on can confirm the command.
        var isWritten: Bool { writes.isEmpty && writing == nil }
        var restarts: Bool { pending.command.restartsReceiver }
        var endsAt: MonotonicTime {
            startedAt.advanced(by: restarts ? CommandLoop.restartLimit : CommandLoop.timeLimit)
        }
    }

    private var queue: Deque<Pending> = []
    private var inFlight: InFlight?
    private(set) var isOnline = false
    private var maximumWriteLength = 0
    private var lastWriteID: UInt64 = 0

    /// The number of commands that wait or are in flight.
    var depth: Int { queue.count + (inFlight == nil ? 0 : 1) }

    /// When to call ``timePassed(at:)``; nil if nothing waits.
    var deadline: MonotonicTime? {
        if let inFlight { return inFlight.nextAttemptAt.map { min($0, inFlight.endsAt) } ?? inFlight.endsAt }
        return isOnline ? nil : queue.first?.since.advanced(by: Self.replayLimit)
    }

    /// The newest tuning that waits or is in flight. It completes a command for one half of a tuning.
    var newestTuning: Tuning? {
        newest { if case .tune(let tuning) = $0 { tuning } else { nil } }
    }

    /// The newest value of a setting that waits or is in flight.
    func newestValue(of setting: ReceiverSetting) -> ReceiverSettingValue? {
        newest { command in
            guard case .settings(let changes) = command else { return nil }
            return changes.last { $0.setting == setting }?.value
        }
    }

    private func newest<Value>(_ value: (ReceiverCommand) -> Value?) -> Value? {
        for pending in queue.reversed() {
            if let value = value(pending.command) { return value }
        }
        return inFlight.flatMap { value($0.pending.command) }
    }

    mutating func submit(_ command: ReceiverCommand, origin: CommandOrigin?, at now: MonotonicTime) -> [Output] {
        guard isOnline else { return reject(origin, .receiverOffline) }
        var outputs: [Output] = []
        if case .tune = command {
            let isTune = { (pending: Pending) in if case .tune = pending.command { true } else { false } }
            for pending in queue where isTune(pending) {
                outputs += reject(pending.origin, .init(.superseded, "a newer tune command replaced this one"))
            }
            queue.removeAll(where: isTune)
        }
        guard queue.count < Self.queueLimit else {
            return outputs + reject(origin, .init(.busy, "\(Self.queueLimit) commands wait for the receiver already"))
        }
        if let origin {
            outputs.append(.answer(CommandAnswer(origin, .accepted, applied: command.applied)))
        }
        queue.append(Pending(command: command, origin: origin, since: now))
        return outputs + startNext(at: now)
    }

    /// Call on a new link. Requests the settings before all other commands. The answer may confirm a command that
    /// restarted the receiver.
    mutating func askConfiguration(at now: MonotonicTime) -> [Output] {
        guard isOnline else { return [] }
        guard let command = inFlight?.pending.command else {
            queue.prepend(Pending(command: .requestConfiguration, origin: nil, since: now))
            return startNext(at: now)
        }
        switch command {
        case .settings, .requestConfiguration:
            inFlight?.writes += ReceiverCommand.requestConfiguration.writes(maximumLength: maximumWriteLength)
            return inFlight?.writing == nil ? continueWriting() : []
        case .tune, .mute:
            queue.prepend(Pending(command: .requestConfiguration, origin: nil, since: now))
            return []
        }
    }

    mutating func linkOnline(maximumWriteLength: Int, at now: MonotonicTime) -> [Output] {
        isOnline = true
        self.maximumWriteLength = maximumWriteLength
        var outputs = dropStale(at: now)
        // The writes failed with the last link, so write them again. Never restart the receiver twice.
        if let inFlight, inFlight.isLost, !inFlight.restarts { outputs += beginWriting(at: now) }
        return outputs + startNext(at: now)
    }

    mutating func linkOffline() {
        isOnline = false
        loseWrites()
    }

    /// The link ended, and the writes with it. A later attempt repeats them, or the time limit ends the command. A
    /// command that restarts the receiver may have ended the link itself.
    private mutating func loseWrites() {
        guard var lost = inFlight else { return }
        lost.isLost = lost.isLost || !lost.isWritten
        (lost.writing, lost.writes, lost.earlyVerdict) = (nil, [], nil)
        inFlight = lost
    }

    /// A write has succeeded or failed.
    mutating func writeFinished(_ id: WriteID, succeeded: Bool, at now: MonotonicTime) -> [Output] {
        guard inFlight?.writing == id else { return [] }
        guard succeeded else {
            loseWrites()
            return []
        }
        inFlight?.writing = nil
        let outputs = continueWriting()
        guard let inFlight, inFlight.isWritten, let verdict = inFlight.earlyVerdict else { return outputs }
        return outputs + conclude(verdict, at: now)
    }

    mutating func received(_ frame: Frame, at now: MonotonicTime) -> [Output] {
        guard let inFlight else { return [] }
        let verdict = inFlight.pending.command.verdict(of: frame)
        guard inFlight.isWritten else {
            if inFlight.writes.isEmpty, verdict != .saysOtherwise { self.inFlight?.earlyVerdict = verdict }
            return []
        }
        guard !inFlight.isLost || inFlight.restarts else { return [] }
        return conclude(verdict, at: now)
    }

    private mutating func conclude(_ verdict: Verdict, at now: MonotonicTime) -> [Output] {
        switch verdict {
        case .says: finish(.confirmed, at: now)
        case .cannotSay: finish(.written, at: now)
        case .saysOtherwise: []
        }
    }

    mutating func timePassed(at now: MonotonicTime) -> [Output] {
        guard let inFlight else { return isOnline ? [] : dropStale(at: now) }
        if now >= inFlight.endsAt { return finish(.timedOut, at: now) }
        guard let attempt = inFlight.nextAttemptAt, now >= attempt else { return [] }
        guard inFlight.restarts else {
            self.inFlight?.nextAttemptAt = nil
            return isOnline ? beginWriting(at: now) : []
        }
        self.inFlight?.nextAttemptAt = attempt.advanced(by: Self.restartQuestion)
        return askConfiguration(at: now)
    }

    /// The gateway stops: answers all commands that wait or are in flight.
    mutating func stop() -> [Output] {
        let waiting = [inFlight?.pending].compactMap { $0 } + queue
        (inFlight, queue, isOnline) = (nil, [], false)
        return waiting.flatMap { reject($0.origin, CommandRefusal(.stopping, "the gateway is stopping")) }
    }
}

extension CommandLoop {
    private mutating func startNext(at now: MonotonicTime) -> [Output] {
        guard isOnline, inFlight == nil, let next = queue.popFirst() else { return [] }
        let wait = next.command.restartsReceiver ? Self.restartQuestion : Self.retryAfter
        inFlight = InFlight(pending: next, startedAt: now, nextAttemptAt: now.advanced(by: wait), writes: [])
        return beginWriting(at: now)
    }

    private mutating func beginWriting(at now: MonotonicTime) -> [Output] {
        guard let command = inFlight?.pending.command else { return [] }
        var writes = command.writes(maximumLength: maximumWriteLength)
        if case .settings = command {
            // Only a type 3 shows settings.
            writes += ReceiverCommand.requestConfiguration.writes(maximumLength: maximumWriteLength)
        }
        inFlight?.writes = writes[...]
        inFlight?.earlyVerdict = nil
        inFlight?.isLost = false
        return continueWriting()
    }

    private mutating func continueWriting() -> [Output] {
        if let bytes = inFlight?.writes.popFirst() {
            lastWriteID &+= 1
            let id = WriteID(lastWriteID)
            inFlight?.writing = id
            return [.write(id, bytes)]
        }
        guard let told = inFlight, !told.isWrittenTold, let origin = told.pending.origin else { return [] }
        inFlight?.isWrittenTold = true
        return [.answer(CommandAnswer(origin, .written, applied: told.pending.command.applied))]
    }

    private mutating func finish(_ status: CommandAnswer.Status, at now: MonotonicTime) -> [Output] {
        guard let done = inFlight else { return [] }
        inFlight = nil
        var outputs: [Output] = []
        if let origin = done.pending.origin {
            let limit = done.restarts ? Self.restartLimit : Self.timeLimit
            let error =
                status == .timedOut
                ? CommandRefusal(
                    .timedOut, "the receiver did not show the new value within \(limit.components.seconds) seconds")
                : nil
            outputs.append(
                .answer(
                    CommandAnswer(origin, status, error: error, isFinal: true, applied: done.pending.command.applied)))
        }
        return outputs + startNext(at: now)
    }

    private mutating func dropStale(at now: MonotonicTime) -> [Output] {
        var outputs: [Output] = []
        while let oldest = queue.first, now >= oldest.since.advanced(by: Self.replayLimit) {
            queue.removeFirst()
            outputs += reject(
                oldest.origin, .init(.receiverOffline, "the link to the receiver was lost for too long"))
        }
        return outputs
    }

    private func reject(_ origin: CommandOrigin?, _ error: CommandRefusal) -> [Output] {
        guard let origin else { return [] }
        return [.answer(CommandAnswer(origin, .rejected, error: error, isFinal: true))]
    }
}
