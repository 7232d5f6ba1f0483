public import GatewayReports
public import ReceiverProtocol

/// Decides when to write to the store and when to read from it. It writes the messages that the broker has not
/// acknowledged and the flights' entries together. It does no I/O itself: give it events, and perform its actions.
///
/// It makes one call to the store at a time: first ``Action/open``, then ``Action/save(_:)``, ``Action/sync`` or
/// ``Action/load(after:limit:)``. The next call waits for ``Event/opened(_:)``, ``Event/saved(_:)``, ``Event/synced``,
/// ``Event/loaded(_:)`` or ``Event/failed(_:)``.
///
/// Messages and entries have keys of one row. Messages have two keys. Outside, keys count from 1 in each run. In the
/// store they continue those of earlier runs, which are known once it has opened. ``keyBase`` is the difference.
///
/// | situation | action |
/// | --- | --- |
/// | the start | open the store; start the gateway with its memory, or after ``startLimit`` without |
/// | data to write | save at once, but at most every ``interval``; in a flood without pauses |
/// | an acknowledgement takes longer than ``Spool/acknowledgementLimit`` | save the message |
/// | data on disk that a power cut could take back | sync within ``DurabilityTickets/syncInterval`` |
/// | somebody waits for that | save and sync at once; see ``Event/awaited(_:limit:)`` |
/// | the clock is set before the first save | correct the entries that wait; later, tell the store |
/// | a call fails | announce it once, keep everything in memory within its bounds, retry after ``retryInterval`` |
/// | a session begins | read and replay the disk, 50 messages a second, while the broker acknowledges |
/// | a message is older than its bound when its turn comes | drop it |
/// | the end | save everything without pauses, until it is done or fails or ``closingLimit`` is over |
public struct StoreMachine: Sendable {
    /// An event. Only the store's answers and ``timePassed`` return actions.
    public enum Event: Equatable, Sendable {
        /// The store has opened, with the state of earlier runs.
        case opened(StoredState)
        /// The message was handed to the broker's session.
        case sent(SpooledMessage)
        /// The message can't be sent: there is no session, or a newer message replaced it.
        case kept(SpooledMessage)
        /// The broker has acknowledged the messages with these keys.
        case acknowledged([UInt64])
        /// The broker's session has no room for a replayed message now.
        case replayRefused(UInt64)
        /// The broker refused this message with a transient reason. The message and the replay wait for ``deferral``.
        case deferred(UInt64)
        /// An entry to record.
        case recorded(FlightLogEntry)
        /// Somebody waits until a power cut can't take back what was recorded and kept so far. The answer is
        /// ``Action/reached(_:isDurable:)``, within the limit.
        case awaited(UInt64, limit: Duration)
        case sessionBegan
        case sessionEnded
        case saved(SaveResult)
        case synced
        case loaded(SpoolPage)
        case failed(StoreError)
        /// Send this after each turn of the loop and at ``deadline``. Does what is due.
        case timePassed
        /// The session has ended for good. Nothing more will be sent, kept or recorded.
        case closing
    }

    public enum Action: Equatable, Sendable {
        case open
        /// Start the gateway with the memory of earlier runs; nil starts without it.
        case start(GatewayMemory?)
        /// The store has opened after the start: restore this memory.
        case recall(GatewayMemory)
        case save(StoreBatch)
        case sync
        case load(after: UInt64, limit: Int)
        /// The wait with this id has ended. `isDurable` is false if the disk fails or is too slow.
        case reached(UInt64, isDurable: Bool)
        case replay(SpooledMessage)
        /// Announce that the store fails; nil if it works again.
        case tell(StoreError?)
        /// The last action: the number of messages and entries that were not saved, and why; nil if all were.
        case closed(unsaved: Int, Unsaved?)
    }

    /// Why the end left data of this run unsaved. What the store holds stays in each case.
    public enum Unsaved: Equatable, Sendable, CustomStringConvertible {
        case failed(StoreError)
        /// The store has not opened, perhaps because it brings its tables to this version. The next start goes on.
        case opening
        /// A save takes too long. Whether it succeeds is unknown.
        case slow

        public var description: String {
            switch self {
            case .failed(let error): error.description
            case .opening: "the store was still opening; what it holds stays, and the next start goes on with it"
            case .slow: "the disk is too slow"
            }
        }
    }

    /// The least time between two saves.
    static let interval = Duration.milliseconds(500)
    /// How long the start waits for the store.
    static let startLimit = Duration.seconds(2)
    /// The time until a failed store is tried again.
    static let retryInterval = Duration.seconds(5)
    /// The most messages and points of one save. On a slow disk the next save waits for it.
    static let batchLimit = 2000
    /// The pause of the replay after a transient refusal.
    static let deferral = Duration.seconds(30)
    /// The most messages that one call reads.
    static let readLimit = 100
    /// The most messages replayed in each interval.
    static let burst = 25
    /// The time limit of the last saves.
    static let closingLimit = Duration.milliseconds(1500)

