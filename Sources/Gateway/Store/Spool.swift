import DequeModule
import FlightMath
import ReceiverProtocol

/// Keeps the messages that the broker has not acknowledged, so that none is lost. It saves them to disk within a
/// second, and replays them to the history topics, oldest first, when the broker is back. A part of ``StoreMachine``.
///
/// | a message is | until |
/// | --- | --- |
/// | in flight: sent to the broker | it is acknowledged, or the session ends; an overdue one is on disk, too |
/// | staged: in memory only | it is saved, or, if the disk fails, replayed |
/// | being saved | the disk answers; it may be in flight, too |
/// | on disk | it is replayed and acknowledged |
/// | in the replay queue: read from the disk, and still on it | the window has room |
///
/// A message leaves the spool only when the broker acknowledges it, or at a bound. Of answers to commands the newest
/// ``SpooledMessage/mostAnswers`` stay.
struct Spool: Sendable {
    /// A message whose acknowledgement takes longer is overdue: the next save writes it.
    static let acknowledgementLimit = Duration.milliseconds(400)
    /// The most replayed messages without acknowledgement.
    static let window = 50
    /// The highest key that the gateway accepts from a store. No gateway reaches it, and adding to it can't overflow.
    static let highestKey: UInt64 = 1 << 60
    /// The most staged messages. Beyond that the oldest are dropped. Messages that are being saved do not count.
    static let memoryLimit = 5000

    private struct Flight {
        var message: SpooledMessage
        var isReplay: Bool
        /// The message is on disk, too, and must be deleted there when it is acknowledged.
        var isStored: Bool
    }

    /// The content of the save in progress.
    private struct Saving {
        var messages: [SpooledMessage] = []
        var keys: Set<UInt64> = []
        var removals: [UInt64] = []
        /// The messages of this save that were acknowledged meanwhile. They must be deleted from the disk.
        var acknowledged: Set<UInt64> = []
        /// The lowest key of the messages that are not in flight.
        var oldest = UInt64.max
        /// The messages in flight, with the time when they were sent.
        var overdue: [(key: UInt64, since: MonotonicTime)] = []
    }

    private var lastKey: UInt64 = 0
    private var flights: [UInt64: Flight] = [:]
    /// The messages in flight that are not on disk, in the order of their times. It may also hold keys of messages that
    /// were acknowledged or saved meanwhile.
    private var unsaved: Deque<(key: UInt64, since: MonotonicTime)> = []
    private var replaysInFlight = 0
    /// In the order of keys.
    private var staged: Deque<SpooledMessage> = []
    private var saving = Saving()
    /// The keys of messages that are acknowledged, but still on disk. There are at most as many as the disk may hold.
    private var removals: Set<UInt64> = []
    /// The replay queue, in the order of keys.
    private var queue: Deque<SpooledMessage> = []
    /// The key up to which this session's replay has read the disk.
    private var cursor: UInt64 = 0
    /// The disk may hold messages after the cursor.
    private var isUnread = false
    private var isConnected = false
    /// The number of messages on disk, with those in flight.
    private var stored = 0
    private(set) var dropped = 0
    private(set) var replayed = 0

    /// The number of messages that wait for the broker, on disk or in memory.
    var depth: Int {
        max(0, stored - removals.count - saving.removals.count) + staged.count + saving.messages.count
            - saving.acknowledged.count
    }

    /// The highest key so far.
    var newestKey: UInt64 { lastKey }
    /// The lowest key of the messages that wait for a save.
    var oldestStagedKey: UInt64 { staged.first?.key ?? .max }

    /// The number of messages that are neither in flight nor known to be on disk.
    var unsavedCount: Int { staged.count + saving.messages.count - saving.acknowledged.count }

    /// The store has opened. Messages of this run get keys above those in the store.
    /// - Parameters:
    ///   - base: the highest key that the store has used.
    ///   - stored: the number of messages that wait in the store.
    mutating func opened(base: UInt64, stored: Int) {
        func moved(_ message: SpooledMessage) -> SpooledMessage {
            var message = message
            message.key += base
            return message
        }
        lastKey += base
        staged = Deque(staged.map(moved))
        unsaved = Deque(unsaved.map { ($0.key + base, $0.since) })
        let known = flights.values.map { Flight(message: moved($0.message), isReplay: $0.isReplay, isStored: false) }
        flights = Dictionary(known.map { ($0.message.key, $0) }) { $1 }
        self.stored = stored
        if isConnected { (cursor, isUnread) = (0, stored != 0) }
    }

