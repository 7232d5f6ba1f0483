import DequeModule
import FlightMath
import ReceiverProtocol

/// Keeps the messages that the broker has not acknowledged, so that none is lost. It saves them to disk within a
/// second, and replays them to the history topics, oldest first, when the broker is back. A part of ``StoreMachine``.
///
/// It is one list by key. Each message has two marks: what the disk has of it, and what the broker has.
///
/// | disk | broker | the message |
/// | --- | --- | --- |
/// | none | waiting | is saved next, or, if the disk fails, replayed from memory |
/// | none | under way | is saved when its acknowledgement is overdue |
/// | being saved | waiting, under way, acknowledged | stays so until the disk answers |
/// | on disk | waiting | was read back, and is replayed when the window has room |
/// | on disk | under way | stays on disk until it is acknowledged |
/// | on disk | acknowledged | is deleted there with the next save |
/// | being deleted | acknowledged | stays so until the disk answers |
///
/// A message leaves the list when it is acknowledged and not on disk, or when only the disk needs it, and at a bound. Of
/// answers to commands the newest ``SpooledMessage/mostAnswers`` stay. A message that is too old is not replayed.
struct Spool: Sendable {
    /// A message whose acknowledgement takes longer is overdue: the next save writes it.
    static let acknowledgementLimit = Duration.milliseconds(400)
    /// The most replayed messages without acknowledgement.
    static let window = 50
    /// The highest key that the gateway accepts from a store. No gateway reaches it, and adding to it can't overflow.
    static let highestKey: UInt64 = 1 << 60
    /// The most messages that wait in memory. Beyond that the oldest are dropped. Messages that are being saved do not
    /// count.
    static let memoryLimit = 5000

    private enum Disk {
        case absent, beingSaved, has, beingDeleted
    }

    private enum Delivery {
        case waiting, live, replay, acknowledged

        var isUnderWay: Bool { self == .live || self == .replay }
    }

    private struct State: Hashable {
        var disk: Disk
        var delivery: Delivery

        /// The message is only in memory, and waits.
        var isStaged: Bool { disk == .absent && delivery == .waiting }
    }

    private struct Entry {
        /// Without its text once it is acknowledged.
        var message: SpooledMessage
        var state: State
        /// Then it is too old to be replayed; nil if its age is unknown.
        var expiresAt: MonotonicTime?
        /// When it was handed to the broker's session, if it is under way.
        var sentAt = MonotonicTime.zero

        func isOverdue(at now: MonotonicTime) -> Bool {
            state.disk == .absent && state.delivery.isUnderWay && now >= sentAt.advanced(by: Spool.acknowledgementLimit)
        }
    }

    /// How old a message may become.
    private let messageAge: Duration
    private var lastKey: UInt64 = 0
    /// In the order of keys.
    private var list: Deque<Entry> = []
    /// The number of messages in each state.
    private var counts: [State: Int] = [:]
    /// The key up to which this session's replay has read the disk.
    private var cursor: UInt64 = 0
    /// The disk may hold messages after the cursor.
    private var isUnread = false
    private var isConnected = false
    /// The number of messages on disk, with those under way.
    private var stored = 0
    private(set) var dropped = 0
    private(set) var replayed = 0

    init(messageAge: Duration) { self.messageAge = messageAge }

    private func count(_ disk: Disk, _ delivery: Delivery) -> Int {
        counts[State(disk: disk, delivery: delivery)] ?? 0
    }

    /// The number of messages that wait for the broker, on disk or in memory.
    var depth: Int {
        max(0, stored - count(.has, .acknowledged) - count(.beingDeleted, .acknowledged)) + unsavedCount
    }

    /// The highest key so far.
    var newestKey: UInt64 { lastKey }
    /// The lowest key of the messages that wait for a save.
    var oldestStagedKey: UInt64 {
        guard stagedCount > 0 else { return .max }
        return list.first(where: \.state.isStaged)?.message.key ?? .max
    }

    /// The number of messages that are neither under way nor known to be on disk.
    var unsavedCount: Int {
        stagedCount + count(.beingSaved, .waiting) + count(.beingSaved, .live) + count(.beingSaved, .replay)
    }

    /// The store has opened. Messages of this run get keys above those in the store.
    /// - Parameters:
    ///   - base: the highest key that the store has used.
    ///   - stored: the number of messages that wait in the store.
    mutating func opened(base: UInt64, stored: Int) {
        lastKey += base
        for index in list.indices { list[index].message.key += base }
        self.stored = stored
        if isConnected { (cursor, isUnread) = (0, stored != 0) }
    }

    // MARK: - The list

    /// The place of a key, or where it belongs.
    private func place(of key: UInt64) -> (index: Int, isThere: Bool) {
        var (low, high) = (list.startIndex, list.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if list[middle].message.key < key { low = middle + 1 } else { high = middle }
        }
        return (low, low < list.endIndex && list[low].message.key == key)
    }

    /// Adds a message whose key is not in the list.
    private mutating func insert(_ entry: Entry) {
        list.insert(entry, at: place(of: entry.message.key).index)
        counts[entry.state, default: 0] += 1
    }

