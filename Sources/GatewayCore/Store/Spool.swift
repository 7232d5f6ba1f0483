import DequeModule
public import ReceiverProtocol

/// Sees to it that nothing is lost which the broker has not acknowledged: keeps such messages, on disk after half a
/// second, and replays them to the history topics when the broker is back. Decides only.
///
/// A message is in one of these places: with the broker (and, when that takes long, on disk as well), staged for the
/// disk, on disk, or being replayed. It leaves with the broker's acknowledgement and in no other way but the bounds.
public struct Spool: Sendable {
    public enum Event: Equatable, Sendable {
        case sessionBegan
        case sessionEnded
        /// The broker has these.
        case acknowledged([UInt64])
        /// The broker's session has no room for a replayed message now.
        case replayRefused(UInt64)
        case stored(dropped: Int)
        case removed
        case loaded([SpooledMessage])
        case storeFailed(StoreError)
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        /// Answered by ``Event/stored(dropped:)`` or ``Event/storeFailed(_:)``; one call to the store at a time.
        case store([SpooledMessage])
        /// Answered by ``Event/removed`` or ``Event/storeFailed(_:)``.
        case remove([UInt64])
        /// Answered by ``Event/loaded(_:)`` or ``Event/storeFailed(_:)``.
        case load(after: UInt64, limit: Int)
        case replay(SpooledMessage)
        /// The store fails, or works again (nil).
        case report(StoreError?)
    }

    /// Seconds that a message may wait for its acknowledgement before it goes to disk.
    static let patience = 0.5
    /// Seconds between two looks at what is to be done.
    static let interval = 0.5
    /// Replayed messages in each interval: 50 a second.
    static let burst = 25
    /// Replayed messages without acknowledgement at a time.
    static let window = 50
    /// Messages kept in memory while the disk takes none; the oldest are dropped beyond.
    static let memoryLimit = 5000
    /// Seconds until a store that failed is tried again.
    static let retryInterval = 5.0

    private struct Flight {
        var message: SpooledMessage
        var since: MonotonicTime
        var isReplay: Bool
        /// It is on disk too, and has to go from there when it is acknowledged.
        var isStored: Bool
    }

    private enum Call {
        case store([UInt64])
        case remove([UInt64])
        case load
    }

    private var lastKey: UInt64
    /// With the broker, not acknowledged.
    private var flights: [UInt64: Flight] = [:]
    /// To be stored.
    private var staged: Deque<SpooledMessage> = []
    /// Acknowledged, but still on disk.
    private var removals: [UInt64] = []
    private var replayQueue: Deque<(message: SpooledMessage, isStored: Bool)> = []
    /// The key up to which this session's replay has read the disk.
    private var cursor: UInt64 = 0
    private var isReplaying = false
    private var call: Call?
    private var failure: StoreError?
    private var retryAt: MonotonicTime?
    private var isConnected = false
    private var dueAt: MonotonicTime?
    /// Messages on disk, those with the broker included.
    private var storedCount: Int
    public private(set) var dropped = 0
    public private(set) var replayed = 0

    /// - Parameters:
    ///   - lastKey: no message has had a higher one.
    ///   - storedCount: messages that wait on disk.
    ///   - failure: why they could not be counted; that is told already.
    public init(lastKey: UInt64, storedCount: Int, failure: StoreError? = nil) {
        self.lastKey = lastKey
        self.storedCount = storedCount
        self.failure = failure
    }

    /// Messages that wait for the broker, on disk or for the disk.
    public var depth: Int {
        max(0, storedCount - removals.count) + staged.count + replayQueue.count { !$0.isStored }
    }

    /// What is in memory only, oldest first.
    public var unsaved: [SpooledMessage] { Array(staged) }
    /// What the broker has, but may still be on disk: the call that is out may not come to its end.
    public var acknowledgedOnDisk: [UInt64] {
        switch call {
        case .remove(let keys): return keys + removals
        case .store(let keys):
            let waiting = Set(staged.map(\.key))
            return keys.filter { flights[$0] == nil && !waiting.contains($0) } + removals
        case .load, nil: return removals
        }
    }

    /// When ``Event/timePassed`` can next change anything; nil when nothing waits.
    public var deadline: MonotonicTime? { dueAt }

    // MARK: - Messages

    /// The next message's key.
    public mutating func nextKey() -> UInt64 {
        lastKey += 1
        return lastKey
    }

    /// It was handed to the broker's session.
    public mutating func sent(_ message: SpooledMessage, at now: MonotonicTime) {
        flights[message.key] = Flight(message: message, since: now, isReplay: false, isStored: false)
        wake(now)
    }

    /// It can't be sent: there is no session, or a newer one took its place.
    public mutating func keep(_ message: SpooledMessage, at now: MonotonicTime) {
        // In order also when one comes late, from a queue in front of the broker.
        let place = staged.lastIndex { $0.key < message.key }.map { $0 + 1 } ?? 0
        staged.insert(message, at: place)
        if staged.count > Self.memoryLimit {
            staged.removeFirst()
            dropped += 1
        }
        wake(now)
    }