    private enum Call {
        case open
        /// - isFull: more entries wait than fit.
        case save(entries: [RecordQueue.Item], isFull: Bool, since: MonotonicTime)
        case sync
        case load(after: UInt64)
    }

    private var spool: Spool
    private var records = RecordQueue()
    private var failures = StoreFailures()
    private var tickets = DurabilityTickets()
    private var call: Call?
    private var isOpen = false
    private var hasStarted = false
    /// The store may have entries of this run.
    private var hasSaved = false
    private let startAt: MonotonicTime
    /// A message's key in the store minus its key outside.
    private var keyBase: UInt64 = 0
    private var openAt = MonotonicTime.zero
    private var saveAt = MonotonicTime.zero
    private var loadAt = MonotonicTime.zero
    private var replayAt = MonotonicTime.zero
    private var closeAt: MonotonicTime?
    public private(set) var isClosed = false

    /// - Parameter messageAge: a message that is older is not sent any more.
    public init(startedAt now: MonotonicTime, messageAge: Duration) {
        spool = Spool(messageAge: messageAge)
        startAt = now.advanced(by: Self.startLimit)
    }

    /// The number of messages that wait for the broker.
    public var depth: Int { spool.depth }
    /// The number of replayed messages that the broker has acknowledged.
    public var replayed: Int { spool.replayed }
    /// The number of messages and entries that were dropped at the bounds.
    public var dropped: Int { spool.dropped + records.dropped }

    /// The next message's key.
    public mutating func nextKey() -> UInt64 { spool.nextKey() &- keyBase }

    /// When to send ``Event/timePassed`` next; nil if only an answer of the store is awaited.
    public var deadline: MonotonicTime? {
        guard !isClosed else { return nil }
        var deadline = closeAt
        func wait(until time: MonotonicTime) { deadline = .earliest(deadline, time) }
        if !hasStarted { wait(until: startAt) }
        if let endsAt = tickets.endsAt { wait(until: endsAt) }
        if call == nil, !isOpen {
            wait(until: openAt)
        } else if call == nil {
            if hasToSave { wait(until: saveAt) }
            if let overdueAt = spool.overdueAt { wait(until: max(saveAt, overdueAt)) }
            if let syncAt = tickets.syncAt(unsaved) { wait(until: syncAt) }
            if spool.wantsToRead { wait(until: loadAt) }
        }
        if spool.isReplaying(failures) { wait(until: replayAt) }
        return deadline
    }

    private var hasToSave: Bool { spool.hasStaged || !records.isEmpty }
    /// The lowest key that waits for a save.
    private var unsaved: UInt64 { min(records.oldestKey, spool.oldestStagedKey) }

