public import GatewayReports
public import ReceiverProtocol

/// Decides what goes to the store, what comes from it and when: the messages that the broker has not acknowledged and
/// what is recorded of the flights, written together. Decides only; feed it events, perform its actions.
///
/// One call to the store at a time: ``Action/open``, then ``Action/save(_:)`` or ``Action/load(after:limit:)``, and none
/// before the last was answered by ``Event/opened(_:)``, ``Event/saved(_:)``, ``Event/loaded(_:)`` or
/// ``Event/failed(_:)``.
///
/// Messages have two keys. Outside, keys count from 1 in each run. In the store they go on behind those of earlier runs,
/// which are known once it has opened; ``keyBase`` is the difference.
///
/// | what happens | what is done |
/// | --- | --- |
/// | it begins | the store is opened; the gateway starts with its memory, or after ``startLimit`` without |
/// | something is to be written | at once, but not more often than every ``interval``; in a flood without pauses |
/// | a message's acknowledgement takes longer than ``Spool/acknowledgementLimit`` | it is written |
/// | a call fails | told once; everything stays in memory, within its bounds; again after ``retryInterval`` |
/// | a session begins | the disk is read and replayed, 50 messages a second, as long as the broker acknowledges |
/// | the end comes | everything is written, without pauses, until it is done, fails, or ``closingLimit`` is over |
public struct StoreMachine: Sendable {
    /// What has happened. Only changes what is known, but for answers and ``timePassed``.
    public enum Event: Equatable, Sendable {
        /// What earlier runs have left.
        case opened(StoredState)
        /// The message was handed to the broker's session.
        case sent(SpooledMessage)
        /// The message can't be sent: there is no session, or a newer one took its place.
        case kept(SpooledMessage)
        /// The broker has these.
        case acknowledged([UInt64])
        /// The broker's session has no room for a replayed message now.
        case replayRefused(UInt64)
        /// The broker refused this message with a transient reason. The message and the replay wait for ``deferral``.
        case deferred(UInt64)
        /// To be recorded.
        case recorded(FlightLogEntry)
        case sessionBegan
        case sessionEnded
        case saved(SaveResult)
        case loaded([SpooledMessage])
        case failed(StoreError)
        /// After every turn of the loop and at ``deadline``: what is due is done.
        case timePassed
        /// The session has ended for good, nothing more will be sent, kept or recorded.
        case closing
    }

    public enum Action: Equatable, Sendable {
        case open
        /// The gateway starts, with what earlier runs have left or (nil) without.
        case start(GatewayMemory?)
        /// The store has opened after the start.
        case recall(GatewayMemory)
        case save(StoreBatch)
        case load(after: UInt64, limit: Int)
        case replay(SpooledMessage)
        /// The store fails, or works again (nil).
        case tell(StoreError?)
        /// The last action: how many messages and entries are lost, and why if the disk said so.
        case closed(lost: Int, StoreError?)
    }

    /// Between two calls that write.
    static let interval = Duration.milliseconds(500)
    /// How long the start waits for the store.
    static let startLimit = Duration.seconds(2)
    /// Until a store that failed is tried again.
    static let retryInterval = Duration.seconds(5)
    /// Messages and points in one call: what a slow disk needs for it is time that the next one waits.
    static let batchLimit = 2000
    /// The pause of the replay after a transient refusal.
    static let deferral = Duration.seconds(30)
    /// Messages that one call reads.
    static let readLimit = 100
    /// Replayed messages in each interval.
    static let burst = 25
    /// For the last writes.
    static let closingLimit = Duration.milliseconds(1500)

    private enum Call {
        case open
        /// - isFull: there was more than fits.
        case save(entries: [FlightLogEntry], isFull: Bool)
        case load(after: UInt64)
    }

    private var spool = Spool()
    private var records = RecordQueue()
    private var failures = StoreFailures()
    private var call: Call?
    private var isOpen = false
    private var hasStarted = false
    private let startAt: MonotonicTime
    /// From a message's key outside to its key in the store.
    private var keyBase: UInt64 = 0
    private var openAt = MonotonicTime.zero
    private var saveAt = MonotonicTime.zero
    private var loadAt = MonotonicTime.zero
    private var replayAt = MonotonicTime.zero
    private var closeAt: MonotonicTime?
    public private(set) var isClosed = false

    public init(startedAt now: MonotonicTime) {
        startAt = now.advanced(by: Self.startLimit)
    }

    /// Messages that wait for the broker, in the store or for it.
    public var depth: Int { spool.depth }
    /// Messages that the broker had from the store.
    public var replayed: Int { spool.replayed }
    /// Messages and entries that were lost for want of room.
    public var dropped: Int { spool.dropped + records.dropped }

    /// The next message's key.
    public mutating func nextKey() -> UInt64 { spool.nextKey() &- keyBase }

    /// When ``Event/timePassed`` can next change anything; nil when only an answer is waited for.
    public var deadline: MonotonicTime? {
        guard !isClosed else { return nil }
        var deadline = closeAt
        func wait(until time: MonotonicTime) { deadline = min(deadline ?? time, time) }
        if !hasStarted { wait(until: startAt) }
        if call == nil, !isOpen {
            wait(until: openAt)
        } else if call == nil {
            if hasToSave { wait(until: saveAt) }
            if let overdueAt = spool.overdueAt { wait(until: max(saveAt, overdueAt)) }
            if spool.wantsToRead { wait(until: loadAt) }
        }
        if spool.isReplaying(failures) { wait(until: replayAt) }
        return deadline
    }

    private var hasToSave: Bool { spool.hasStaged || !records.isEmpty }