    private mutating func remove(at index: Int) {
        counts[list[index].state, default: 0] -= 1
        list.remove(at: index)
    }

    private mutating func change(_ index: Int, to state: State) {
        counts[list[index].state, default: 0] -= 1
        counts[state, default: 0] += 1
        list[index].state = state
    }

    /// Gives each message its next state. Nil removes it.
    private mutating func changeAll(_ next: (Entry) -> State?) {
        var (kept, counts): (Deque<Entry>, [State: Int]) = ([], [:])
        for var entry in list {
            guard let state = next(entry) else { continue }
            entry.state = state
            kept.append(entry)
            counts[state, default: 0] += 1
        }
        (list, self.counts) = (kept, counts)
    }

    // MARK: - Messages

    mutating func nextKey() -> UInt64 {
        lastKey += 1
        return lastKey
    }

    /// The message was handed to the broker's session, or waits for room there. Its time counts anew with each call.
    mutating func sent(_ message: SpooledMessage, at now: MonotonicTime) {
        let (index, isThere) = place(of: message.key)
        guard isThere else {
            return insert(
                Entry(
                    message: message, state: State(disk: .absent, delivery: .live),
                    expiresAt: now.advanced(by: messageAge), sentAt: now))
        }
        list[index].sentAt = now
        change(index, to: State(disk: list[index].state.disk, delivery: .live))
    }

    /// The message can't be sent: there is no session, or a newer message replaced it. It may come late, from the queue
    /// in front of the broker.
    mutating func keep(_ message: SpooledMessage, at now: MonotonicTime) {
        let (index, isThere) = place(of: message.key)
        if !isThere {
            insert(
                Entry(
                    message: message, state: State(disk: .absent, delivery: .waiting),
                    expiresAt: now.advanced(by: messageAge)))
        } else if list[index].state.disk == .has {
            remove(at: index)
            readAgain(from: message.key)
        } else {
            change(index, to: State(disk: list[index].state.disk, delivery: .waiting))
        }
        if message.isAnswer { dropOldestAnswers() }
        dropOldest()
    }

    /// The disk has this message and further ones, and the list does not.
    private mutating func readAgain(from key: UInt64) {
        guard isConnected else { return }
        (cursor, isUnread) = (min(cursor, key - min(1, key)), true)
    }

    private mutating func dropOldest() {
        while stagedCount > Self.memoryLimit, let index = list.firstIndex(where: \.state.isStaged) {
            remove(at: index)
            dropped += 1
        }
    }

    private mutating func dropOldestAnswers() {
        let answers = list.indices.filter { list[$0].state.isStaged && list[$0].message.isAnswer }
        for index in answers.dropLast(SpooledMessage.mostAnswers).reversed() {
            remove(at: index)
            dropped += 1
        }
    }

    /// The broker has acknowledged these messages.
    mutating func acknowledged(_ keys: [UInt64]) {
        for key in keys {
            let (index, isThere) = place(of: key)
            guard isThere, list[index].state.delivery.isUnderWay else { continue }
            if list[index].state.delivery == .replay { replayed += 1 }
            finish(index)
        }
    }

    /// The broker needs this message no more.
    private mutating func finish(_ index: Int) {
        switch list[index].state.disk {
        case .absent: remove(at: index)
        case .beingSaved, .has, .beingDeleted:
            (list[index].message.topic, list[index].message.payload) = ("", [])
            change(index, to: State(disk: list[index].state.disk, delivery: .acknowledged))
        }
    }

    // MARK: - The session

    mutating func sessionBegan() {
        isConnected = true
        (cursor, isUnread) = (0, stored != 0)
    }

    mutating func sessionEnded() {
        isConnected = false
        changeAll { entry in
            guard entry.state.delivery != .acknowledged else { return entry.state }
            // What is on disk is read again in the next session.
            return entry.state.disk == .has ? nil : State(disk: entry.state.disk, delivery: .waiting)
        }
        dropOldestAnswers()
        dropOldest()
    }

    // MARK: - The disk

    /// The number of messages that are only in memory and wait.
    var stagedCount: Int { count(.absent, .waiting) }
    /// Whether something waits for the next save.
    var hasStaged: Bool { stagedCount > 0 || count(.has, .acknowledged) > 0 }
    /// When the oldest message under way that is not on disk becomes overdue; nil if all are on disk.
    var overdueAt: MonotonicTime? {
        guard count(.absent, .live) + count(.absent, .replay) > 0 else { return nil }
        let unsaved = list.lazy.filter { $0.state.disk == .absent && $0.state.delivery.isUnderWay }
        return unsaved.map(\.sentAt).min()?.advanced(by: Self.acknowledgementLimit)
    }