    private mutating func wake(_ now: MonotonicTime) {
        if dueAt == nil { dueAt = now.advanced(by: Self.interval) }
    }

    // MARK: - Events

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .sessionBegan:
            isConnected = true
            beginReplay()
        case .sessionEnded: sessionEnded(now)
        case .acknowledged(let keys):
            for key in keys { acknowledged(key) }
            if isBusy { wake(now) } else { dueAt = nil }
            return []
        case .replayRefused(let key):
            if let flight = flights.removeValue(forKey: key) { replayQueue.prepend((flight.message, flight.isStored)) }
            return []
        case .stored(let dropped): stored(dropped, &actions)
        case .removed:
            if case .remove(let keys) = call { storedCount -= keys.count }
            worked(&actions)
        case .loaded(let messages): loaded(messages, &actions)
        case .storeFailed(let error): failed(error, now, &actions)
        case .timePassed:
            guard let dueAt, now >= dueAt else { return [] }
            self.dueAt = nil
            replay(now, &actions)
        }
        callStore(now, &actions)
        if isBusy { wake(now) }
        return actions
    }

    private var isBusy: Bool {
        !staged.isEmpty || !removals.isEmpty || !replayQueue.isEmpty || (isReplaying && isConnected)
            || flights.values.contains { !$0.isStored }
    }

    private mutating func beginReplay() {
        (cursor, isReplaying) = (0, true)
    }

    private mutating func sessionEnded(_ now: MonotonicTime) {
        isConnected = false
        let unsaved =
            flights.values.filter { !$0.isStored }.map(\.message) + replayQueue.filter { !$0.isStored }.map(\.message)
        (flights, replayQueue) = ([:], [])
        for message in unsaved.sorted(by: { $0.key < $1.key }) { keep(message, at: now) }
    }

    private mutating func acknowledged(_ key: UInt64) {
        guard let flight = flights.removeValue(forKey: key) else { return }
        if flight.isReplay { replayed += 1 }
        if flight.isStored { removals.append(key) }
    }

    private mutating func stored(_ dropped: Int, _ actions: inout [Action]) {
        guard case .store(let keys) = call else { return }
        storedCount += keys.count - dropped
        self.dropped += dropped
        let waiting = Set(staged.map(\.key))
        for key in keys {
            if flights[key] != nil {
                flights[key]?.isStored = true
            } else if !waiting.contains(key) {
                removals.append(key)  // Acknowledged while it was being written.
            }
        }
        let written = Set(keys)
        staged.removeAll { written.contains($0.key) }
        if isConnected { beginReplay() }
        worked(&actions)
    }

    private mutating func loaded(_ messages: [SpooledMessage], _ actions: inout [Action]) {
        // A full disk can be read all the same: that proves nothing.
        call = nil
        guard isConnected else { return }
        let gone = Set(removals)
        for message in messages where flights[message.key] == nil && !gone.contains(message.key) {
            replayQueue.append((message, true))
        }
        if let last = messages.last { cursor = last.key } else { isReplaying = false }
    }

    private mutating func worked(_ actions: inout [Action]) {
        call = nil
        guard failure != nil else { return }
        failure = nil
        actions.append(.report(nil))
    }

    /// Somebody else found the disk in order.
    /// - Returns: false when there is something to store here, which will show it by itself.
    public mutating func storeWorks() -> Bool {
        guard staged.isEmpty, removals.isEmpty, call == nil else { return false }
        failure = nil
        return true
    }

    private mutating func failed(_ error: StoreError, _ now: MonotonicTime, _ actions: inout [Action]) {
        if case .remove(let keys) = call { removals = keys + removals }
        call = nil
        retryAt = now.advanced(by: Self.retryInterval)
        if failure?.code != error.code { actions.append(.report(error)) }
        failure = error
    }

    // MARK: - Work

    private mutating func replay(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard isConnected else { return }
        // A disk that takes nothing keeps nobody from what is in memory.
        if failure != nil, replayQueue.isEmpty {
            replayQueue += staged.map { ($0, false) }
            staged = []
        }
        var inFlight = flights.values.count { $0.isReplay }
        for _ in 0..<Self.burst where inFlight < Self.window {
            guard let (message, isStored) = replayQueue.popFirst() else { break }
            flights[message.key] = Flight(message: message, since: now, isReplay: true, isStored: isStored)
            inFlight += 1
            actions.append(.replay(message))
        }
    }

    private mutating func callStore(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard call == nil, retryAt.map({ now >= $0 }) ?? true else { return }
        retryAt = nil
        let late = flights.values.filter { flight in
            !flight.isStored && !flight.isReplay && now >= flight.since.advanced(by: Self.patience)
        }
        let batch = (Array(staged) + late.map(\.message)).sorted { $0.key < $1.key }
        if !batch.isEmpty {
            call = .store(batch.map(\.key))
            actions.append(.store(batch))
        } else if !removals.isEmpty {
            call = .remove(removals)
            actions.append(.remove(removals))
            removals = []
        } else if isConnected, isReplaying, replayQueue.isEmpty {
            call = .load
            actions.append(.load(after: cursor, limit: Self.burst * 4))
        }
    }
}