    // MARK: - Events

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        guard !isClosed else { return [] }
        switch event {
        case .opened(let state): return opened(state, now)
        case .sent(let message): spool.sent(stored(message), at: now)
        case .kept(let message): spool.keep(stored(message))
        case .acknowledged(let keys): spool.acknowledged(keys.map { $0 &+ keyBase })
        case .replayRefused(let key): spool.putBack(key &+ keyBase)
        case .deferred(let key):
            spool.putBack(key &+ keyBase)
            replayAt = now.advanced(by: Self.deferral)
        case .recorded(let entry): records.add(entry)
        case .sessionBegan:
            spool.sessionBegan()
            // Let the present go first.
            replayAt = now.advanced(by: Self.interval)
        case .sessionEnded: spool.sessionEnded()
        case .saved(let result): return saved(result, now)
        case .loaded(let messages): return loaded(messages)
        case .failed(let error): return callFailed(error, now)
        case .timePassed: return work(now)
        case .closing:
            spool.sessionEnded()
            closeAt = now.advanced(by: Self.closingLimit)
            (openAt, saveAt) = (now, now)
        }
        return []
    }

    /// With its key in the store.
    private func stored(_ message: SpooledMessage) -> SpooledMessage {
        var message = message
        message.key &+= keyBase
        return message
    }

    private mutating func opened(_ state: StoredState, _ now: MonotonicTime) -> [Action] {
        guard case .open = call else { return [] }
        (call, isOpen, saveAt, loadAt) = (nil, true, now, now)
        failures.isOverdue = false
        keyBase = min(state.lastKey, Spool.highestKey)
        spool.opened(base: keyBase, stored: state.spooled)
        let actions: [Action] = hasStarted ? [.recall(state.memory)] : [.start(state.memory)]
        hasStarted = true
        let hasRecovered = [failures.worked(.reading), failures.worked(.writing)].contains(true)
        return hasRecovered ? actions + [.tell(nil)] : actions
    }

    private mutating func saved(_ result: SaveResult, _ now: MonotonicTime) -> [Action] {
        guard case .save(_, let isFull) = call else { return [] }
        call = nil
        spool.saved(result)
        // There is more of it.
        if isFull || closeAt != nil { saveAt = now }
        return failures.worked(.writing) ? [.tell(nil)] : []
    }

    private mutating func loaded(_ messages: [SpooledMessage]) -> [Action] {
        guard case .load(let after) = call else { return [] }
        call = nil
        // A session that began meanwhile reads from the beginning.
        if after == spool.readFrom { spool.read(messages, isLast: messages.count < Self.readLimit) }
        return failures.worked(.reading) ? [.tell(nil)] : []
    }

    private mutating func callFailed(_ error: StoreError, _ now: MonotonicTime) -> [Action] {
        defer { call = nil }
        switch call {
        case .open:
            openAt = now.advanced(by: Self.retryInterval)
            guard closeAt == nil else { return close(error) }
            return start() + failed(.reading, error, at: now) + failed(.writing, error, at: now)
        case .save(let entries, _):
            spool.savingFailed()
            records.putBack(entries)
            guard closeAt == nil else { return close(error) }
            return failed(.writing, error, at: now)
        case .load: return failed(.reading, error, at: now)
        case nil: return []
        }
    }

    private mutating func failed(_ side: StoreFailures.Side, _ error: StoreError, at now: MonotonicTime) -> [Action] {
        let next = now.advanced(by: Self.retryInterval)
        switch side {
        case .writing: saveAt = next
        case .reading: loadAt = next
        }
        return failures.failed(side, error) ? [.tell(error)] : []
    }

    private mutating func close(_ error: StoreError?) -> [Action] {
        isClosed = true
        let entries = if case .save(let entries, _) = call { entries.count } else { 0 }
        return [.closed(lost: spool.unsavedCount + records.count + (error == nil ? entries : 0), error)]
    }

    /// Without what earlier runs have left.
    private mutating func start() -> [Action] {
        guard !hasStarted else { return [] }
        hasStarted = true
        return [.start(nil)]
    }

    // MARK: - Work

    private mutating func work(_ now: MonotonicTime) -> [Action] {
        let isIdle = !hasToSave && (call == nil || !isOpen)
        if let closeAt, now >= closeAt || isIdle { return close(nil) }
        var actions: [Action] = []
        if !hasStarted, now >= startAt {
            failures.isOverdue = true
            actions += start()
        }
        replay(now, &actions)
        guard isOpen else {
            if call == nil, now >= openAt {
                call = .open
                actions.append(.open)
            }
            return actions
        }
        if call == nil { save(now, &actions) }
        if call == nil, spool.wantsToRead, now >= loadAt {
            call = .load(after: spool.readFrom)
            actions.append(.load(after: spool.readFrom, limit: Self.readLimit))
        }
        return actions
    }

    private mutating func replay(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard now >= replayAt, spool.isReplaying(failures) else { return }
        replayAt = now.advanced(by: Self.interval)
        for _ in 0..<Self.burst {
            guard var message = spool.replayNext(failures, at: now) else { return }
            message.key &-= keyBase
            actions.append(.replay(message))
        }
    }

    private mutating func save(_ now: MonotonicTime, _ actions: inout [Action]) {
        let isDue = hasToSave || spool.overdueAt.map { now >= $0 } ?? false
        // In a flood memory would be full before the next pause is over.
        let isPressed = spool.stagedCount >= Self.batchLimit && failures.isWriting
        guard isDue, now >= saveAt || isPressed else { return }
        let (messages, removals) = spool.nextBatch(limit: Self.batchLimit, at: now)
        let entries = records.next(points: Self.batchLimit)
        let batch = StoreBatch(messages: messages, removals: removals, entries: entries)
        guard !batch.isEmpty else { return }
        saveAt = now.advanced(by: Self.interval)
        call = .save(entries: entries, isFull: hasToSave)
        actions.append(.save(batch))
    }
}