    // MARK: - Messages

    mutating func nextKey() -> UInt64 {
        lastKey += 1
        return lastKey
    }

    /// The message was handed to the broker's session.
    mutating func sent(_ message: SpooledMessage, at now: MonotonicTime) {
        fly(message, isReplay: false, isStored: false, at: now)
    }

    private mutating func fly(_ message: SpooledMessage, isReplay: Bool, isStored: Bool, at now: MonotonicTime) {
        flights[message.key] = Flight(message: message, isReplay: isReplay, isStored: isStored)
        if isReplay { replaysInFlight += 1 }
        if !isStored { unsaved.append((message.key, now)) }
    }

    /// The message can't be sent: there is no session, or a newer message replaced it.
    mutating func keep(_ message: SpooledMessage) {
        stage(message)
        if message.isAnswer { dropOldestAnswers() }
        dropOldest()
    }

    /// Inserts a message in the order of keys. It may come late, from the queue in front of the broker.
    private mutating func stage(_ message: SpooledMessage) {
        var place = staged.endIndex
        while place > staged.startIndex, staged[place - 1].key > message.key { place -= 1 }
        staged.insert(message, at: place)
    }

    /// Inserts many messages in the order of keys.
    private mutating func stage(contentsOf messages: [SpooledMessage]) {
        guard !messages.isEmpty else { return }
        staged = Deque((messages + staged).sorted { $0.key < $1.key })
        dropOldestAnswers()
        dropOldest()
    }

    private mutating func dropOldest() {
        while staged.count > Self.memoryLimit {
            staged.removeFirst()
            dropped += 1
        }
    }

    private mutating func dropOldestAnswers() {
        let answers = staged.indices.filter { staged[$0].isAnswer }
        for index in answers.dropLast(SpooledMessage.mostAnswers).reversed() {
            staged.remove(at: index)
            dropped += 1
        }
    }

    /// The broker has acknowledged these messages.
    mutating func acknowledged(_ keys: [UInt64]) {
        for key in keys {
            guard let flight = flights.removeValue(forKey: key) else { continue }
            if flight.isReplay {
                replaysInFlight -= 1
                replayed += 1
            }
            if flight.isStored {
                removals.insert(key)
            } else if saving.keys.contains(key) {
                saving.acknowledged.insert(key)
            }
        }
        while let first = unsaved.first, isSafe(first.key) { unsaved.removeFirst() }
    }

    private func isSafe(_ key: UInt64) -> Bool { flights[key].map(\.isStored) ?? true }

    // MARK: - The session

    mutating func sessionBegan() {
        isConnected = true
        (cursor, isUnread) = (0, stored != 0)
    }

    mutating func sessionEnded() {
        isConnected = false
        let orphans = flights.values.filter { !$0.isStored && !saving.keys.contains($0.message.key) }.map(\.message)
        (flights, unsaved, queue, replaysInFlight) = ([:], [], [], 0)
        saving.oldest = saving.messages.first?.key ?? .max
        stage(contentsOf: orphans)
    }

    // MARK: - The disk

    /// The number of messages that are only in memory and not being saved.
    var stagedCount: Int { staged.count }
    /// Whether something waits for the next save.
    var hasStaged: Bool { !staged.isEmpty || !removals.isEmpty }
    /// When the oldest message in flight that is not on disk becomes overdue; nil if all are on disk.
    var overdueAt: MonotonicTime? { unsaved.first?.since.advanced(by: Self.acknowledgementLimit) }

    /// The messages and removals to save now. Call ``saved(_:)`` or ``savingFailed()`` afterwards.
    mutating func nextBatch(limit: Int, at now: MonotonicTime) -> (messages: [SpooledMessage], removals: [UInt64]) {
        saving = Saving()
        while saving.messages.count < limit, let overdueAt, now >= overdueAt, let (key, since) = unsaved.popFirst() {
            guard let flight = flights[key], !flight.isStored else { continue }
            saving.messages.append(flight.message)
            saving.overdue.append((key, since))
        }
        saving.oldest = staged.first?.key ?? .max
        while saving.messages.count < limit, let message = staged.popFirst() { saving.messages.append(message) }
        saving.messages.sort { $0.key < $1.key }
        saving.keys = Set(saving.messages.map(\.key))
        saving.removals = Array(removals.sorted().prefix(limit))
        removals.subtract(saving.removals)
        return (saving.messages, saving.removals)
    }