    // MARK: - Events

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        guard !isClosed else { return [] }
        switch event {
        case .opened(let state): return opened(state, now)
        case .sent(let message): spool.sent(stored(message), at: now)
        case .kept(let message): spool.keep(stored(message), at: now)
        case .acknowledged(let keys): spool.acknowledged(keys.map { $0 &+ keyBase })
        case .replayRefused(let key): spool.putBack(key &+ keyBase)
        case .deferred(let key):
            spool.putBack(key &+ keyBase)
            replayAt = now.advanced(by: Self.deferral)
        case .recorded(let entry): record(entry)
        case .awaited(let id, let limit):
            tickets.add(id, key: spool.newestKey, endsAt: now.advanced(by: limit))
        case .sessionBegan:
            spool.sessionBegan()
            // Let the live messages go first.
            replayAt = now.advanced(by: Self.interval)
        case .sessionEnded: spool.sessionEnded()
        case .saved(let result): return saved(result, now)
        case .synced: return synced()
        case .loaded(let page): return loaded(page, now)
        case .failed(let error): return callFailed(error, now)
        case .timePassed: return work(now)
        case .closing:
            spool.sessionEnded()
            closeAt = now.advanced(by: Self.closingLimit)
            (openAt, saveAt) = (now, now)
        }
        return []
    }

    /// Before the first save all of this run's entries wait here. Then a set clock changes these, and the store does not
    /// learn of it: earlier runs were recorded with the right clock, and their times may overlap with those of this run.
    private mutating func record(_ entry: FlightLogEntry) {
        if !hasSaved, case .clockSet(let step) = entry {
            records.correct(by: step)
        } else {
            records.add(entry, key: spool.nextKey())
        }
    }

    /// The message with its key in the store.
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
        records.moveKeys(by: keyBase)
        tickets.moveKeys(by: keyBase)
        let actions: [Action] = hasStarted ? [.recall(state.memory)] : [.start(state.memory)]
        hasStarted = true
        let hasRecovered = [failures.worked(.reading), failures.worked(.writing)].contains(true)
        return hasRecovered ? actions + [.tell(nil)] : actions
    }

    private mutating func saved(_ result: SaveResult, _ now: MonotonicTime) -> [Action] {
        guard case .save(_, let isFull, let since) = call else { return [] }
        call = nil
        spool.saved(result)
        tickets.saved(begunAt: since)
        // More entries wait, so save again at once.
        if isFull || closeAt != nil { saveAt = now }
        return failures.worked(.writing) ? [.tell(nil)] : []
    }

    private mutating func synced() -> [Action] {
        guard case .sync = call else { return [] }
        call = nil
        tickets.synced()
        return failures.worked(.syncing) ? [.tell(nil)] : []
    }

    private mutating func loaded(_ page: SpoolPage, _ now: MonotonicTime) -> [Action] {
        guard case .load(let after) = call else { return [] }
        call = nil
        spool.deleted(page.dropped)
        // If a session began meanwhile, the replay reads from the beginning, so ignore these messages.
        if after == spool.readFrom { spool.read(page, isLast: page.messages.count < Self.readLimit, at: now) }
        return failures.worked(.reading) ? [.tell(nil)] : []
    }

    private mutating func callFailed(_ error: StoreError, _ now: MonotonicTime) -> [Action] {
        defer { call = nil }
        switch call {
        case .open:
            openAt = now.advanced(by: Self.retryInterval)
            guard closeAt == nil else { return close(error) }
            return start() + failed(.reading, error, at: now) + failed(.writing, error, at: now)
        case .save(let entries, _, _):
            spool.savingFailed()
            records.putBack(entries)
            guard closeAt == nil else { return close(error) }
            return failed(.writing, error, at: now)
        case .sync:
            guard closeAt == nil else { return close(error) }
            return failed(.syncing, error, at: now)
        case .load: return failed(.reading, error, at: now)
        case nil: return []
        }
    }

    private mutating func failed(_ side: StoreFailures.Side, _ error: StoreError, at now: MonotonicTime) -> [Action] {
        let next = now.advanced(by: Self.retryInterval)
        switch side {
        case .writing: saveAt = next
        case .syncing: tickets.syncFailed(retryAt: next)
        case .reading: loadAt = next
        }
        return failures.failed(side, error) ? [.tell(error)] : []
    }

    private mutating func close(_ error: StoreError?) -> [Action] {
        isClosed = true
        let entries = if case .save(let entries, _, _) = call { entries.count } else { 0 }
        let unsaved = spool.unsavedCount + records.count + (error == nil ? entries : 0)
        let slowness: Unsaved? = unsaved == 0 ? nil : isOpen ? .slow : .opening
        return endAll() + [.closed(unsaved: unsaved, error.map { .failed($0) } ?? slowness)]
    }

    /// Starts the gateway without the memory of earlier runs.
    private mutating func start() -> [Action] {
        guard !hasStarted else { return [] }
        hasStarted = true
        return [.start(nil)]
    }

    // MARK: - Work

    private mutating func work(_ now: MonotonicTime) -> [Action] {
        let isIdle = !hasToSave && tickets.unsyncedSince == nil && (call == nil || !isOpen)
        if let closeAt, now >= closeAt || isIdle { return close(nil) }
        var actions = endTickets(now)
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
        if call == nil, let syncAt = tickets.syncAt(unsaved), now >= syncAt || closeAt != nil && !hasToSave {
            call = .sync
            actions.append(.sync)
        }
        if call == nil { save(now, &actions) }
        if call == nil, spool.wantsToRead, now >= loadAt {
            call = .load(after: spool.readFrom)
            actions.append(.load(after: spool.readFrom, limit: Self.readLimit))
        }
        return actions
    }

    /// Ends the waits for data that the disk has, and those whose time is over.
    private mutating func endTickets(_ now: MonotonicTime) -> [Action] {
        guard !tickets.isEmpty else { return [] }
        if !failures.isSyncing { return endAll() }
        let isSaving = if case .save = call { true } else { false }
        let reached = isSaving ? [] : tickets.reached(unsaved)
        return reached.map { .reached($0, isDurable: true) }
            + tickets.expired(at: now).map { .reached($0, isDurable: false) }
    }

    private mutating func endAll() -> [Action] { tickets.failed().map { .reached($0, isDurable: false) } }

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
        let isDue = hasToSave || now.hasReached(spool.overdueAt)
        // In a flood memory would be full before the next interval ends, so save at once.
        let isPressed = spool.stagedCount >= Self.batchLimit && failures.isWriting
        let isAwaited = !tickets.isEmpty && hasToSave && failures.isWriting
        guard isDue, now >= saveAt || isPressed || isAwaited else { return }
        let (messages, removals) = spool.nextBatch(limit: Self.batchLimit, at: now)
        let entries = records.next(points: Self.batchLimit)
        let batch = StoreBatch(messages: messages, removals: removals, entries: entries.map(\.entry))
        guard !batch.isEmpty else { return }
        saveAt = now.advanced(by: Self.interval)
        call = .save(entries: entries, isFull: hasToSave, since: now)
        hasSaved = true
        actions.append(.save(batch))
    }
}