    /// The messages and removals to save now. Call ``saved(_:)`` or ``savingFailed()`` afterwards.
    mutating func nextBatch(limit: Int, at now: MonotonicTime) -> (messages: [SpooledMessage], removals: [UInt64]) {
        let overdue = list.indices.filter { list[$0].isOverdue(at: now) }.sorted { list[$0].sentAt < list[$1].sentAt }
        let acknowledged = State(disk: .has, delivery: .acknowledged)
        let deleted = list.indices.filter { list[$0].state == acknowledged }.prefix(limit)
        let staged = list.indices.filter { list[$0].state.isStaged }
        let chosen = (overdue + staged).prefix(limit).sorted()
        for index in chosen { change(index, to: State(disk: .beingSaved, delivery: list[index].state.delivery)) }
        for index in deleted { change(index, to: State(disk: .beingDeleted, delivery: .acknowledged)) }
        return (chosen.map { list[$0].message }, deleted.map { list[$0].message.key })
    }

    mutating func saved(_ result: SaveResult) {
        stored = result.spooled
        dropped += result.dropped
        let saved = State(disk: .beingSaved, delivery: .waiting)
        if let first = list.first(where: { $0.state == saved })?.message.key { readAgain(from: first) }
        let known = State(disk: .has, delivery: .waiting)
        if let first = list.first(where: { $0.state == known && $0.message.key > cursor })?.message.key {
            readAgain(from: first)
        }
        changeAll { [cursor] entry in
            switch (entry.state.disk, entry.state.delivery) {
            case (.beingDeleted, _), (.beingSaved, .waiting): nil
            case (.beingSaved, let delivery): State(disk: .has, delivery: delivery)
            // These messages will be read again, after the older ones.
            case (.has, .waiting) where entry.message.key > cursor: nil
            case (.has, _), (.absent, _): entry.state
            }
        }
    }

    mutating func savingFailed() {
        changeAll { entry in
            switch (entry.state.disk, entry.state.delivery) {
            case (.beingSaved, .acknowledged): nil
            case (.beingSaved, let delivery): State(disk: .absent, delivery: delivery)
            case (.beingDeleted, let delivery): State(disk: .has, delivery: delivery)
            case (.has, _), (.absent, _): entry.state
            }
        }
        dropOldestAnswers()
        dropOldest()
    }

    /// Whether the replay must read more from the disk.
    var wantsToRead: Bool { isConnected && isUnread && count(.has, .waiting) == 0 }
    /// Read messages with higher keys than this.
    var readFrom: UInt64 { cursor }

    /// The disk's messages after ``readFrom`` have been read. Those that are under way or acknowledged are in the list
    /// already.
    /// - Parameter isLast: whether there are no more.
    mutating func read(_ page: SpoolPage, isLast: Bool, at now: MonotonicTime) {
        guard isConnected else { return }
        for message in page.messages where !place(of: message.key).isThere {
            let rest = page.oldest.flatMap { oldest in message.at?.duration(since: oldest) }
            insert(
                Entry(
                    message: message, state: State(disk: .has, delivery: .waiting),
                    expiresAt: rest.map { now.advanced(by: $0) }))
        }
        cursor = page.messages.last?.key ?? cursor
        isUnread = !isLast
    }

    /// The disk has deleted messages that were too old.
    mutating func deleted(_ count: Int) {
        stored = max(0, stored - count)
        dropped += count
    }

    // MARK: - The replay

    /// Whether a replay is in progress, or will begin without a further message.
    /// - Parameter failures: if the disk fails, messages are replayed from memory.
    func isReplaying(_ failures: StoreFailures) -> Bool {
        isConnected && (replaysUnderWay > 0 || next(failures) != nil)
    }

    private var replaysUnderWay: Int {
        count(.absent, .replay) + count(.beingSaved, .replay) + count(.has, .replay)
    }

    /// The next message to replay; nil if there is none or the window is full.
    mutating func replayNext(_ failures: StoreFailures, at now: MonotonicTime) -> SpooledMessage? {
        while isConnected, replaysUnderWay < Self.window, let index = next(failures) {
            guard !now.hasReached(list[index].expiresAt) else {
                dropped += 1
                finish(index)
                continue
            }
            change(index, to: State(disk: list[index].state.disk, delivery: .replay))
            list[index].sentAt = now
            return list[index].message
        }
        return nil
    }

    /// The broker or the session does not accept this message now.
    mutating func putBack(_ key: UInt64) {
        let (index, isThere) = place(of: key)
        guard isThere, list[index].state.delivery.isUnderWay else { return }
        change(index, to: State(disk: list[index].state.disk, delivery: .waiting))
        dropOldestAnswers()
        dropOldest()
    }

    /// The place of the next message, in the order of keys. A live message under way is waited for: if the session ends
    /// before the broker acknowledges it, it must be replayed before those that are newer. Messages in memory are
    /// replayed only if the disk accepts no writes; otherwise the replay waits until they are saved. They come after
    /// older messages on disk, unless the disk can't be read either.
    private func next(_ failures: StoreFailures) -> Int? {
        let oldest = list.firstIndex { $0.state.delivery == .waiting || $0.state.delivery == .live }
        guard let oldest, list[oldest].state.delivery == .waiting else { return nil }
        switch list[oldest].state.disk {
        case .has: return oldest
        case .absent where !failures.isWriting:
            let isRead = count(.has, .waiting) > 0 || !isUnread || list[oldest].message.key <= cursor
            return isRead || !failures.isReading ? oldest : nil
        case .absent, .beingSaved, .beingDeleted: return nil
        }
    }
}
