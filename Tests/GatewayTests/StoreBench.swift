import ReceiverProtocol

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The store machine with a simulated time and disk.
struct StoreBench {
    enum Fault {
        /// Reading works, writing fails.
        case full
        /// Reading and writing fail.
        case dead
        /// Writing works, syncing fails.
        case unsynced
        /// Answers only when the test calls ``answer()``.
        case slow
    }

    var machine: StoreMachine
    var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
    var disk: [UInt64: SpooledMessage] = [:]
    var recorded: [FlightLogEntry] = []
    var fault: Fault?
    /// The most messages on disk.
    var bound = Int.max
    /// How old a message may become.
    static let messageAge = Duration.seconds(172_800)
    /// The disk has no messages from before this time; nil if the clock may be wrong.
    var oldest: WallTime?
    /// The memory of earlier runs in the store.
    var memory = GatewayMemory()
    private(set) var started: [GatewayMemory?] = []
    private(set) var recalled: [GatewayMemory] = []
    /// The calls to the disk, in order. A save shows its content.
    private(set) var calls: [String] = []
    /// When the disk was synced, and how many entries and which messages it had then.
    private(set) var syncs: [(at: MonotonicTime, entries: Int, messages: Set<UInt64>)] = []
    /// The ended waits, in order.
    private(set) var reached: [(id: UInt64, isDurable: Bool, at: MonotonicTime)] = []
    private(set) var replayed: [UInt64] = []
    private(set) var told: [StoreError?] = []
    private(set) var closed: StoreMachine.Action?
    private(set) var isCalling = false
    private var unanswered: StoreMachine.Action?

    static let full = StoreError(.full, "database or disk is full")
    static let dead = StoreError(.inputOutput, "disk I/O error")

    /// - Parameter isOpen: false leaves the opening to the test.
    init(isOpen: Bool = true) {
        machine = StoreMachine(startedAt: now, messageAge: Self.messageAge)
        guard isOpen else { return }
        feed(.timePassed)
        calls = []
    }

    /// An entry with a point of the flight.
    static func point(_ second: Int) -> FlightLogEntry { points([second]) }

    static func points(_ seconds: [Int]) -> FlightLogEntry {
        guard let serial = SondeSerial(name: "V4210150", type: .rs41) else { preconditionFailure("a serial is one") }
        return .points(
            serial, .rs41,
            seconds.map {
                TrackPoint(
                    time: WallTime(millisecondsSince1970: 1_800_000_000_000 + Int64($0) * 1000),
                    coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 1000, source: .ble)
            })
    }

    mutating func message() -> SpooledMessage {
        let key = machine.nextKey()
        return SpooledMessage(key: key, topic: "t", payload: [UInt8(truncatingIfNeeded: key)], at: nil)
    }

    mutating func send() -> UInt64 {
        let message = message()
        feed(.sent(message))
        return message.key
    }

    /// A newer message takes the place of this one, which was sent or waits for room.
    mutating func displace(_ key: UInt64) {
        feed(.kept(SpooledMessage(key: key, topic: "t", payload: [UInt8(truncatingIfNeeded: key)], at: nil)))
    }

    /// The message has room in the broker's session now.
    mutating func sendNow(_ key: UInt64) {
        feed(.sent(SpooledMessage(key: key, topic: "t", payload: [UInt8(truncatingIfNeeded: key)], at: nil)))
    }

    mutating func keep() -> UInt64 {
        let message = message()
        feed(.kept(message))
        return message.key
    }

    /// One event of a turn.
    mutating func feed(_ event: StoreMachine.Event) {
        for action in machine.handle(event, at: now) { perform(action) }
    }

    /// Handles one event as a whole turn.
    mutating func run(_ event: StoreMachine.Event) {
        feed(event)
        feed(.timePassed)
    }

    mutating func forgetReplayed() { replayed = [] }

    private mutating func perform(_ action: StoreMachine.Action) {
        switch action {
        case .replay(let message): replayed.append(message.key)
        case .tell(let failure): told.append(failure)
        case .closed: closed = action
        case .start(let memory): started.append(memory)
        case .recall(let memory): recalled.append(memory)
        case .open:
            calls.append("open")
            call(action)
        case .save(let batch):
            calls.append("save \(batch.messages.count) -\(batch.removals.count) +\(batch.entries.count)")
            call(action)
        case .load(let after, _):
            calls.append("load \(after)")
            call(action)
        case .sync: call(action)
        case .reached(let id, let isDurable): reached.append((id, isDurable, now))
        }
    }

    private mutating func call(_ action: StoreMachine.Action) {
        precondition(!isCalling, "two calls at a time")
        isCalling = true
        unanswered = action
        if fault != .slow { answer() }
    }

    /// The disk answers the pending call, if there is one.
    mutating func answer() {
        guard let action = unanswered else { return }
        (unanswered, isCalling) = (nil, false)
        switch (action, fault) {
        case (_, .dead): run(.failed(Self.dead))
        case (.save, .full), (.sync, .full), (.sync, .unsynced): run(.failed(Self.full))
        case (.open, _):
            run(.opened(StoredState(memory: memory, lastKey: disk.keys.max() ?? 0, spooled: disk.count)))
        case (.save(let batch), _):
            for key in batch.removals { disk[key] = nil }
            for message in batch.messages { disk[message.key] = message }
            recorded += batch.entries
            let excess = disk.keys.sorted().prefix(max(0, disk.count - bound))
            for key in excess { disk[key] = nil }
            run(.saved(SaveResult(spooled: disk.count, dropped: excess.count)))
        case (.sync, _):
            syncs.append((now, recorded.count, Set(disk.keys)))
            run(.synced)
        case (.load(let after, let limit), _):
            let next = disk.values.filter { $0.key > after }.sorted { $0.key < $1.key }.prefix(limit)
            run(.loaded(SpoolPage(messages: Array(next), oldest: oldest)))
        default: break
        }
    }

    mutating func wait(_ time: Duration) {
        let end = now.advanced(by: time)
        while let next = machine.deadline, next <= end {
            now = max(now, next)
            feed(.timePassed)
            if let next = machine.deadline, next <= now { preconditionFailure("\(next) is due and not done") }
        }
        now = end
    }
}
