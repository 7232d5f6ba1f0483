import DequeModule
import ReceiverProtocol

/// Sends commands to a receiver that never acknowledges: one in flight, confirmed when a later frame shows the value.
///
/// Written again once after ``retryAfter``; given up after ``timeLimit``. Survives the receiver's restart in between.
struct CommandLoop: Equatable, Sendable {
    static let queueLimit = 16
    /// Seconds from the first write.
    static let retryAfter = 4.0
    static let timeLimit = 8.0
    /// A command older than this, seconds, is not replayed after a reconnect.
    static let replayLimit = 10.0

    enum Output: Equatable {
        case write(WriteID, [UInt8])
        case answer(CommandAnswer)
    }

    /// A command that waits; without an origin it is the gateway's own and nobody is answered.
    struct Pending: Equatable, Sendable {
        var command: ReceiverCommand
        var origin: CommandOrigin?
        var since: MonotonicTime
    }

    fileprivate struct Flight: Equatable {
        var pending: Pending
        var startedAt: MonotonicTime
        /// Still to be written in this attempt.
        var writes: ArraySlice<[UInt8]>
        /// The write on its way.
        var writing: WriteID?
        /// What a frame said while the last write was on its way: over Bluetooth the receiver's answer often comes before
        /// the word that the write has arrived.
        var earlyVerdict: Verdict?
        var isRetried = false
        var isWrittenTold = false

        /// Everything was written in this attempt: frames from here on can confirm it.
        var isWritten: Bool { writes.isEmpty && writing == nil }
    }

    private var queue: Deque<Pending> = []
    private var flight: Flight?
    private var isOnline = false
    private var maximumWriteLength = 0
    private var lastWriteID: UInt64 = 0

    /// Commands that wait or are on their way.
    var depth: Int { queue.count + (flight == nil ? 0 : 1) }

    /// When ``timePassed(at:)`` has something to do; nil when nothing waits.
    var deadline: MonotonicTime? {
        if let flight {
            return flight.startedAt.advanced(by: flight.isRetried ? Self.timeLimit : Self.retryAfter)
        }
        return isOnline ? nil : queue.first?.since.advanced(by: Self.replayLimit)
    }

    mutating func submit(_ command: ReceiverCommand, origin: CommandOrigin?, at now: MonotonicTime) -> [Output] {
        guard isOnline else { return reject(origin, .init(.receiverOffline, "no link to the receiver")) }
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
            outputs.append(
                .answer(
                    CommandAnswer(
                        origin: origin, status: .accepted, error: nil, isFinal: false, applied: command.applied)))
        }
        queue.append(Pending(command: command, origin: origin, since: now))
        return outputs + startNext(at: now)
    }

    mutating func linkOnline(maximumWriteLength: Int, at now: MonotonicTime) -> [Output] {
        isOnline = true
        self.maximumWriteLength = maximumWriteLength
        return dropStale(at: now) + startNext(at: now)
    }

    mutating func linkOffline() {
        isOnline = false
        // The write died with the link; the retry or the time limit goes on from here.
        flight?.writing = nil
        flight?.writes = []
        flight?.earlyVerdict = nil
    }

    /// The transport took a write, or could not.
    mutating func writeFinished(_ id: WriteID, succeeded: Bool, at now: MonotonicTime) -> [Output] {
        guard flight?.writing == id else { return [] }
        flight?.writing = nil
        guard succeeded else {
            // Not on its way: the retry has to bring it.
            flight?.writes = []
            flight?.earlyVerdict = nil
            return []
        }
        let outputs = continueWriting(at: now)
        guard let flight, flight.isWritten, let verdict = flight.earlyVerdict else { return outputs }
        return outputs + conclude(verdict, at: now)
    }

    mutating func received(_ frame: Frame, at now: MonotonicTime) -> [Output] {
        guard let flight else { return [] }
        let verdict = Self.verdict(of: frame, on: flight.pending.command)
        guard flight.isWritten else {
            let isLastWrite = flight.writes.isEmpty
            if isLastWrite, verdict != .saysOtherwise { self.flight?.earlyVerdict = verdict }
            return []
        }
        guard flight.isWrittenTold || flight.pending.origin == nil else { return [] }
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
        guard let deadline, now >= deadline else { return [] }
        guard let flight else { return dropStale(at: now) }
        guard flight.isRetried else {
            self.flight?.isRetried = true
            return isOnline ? beginWriting(at: now) : []
        }
        return finish(.timedOut, at: now)
    }

    /// The gateway stops: everybody who waits gets a last word.
    mutating func stop() -> [Output] {
        let refusal = CommandRefusal(.stopping, "the gateway stops")
        let waiting = [flight?.pending].compactMap { $0 } + queue
        self = CommandLoop()
        return waiting.flatMap { reject($0.origin, refusal) }
    }
}

