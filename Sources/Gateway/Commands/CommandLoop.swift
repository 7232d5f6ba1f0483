import DequeModule
import GatewayReports
import ReceiverProtocol

/// Sends commands to the receiver, which never acknowledges. One is in flight at a time. It is confirmed when a later
/// frame shows the value.
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

    /// How far an attempt is.
    private enum Progress: Equatable {
        /// A write is in flight, and the rest follows it. The verdict is that of a frame that came while the last write
        /// was in flight: over Bluetooth the receiver's answer often comes before the write's confirmation.
        case writing(WriteID, rest: ArraySlice<[UInt8]>, Verdict?)
        /// No write is in flight. Frames from now on can confirm the command, unless the writes were lost.
        case written
    }

    private struct InFlight: Equatable {
        var pending: Pending
        var startedAt: MonotonicTime
        /// When to write the command again, or to request the settings again.
        var nextAttemptAt: MonotonicTime?
        var progress = Progress.written
        /// The attempt's writes failed.
        var isLost = false
        var isWrittenTold = false
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

    /// A command is in flight after which the receiver restarts.
    var restartsReceiver: Bool { inFlight?.restarts ?? false }

    /// When to call ``timePassed(at:)``; nil if nothing waits.
    var deadline: MonotonicTime? {
        if let inFlight { return .earliest(inFlight.nextAttemptAt, inFlight.endsAt) }
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

    /// - Throws: if the receiver is offline, or if too many commands wait.
    mutating func submit(
        _ command: ReceiverCommand, origin: CommandOrigin?, at now: MonotonicTime
    ) throws(CommandRefusal) -> [Output] {
        guard isOnline else { throw .receiverOffline }
        // A tuning replaces those that wait.
        let replaced = queue.filter { $0.command.isTuning && command.isTuning }
        guard queue.count - replaced.count < Self.queueLimit else {
            throw CommandRefusal(.busy, "\(Self.queueLimit) commands wait for the receiver already")
        }
        if !replaced.isEmpty { queue.removeAll { $0.command.isTuning } }
        var outputs = replaced.flatMap {
            reject($0.origin, .init(.superseded, "a newer tune command replaced this one"))
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
        guard let inFlight, inFlight.pending.command.isShownBySettings else {
            queue.prepend(Pending(command: .requestConfiguration, origin: nil, since: now))
            return startNext(at: now)
        }
        let question = question
        guard case .writing(let id, let rest, let verdict) = inFlight.progress else { return write(question[...]) }
        self.inFlight?.progress = .writing(id, rest: rest + question, verdict)
        return []
    }

    mutating func linkOnline(maximumWriteLength: Int, at now: MonotonicTime) -> [Output] {
        isOnline = true
        self.maximumWriteLength = maximumWriteLength
        var outputs = dropStale(at: now)
        // The writes failed with the last link, so write them again. Never restart the receiver twice.
        if let inFlight, inFlight.isLost, !inFlight.restarts { outputs += beginWriting() }
        return outputs + startNext(at: now)
    }

    mutating func linkOffline() {
        isOnline = false
        loseWrites()
    }

    /// The link ended, and the writes with it. A later attempt repeats them, or the time limit ends the command. A
    /// command that restarts the receiver may have ended the link itself.
    private mutating func loseWrites() {
        guard var lost = inFlight, lost.progress != .written else { return }
        (lost.isLost, lost.progress) = (true, .written)
        inFlight = lost
    }

    /// A write has succeeded or failed.
    mutating func writeFinished(_ id: WriteID, succeeded: Bool, at now: MonotonicTime) -> [Output] {
        guard case .writing(id, let rest, let verdict) = inFlight?.progress else { return [] }
        guard succeeded else {
            loseWrites()
            return []
        }
        let outputs = write(rest, verdict)
        guard rest.isEmpty, let verdict else { return outputs }
        return outputs + conclude(verdict, at: now)
    }

    mutating func received(_ frame: Frame, at now: MonotonicTime) -> [Output] {
        guard let inFlight else { return [] }
        let verdict = inFlight.pending.command.verdict(of: frame)
        switch inFlight.progress {
        case .writing(let id, let rest, _):
            if rest.isEmpty, verdict != .saysOtherwise { self.inFlight?.progress = .writing(id, rest: rest, verdict) }
            return []
        case .written: return inFlight.isLost && !inFlight.restarts ? [] : conclude(verdict, at: now)
        }
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
            return isOnline ? beginWriting() : []
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
        inFlight = InFlight(pending: next, startedAt: now, nextAttemptAt: now.advanced(by: wait))
        return beginWriting()
    }

    private mutating func beginWriting() -> [Output] {
        guard let command = inFlight?.pending.command else { return [] }
        inFlight?.isLost = false
        let writes = command.writes(maximumLength: maximumWriteLength)
        // Only a type 3 shows settings.
        let isAsked = command.isShownBySettings && command != .requestConfiguration
        return write((isAsked ? writes + question : writes)[...])
    }

    /// The request for the settings.
    private var question: [[UInt8]] {
        ReceiverCommand.requestConfiguration.writes(maximumLength: maximumWriteLength)
    }

    /// Makes the first of these writes; without any the attempt is written.
    private mutating func write(_ writes: ArraySlice<[UInt8]>, _ verdict: Verdict? = nil) -> [Output] {
        if let bytes = writes.first {
            lastWriteID &+= 1
            let id = WriteID(lastWriteID)
            inFlight?.progress = .writing(id, rest: writes.dropFirst(), verdict)
            return [.write(id, bytes)]
        }
        inFlight?.progress = .written
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