    mutating func saved(_ result: SaveResult) {
        stored = result.spooled
        dropped += result.dropped
        for message in saving.messages {
            if saving.acknowledged.contains(message.key) {
                removals.insert(message.key)
            } else if flights[message.key] != nil {
                flights[message.key]?.isStored = true
            } else if isConnected {
                (cursor, isUnread) = (min(cursor, message.key - min(1, message.key)), true)
            }
        }
        saving = Saving()
        // These messages will be read again, after the older ones.
        queue.removeAll { $0.key > cursor }
    }

    mutating func savingFailed() {
        removals.formUnion(saving.removals)
        unsaved.prepend(contentsOf: saving.overdue.filter { !isSafe($0.key) })
        let lost = saving.messages.filter { flights[$0.key] == nil && !saving.acknowledged.contains($0.key) }
        saving = Saving()
        stage(contentsOf: lost)
    }

    /// Whether the replay must read more from the disk.
    var wantsToRead: Bool { isConnected && isUnread && queue.isEmpty }
    /// Read messages with higher keys than this.
    var readFrom: UInt64 { cursor }

    /// The disk's messages after ``readFrom`` have been read.
    /// - Parameter isLast: whether there are no more.
    mutating func read(_ messages: [SpooledMessage], isLast: Bool) {
        guard isConnected else { return }
        // The broker may have refused a replayed message meanwhile, which is in the queue again.
        let waiting = Set(queue.map(\.key))
        let new = messages.filter {
            flights[$0.key] == nil && !removals.contains($0.key) && !waiting.contains($0.key)
        }
        queue = Deque((queue + new).sorted { $0.key < $1.key })
        cursor = messages.last?.key ?? cursor
        isUnread = !isLast
    }

    // MARK: - The replay

    /// Whether a replay is in progress, or will begin without a further message.
    /// - Parameter failures: if the disk fails, messages are replayed from memory.
    func isReplaying(_ failures: StoreFailures) -> Bool {
        isConnected && (replaysInFlight > 0 || next(failures) != nil)
    }

    /// The next message to replay; nil if there is none or the window is full.
    mutating func replayNext(_ failures: StoreFailures, at now: MonotonicTime) -> SpooledMessage? {
        guard isConnected, replaysInFlight < Self.window, let source = next(failures) else { return nil }
        guard let message = source == .disk ? queue.popFirst() : staged.popFirst() else { return nil }
        fly(message, isReplay: true, isStored: source == .disk, at: now)
        return message
    }

    /// The broker or the session does not accept this message now.
    mutating func putBack(_ key: UInt64) {
        guard let flight = flights.removeValue(forKey: key) else { return }
        if flight.isReplay { replaysInFlight -= 1 }
        if flight.isStored {
            queue = Deque((queue + [flight.message]).sorted { $0.key < $1.key })
        } else if !saving.keys.contains(key) {
            stage(contentsOf: [flight.message])
        }
    }

    private enum Source {
        case disk, memory
    }

    /// The lowest key of the live messages in flight. If the session ends before the broker acknowledges one, it must be
    /// replayed before those that are newer, so these wait for its acknowledgement.
    private var oldestLive: UInt64 { flights.values.lazy.filter { !$0.isReplay }.map(\.message.key).min() ?? .max }

    /// Where the next message is, in the order of keys. Messages in memory are replayed only if the disk accepts no
    /// writes; otherwise the replay waits until they are saved. They come after older messages on disk, unless the disk
    /// can't be read either.
    private func next(_ failures: StoreFailures) -> Source? {
        let read = queue.first?.key ?? .max
        let held = min(staged.first?.key ?? .max, saving.oldest)
        let oldest = min(read, held)
        guard oldest < .max, oldest < oldestLive else { return nil }
        if read < held { return .disk }
        guard !failures.isWriting, staged.first?.key == oldest else { return nil }
        return read < .max || !isUnread || oldest <= cursor || !failures.isReading ? .memory : nil
    }
}