extension CommandLoop {
    private mutating func startNext(at now: MonotonicTime) -> [Output] {
        guard isOnline, flight == nil, let next = queue.popFirst() else { return [] }
        flight = Flight(pending: next, startedAt: now, writes: [])
        return beginWriting(at: now)
    }

    private mutating func beginWriting(at now: MonotonicTime) -> [Output] {
        guard let command = flight?.pending.command else { return [] }
        var writes = command.writes(maximumLength: maximumWriteLength)
        if case .settings = command {
            // Only a type 3 shows settings.
            writes += ReceiverCommand.requestConfiguration.writes(maximumLength: maximumWriteLength)
        }
        flight?.writes = writes[...]
        flight?.earlyVerdict = nil
        return continueWriting(at: now)
    }

    private mutating func continueWriting(at now: MonotonicTime) -> [Output] {
        if let bytes = flight?.writes.popFirst() {
            lastWriteID += 1
            let id = WriteID(lastWriteID)
            flight?.writing = id
            return [.write(id, bytes)]
        }
        guard let flight, !flight.isWrittenTold, let origin = flight.pending.origin else { return [] }
        self.flight?.isWrittenTold = true
        let applied = flight.pending.command.applied
        return [.answer(CommandAnswer(origin: origin, status: .written, error: nil, isFinal: false, applied: applied))]
    }

    private mutating func finish(_ status: CommandAnswer.Status, at now: MonotonicTime) -> [Output] {
        guard let done = flight?.pending else { return [] }
        flight = nil
        var outputs: [Output] = []
        if let origin = done.origin {
            let error =
                status == .timedOut
                ? CommandRefusal(.timedOut, "the receiver did not show the new value within 8 seconds") : nil
            outputs.append(
                .answer(
                    CommandAnswer(
                        origin: origin, status: status, error: error, isFinal: true, applied: done.command.applied)))
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
        return [.answer(CommandAnswer(origin: origin, status: .rejected, error: error, isFinal: true, applied: nil))]
    }

    fileprivate enum Verdict {
        case says, saysOtherwise
        /// The receiver doesn't show this value at all.
        case cannotSay
    }

    private static func verdict(of frame: Frame, on command: ReceiverCommand) -> Verdict {
        switch (command, frame) {
        case (.tune(let tuning), .radio(let radio)):
            let frequency = radio.frequencyMHz.flatMap(Tuning.kilohertz)
            return frequency == tuning.frequencyKHz && radio.sondeType == tuning.sondeType ? .says : .saysOtherwise
        case (.mute(let isMuted), .radio(let radio)):
            guard let shown = radio.isMuted else { return .cannotSay }
            return shown == isMuted ? .says : .saysOtherwise
        case (.requestConfiguration, .configuration): return .says
        case (.settings(let changes), .configuration(let configuration)):
            let shown = changes.map { (wanted: $0.value, value: configuration.value(of: $0.setting)) }
            if shown.contains(where: { $0.value != nil && $0.value != $0.wanted }) { return .saysOtherwise }
            return shown.contains { $0.value != nil } ? .says : .cannotSay
        case (.tune, _), (.mute, _), (.requestConfiguration, _), (.settings, _): return .saysOtherwise
        }
    }
}
