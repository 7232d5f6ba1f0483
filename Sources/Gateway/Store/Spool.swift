import DequeModule
import FlightMath
import ReceiverProtocol

/// Sees to it that nothing is lost which the broker has not acknowledged: keeps such messages, on disk after a
/// second, and replays them to the history topics, oldest first, when the broker is back. A part of ``StoreMachine``.
///
/// | a message is | until |
/// | --- | --- |
/// | in flight: with the broker | it is acknowledged, or the session ends; an overdue one is on disk as well |
/// | staged: in memory only | it is saved, or, where the disk takes none, replayed |
/// | being saved | the disk answers; it may be in flight as well |
/// | on disk | it is replayed and acknowledged |
/// | in the replay queue: read from the disk, still on it | the window has room |
///
/// It leaves with the broker's acknowledgement and in no other way but the bounds.
struct Spool: Sendable {
    /// A message whose acknowledgement takes longer is overdue: the next save writes it.
    static let acknowledgementLimit = Duration.milliseconds(400)
    /// Replayed messages without acknowledgement at a time.
    static let window = 50
    /// Of those that a store may name: far above what a gateway ever reaches, far below where counting ends.
    static let highestKey: UInt64 = 1 << 60
    /// Messages in memory only, those not counted that are being saved; the oldest are dropped beyond.
    static let memoryLimit = 5000

    private struct Flight {
        var message: SpooledMessage
        var isReplay: Bool
        /// It is on disk too, and has to go from there when it is acknowledged.
        var isStored: Bool
    }

    /// What one call saves.
    private struct Saving {
        var messages: [SpooledMessage] = []
        var keys: Set<UInt64> = []
        var removals: [UInt64] = []
        /// Of its messages; they have to go from the disk again.
        var acknowledged: Set<UInt64> = []
        /// Of those that are not with the broker.
        var oldest = UInt64.max
        /// Those in flight, with the time of their sending.
        var overdue: [(key: UInt64, since: MonotonicTime)] = []
    }

    private var lastKey: UInt64 = 0
    private var flights: [UInt64: Flight] = [:]
    /// Those in flight that are not on disk, and more that were; in the order of their times.
    private var unsaved: Deque<(key: UInt64, since: MonotonicTime)> = []
    private var replaysInFlight = 0
    /// By key.
    private var staged: Deque<SpooledMessage> = []
    private var saving = Saving()
    /// Acknowledged, but still on disk; as many as the disk may hold.
    private var removals: Set<UInt64> = []
    /// By key.
    private var queue: Deque<SpooledMessage> = []
    /// The key up to which this session's replay has read the disk.
    private var cursor: UInt64 = 0
    /// There may be messages on disk behind the cursor.
    private var isUnread = false
    private var isConnected = false
    /// Messages on disk, those in flight included.
    private var stored = 0
    private(set) var dropped = 0
    private(set) var replayed = 0

    /// Messages that wait for the broker, on disk or for the disk.
    var depth: Int {
        max(0, stored - removals.count - saving.removals.count) + staged.count + saving.messages.count
            - saving.acknowledged.count
    }

    /// Messages that are not known to be on disk, nor with the broker.
    var unsavedCount: Int { staged.count + saving.messages.count - saving.acknowledged.count }

    /// The store has opened. Its keys come first: messages that came before get keys behind them.
    /// - Parameters:
    ///   - base: no message in the store has had a higher key.
    ///   - stored: messages that wait there.
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

    /// It was handed to the broker's session.
    mutating func sent(_ message: SpooledMessage, at now: MonotonicTime) {
        fly(message, isReplay: false, isStored: false, at: now)
    }

    private mutating func fly(_ message: SpooledMessage, isReplay: Bool, isStored: Bool, at now: MonotonicTime) {
        flights[message.key] = Flight(message: message, isReplay: isReplay, isStored: isStored)
        if isReplay { replaysInFlight += 1 }
        if !isStored { unsaved.append((message.key, now)) }
    }

    /// It can't be sent: there is no session, or a newer one took its place.
    mutating func keep(_ message: SpooledMessage) {
        stage(message)
        dropOldest()
    }

    /// In order also when one comes late, from a queue in front of the broker.
    private mutating func stage(_ message: SpooledMessage) {
        var place = staged.endIndex
        while place > staged.startIndex, staged[place - 1].key > message.key { place -= 1 }
        staged.insert(message, at: place)
    }

    /// Many at once, by key.
    private mutating func stage(contentsOf messages: [SpooledMessage]) {
        guard !messages.isEmpty else { return }
        staged = Deque((messages + staged).sorted { $0.key < $1.key })
        dropOldest()
    }

    private mutating func dropOldest() {
        while staged.count > Self.memoryLimit {
            staged.removeFirst()
            dropped += 1
        }
    }

    /// The broker has these.
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

    /// Messages in memory only that no call has taken.
    var stagedCount: Int { staged.count }
    /// Something waits for the next save.
    var hasStaged: Bool { !staged.isEmpty || !removals.isEmpty }
    /// When the oldest message in flight that is not on disk is overdue; nil if all are on disk.
    var overdueAt: MonotonicTime? { unsaved.first?.since.advanced(by: Self.acknowledgementLimit) }

    /// What is to go to disk now; to be answered by ``saved(_:)`` or ``savingFailed()``.
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
        // Read again, behind what is older.
        queue.removeAll { $0.key > cursor }
    }

    mutating func savingFailed() {
        removals.formUnion(saving.removals)
        unsaved.prepend(contentsOf: saving.overdue.filter { !isSafe($0.key) })
        let lost = saving.messages.filter { flights[$0.key] == nil && !saving.acknowledged.contains($0.key) }
        saving = Saving()
        stage(contentsOf: lost)
    }

    /// The disk is to be read on, for the replay.
    var wantsToRead: Bool { isConnected && isUnread && queue.isEmpty }
    /// The key behind which.
    var readFrom: UInt64 { cursor }

    /// What lies behind ``readFrom``.
    /// - Parameter isLast: there is no more.
    mutating func read(_ messages: [SpooledMessage], isLast: Bool) {
        guard isConnected else { return }
        // The broker may have refused a replay meanwhile, which waits again.
        let waiting = Set(queue.map(\.key))
        let new = messages.filter {
            flights[$0.key] == nil && !removals.contains($0.key) && !waiting.contains($0.key)
        }
        queue = Deque((queue + new).sorted { $0.key < $1.key })
        cursor = messages.last?.key ?? cursor
        isUnread = !isLast
    }

    // MARK: - The replay

    /// Something is being replayed, or will be without a further message.
    /// - Parameter failures: where the disk takes nothing, memory is replayed.
    func isReplaying(_ failures: StoreFailures) -> Bool {
        isConnected && (replaysInFlight > 0 || next(failures) != nil)
    }

    /// The next message for the broker; nil when there is none or the window is full.
    mutating func replayNext(_ failures: StoreFailures, at now: MonotonicTime) -> SpooledMessage? {
        guard isConnected, replaysInFlight < Self.window, let source = next(failures) else { return nil }
        guard let message = source == .disk ? queue.popFirst() : staged.popFirst() else { return nil }
        fly(message, isReplay: true, isStored: source == .disk, at: now)
        return message
    }

    /// The broker or its session does not take it now.
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

    /// By key, wherever it is. Memory is replayed only where the disk takes nothing, and not before what the disk still
    /// holds that is older; what the disk will take is waited for. Only a disk that can't even be read keeps nobody
    /// from what is in memory.
    private func next(_ failures: StoreFailures) -> Source? {
        let read = queue.first?.key ?? .max
        let held = min(staged.first?.key ?? .max, saving.oldest)
        if read < held { return .disk }
        guard !failures.isWriting, let oldest = staged.first?.key, oldest == held else { return nil }
        return read < .max || !isUnread || oldest <= cursor || !failures.isReading ? .memory : nil
    }
}
