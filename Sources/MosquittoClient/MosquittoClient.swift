import CLinux
import DequeModule
public import Gateway
public import GatewayReports
import Glibc
import Synchronization
import Threads

/// A broker connection that reconnects by itself. All of libmosquitto runs on one thread of its own.
///
/// The initialiser does not connect; ``start()`` does. After ``stop()`` the client can't be started again. Messages go
/// out in order while a session is open. The library has at most ``window`` unacknowledged messages, and at most
/// ``queueLimit`` wait for it; then ``publish(_:)-(OutgoingMessage)`` refuses more.
public final class MosquittoClient: MessageBroker {
    /// The most unacknowledged messages in libmosquitto, whose own queue has no bound.
    public static let window = 400
    /// The most messages that wait for the window.
    public static let queueLimit = 2000
    /// The shortest and the longest time that a step of a connection may take: to connect, to log in, to subscribe.
    public static let shortestLimit = ConnectionLimit.shortest
    public static let longestLimit = ConnectionLimit.longest
    /// The longest that ``stop()`` takes.
    static let stopLimit = Duration.milliseconds(2500)
    /// On MQTT 3.1.1, a message this soon after the subscription may be a retained one without its flag.
    public static let retainedDoubt = Duration.seconds(1)

    let configuration: MosquittoConfiguration
    /// The password as it is now; nil to use the configuration's.
    private let readPassword: @Sendable () -> String?
    private let events: AsyncStream<BrokerEvent>
    private let continuation: AsyncStream<BrokerEvent>.Continuation
    fileprivate let shared = Mutex(Shared())
    let wakeDescriptor: Int32

    /// State that the callers and the client's thread share.
    fileprivate struct Shared {
        var outgoing: Deque<OutgoingMessage> = []
        /// The open session's protocol; nil without one.
        var version: MQTTVersion?
        var refusedSubscriptions: [String] = []
        /// The largest packet that the broker accepts, in bytes; nil if no limit is known.
        var packetLimit: Int?
        var isStopping = false
        var isRunning = false
        var isFinished = false
        /// A message found no room, so ``BrokerEvent/drained`` follows.
        var wasFull = false
        var line = Line()
        /// What the line had proven when ``BrokerEvent/drained`` told it last.
        var toldProof = 0
        /// The first and the last message that found no room in the line, in a row of them.
        var refusals: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
        /// The thread was woken and has not yet looked for its work.
        var isRoused = false
        var incomingDropped = 0
        var incomingPending = 0
        /// The callers of ``MosquittoClient/stop()`` that wait.
        var stoppers: [CheckedContinuation<Void, Never>] = []
        /// The broker takes the user name as client id.
        var isUserShared = false
        var otherServer: String?
    }

    /// What the open session's line carries.
    struct Line: Equatable {
        /// The bytes that may still be sent; `Int.max` on a wide line.
        var room = 0
        var isWide = false
        var isPaced = false
        var bytesPerSecond: Double?
        var roundTrip: Duration?
        var provenBytes: Int? = 0
        var leftOut: [String] = []
        var keepsRetained = true

        /// The longest message that may go, in bytes; `Int.max` if there is nothing to prove.
        var proof: Int { isWide ? .max : provenBytes ?? .max }
    }

    /// - Parameter readPassword: called before each login, on the client's thread. If it returns a password, that one
    ///   is used in place of the configuration's: somebody may put it right meanwhile.
    /// - Throws: code `configuration` if an option or TLS file can't be used. It does not connect to the broker.
    public init(
        _ configuration: MosquittoConfiguration, readPassword: @escaping @Sendable () -> String? = { nil }
    ) throws(BrokerFailure) {
        try configuration.verifyHosts()
        try MosquittoSession(configuration, configuration.version ?? .v5).verifyTLSFiles()
        self.configuration = configuration
        self.readPassword = readPassword
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else { throw BrokerFailure(.configuration, String(cString: strerror(errno))) }
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    deinit {
        close(wakeDescriptor)
    }

    public var queueDepth: Int { shared.withLock { $0.outgoing.count } }
    public var incomingDropped: Int { shared.withLock { $0.incomingDropped } }
    public var refusedSubscriptions: [String] { shared.withLock { $0.refusedSubscriptions } }
    public var otherServer: String? { shared.withLock { $0.otherServer } }

    public var line: BrokerLine? {
        shared.withLock { shared in
            guard shared.version != nil else { return nil }
            let line = shared.line
            return BrokerLine(
                isThin: shared.isThin(at: .now), isWide: line.isWide, isPaced: line.isPaced,
                bytesPerSecond: line.bytesPerSecond,
                roundTrip: line.roundTrip, provenBytes: line.provenBytes, leftOut: line.leftOut,
                keepsRetained: line.keepsRetained)
        }
    }

    public func receive(_ body: (BrokerEvent) async -> Void) async {
        for await event in events {
            await body(event)
            if case .message = event { shared.withLock { $0.incomingPending -= 1 } }
        }
    }

    /// Starts the thread. A second call does nothing.
    public func start() {
        let isFirst = shared.withLock { shared in
            defer { shared.isRunning = true }
            return !shared.isRunning
        }
        guard isFirst, !startThread(named: "MQTT", { [self] in MosquittoLoop(self).run() }) else { return }
        continuation.yield(.connectFailed(BrokerFailure(.configuration, "the system has no thread left")))
        finished()
    }

    /// Queues a message for the open session. If the session ends first, the client drops the message. The caller
    /// decides whether to send an unacknowledged message again.
    public func publish(_ message: OutgoingMessage) -> PublishOutcome {
        publish([message]).first ?? .offline
    }

    /// Queues several messages and wakes the thread once.
    public func publish(_ messages: [OutgoingMessage]) -> [PublishOutcome] {
        let (outcomes, isNews) = shared.withLock { shared in
            let outcomes = messages.map { isLast($0) ? shared.add(last: $0) : shared.add($0) }
            let isNews = !shared.isRoused && outcomes.contains(.taken)
            if isNews { shared.isRoused = true }
            return (outcomes, isNews)
        }
        if isNews { rouse() }
        return outcomes
    }

    /// The message says what the will says. So the session is about to end, and it goes before all others.
    private func isLast(_ message: OutgoingMessage) -> Bool {
        configuration.will.map { $0.topic == message.topic && $0.payload == message.payload } ?? false
    }

    /// Sends the queued messages, disconnects cleanly and ends the thread. Waits for ``stopLimit`` at most.
    public func stop() async {
        shared.withLock { $0.isStopping = true }
        rouse()
        await withCheckedContinuation { waiter in
            let isOver = shared.withLock { shared in
                if shared.isFinished || !shared.isRunning { return true }
                shared.stoppers.append(waiter)
                return false
            }
            if isOver { return waiter.resume() }
            // The thread can hang in a name look-up, which can't be interrupted. The process must still end.
            Task { [weak self] in
                try? await Task.sleep(for: Self.stopLimit)
                self?.releaseStoppers()
            }
        }
        continuation.finish()
    }

    private func releaseStoppers() {
        let waiters = shared.withLock { shared in
            defer { shared.stoppers = [] }
            return shared.stoppers
        }
        for waiter in waiters { waiter.resume() }
    }
}

// MARK: - The thread's side

extension MosquittoClient {
    var isStopping: Bool { shared.withLock { $0.isStopping } }

    /// The configuration with the password as it is now.
    var presentConfiguration: MosquittoConfiguration {
        guard configuration.username != nil, let password = readPassword() else { return configuration }
        var present = configuration
        (present.password, present.unreadablePasswordFile) = (password, nil)
        return present
    }

    private var isUserShared: Bool { shared.withLock { $0.isUserShared } }

    var takenOver: BrokerFailure {
        if isUserShared, let user = configuration.username {
            return BrokerFailure(
                .takenOver, "another client has logged in as \(user); \(BrokerFeature.ownID.lack.cost)")
        }
        return BrokerFailure(
            .takenOver,
            "another client with the id \(configuration.clientID) seems to take the session; "
                + "give each gateway its own gateway.id or mqtt.client_id")
    }

    /// What to say of sessions that end without a reason, under any client id.
    var noClientIsToBlame: String {
        if isUserShared, let user = configuration.username {
            return "; another client logs in as \(user), and the broker \(BrokerFeature.ownID.lack.what)"
        }
        return
            "; it ends soon again and again, also under another client id: the line is cut, or the broker limits the "
            + "number of messages"
    }

    /// Asks the broker beside this session whether it takes the user name as client id.
    func tryUser() {
        let trial = SharedUserTrial(presentConfiguration, within: Self.longestLimit)
        Task { [weak self] in
            guard await trial.isShared() else { return }
            self?.shared.withLock { $0.isUserShared = true }
            self?.report(.lacks(.ownID))
        }
    }

    /// Wakes the thread from its poll.
    func rouse() {
        eventfd_write(wakeDescriptor, 1)
    }

    func clearWake() {
        var value: eventfd_t = 0
        eventfd_read(wakeDescriptor, &value)
        shared.withLock { $0.isRoused = false }
    }

    func sessionBegan(_ version: MQTTVersion, packetLimit: Int?) {
        shared.withLock { shared in
            shared.version = version
            shared.packetLimit = packetLimit
            shared.line.room = SendWindow.firstBytes
        }
        report(.connected(version))
    }

    func sets(refusedSubscriptions topics: [String]) {
        shared.withLock { $0.refusedSubscriptions = topics }
    }

    /// The bytes that wait are on their way into the line, so they take room from it.
    func sets(_ line: Line) {
        let isNews = shared.withLock { shared in
            shared.line = line
            guard let version = shared.version else { return false }
            let isWide = line.room == .max
            if !isWide { shared.line.room -= shared.outgoing.reduce(0) { $0 + $1.packetBytes(version) } }
            let mayGoOn = isWide ? shared.outgoing.count < Self.queueLimit / 2 : shared.line.room > 0
            let hasRoom = shared.wasFull && mayGoOn
            if hasRoom { shared.wasFull = false }
            return shared.provesMore() || hasRoom
        }
        if isNews { report(.drained) }
    }

    /// Drops the queue: the next session starts with none.
    func sessionEnded() {
        shared.withLock { shared in
            shared.version = nil
            shared.refusedSubscriptions = []
            shared.outgoing = []
            shared.wasFull = false
            (shared.line, shared.toldProof, shared.refusals) = (Line(), 0, nil)
        }
    }

    /// - Returns: the next message, and whether more wait; nil if there is none.
    func nextOutgoing() -> (OutgoingMessage, isBacklogged: Bool)? {
        shared.withLock { shared in
            guard let message = shared.outgoing.popFirst() else { return nil }
            return (message, shared.wasFull || !shared.outgoing.isEmpty)
        }
    }

    /// - Parameter otherServer: nil if the broker names none.
    func note(otherServer: String?) { shared.withLock { $0.otherServer = otherServer ?? $0.otherServer } }

    func note(dropped count: Int) {
        if count > 0 { shared.withLock { $0.incomingDropped += count } }
    }

    /// Yields an event. Waiting messages are bounded by ``MosquittoConfiguration/incomingLimit``, since other clients
    /// may publish any number.
    func report(_ event: BrokerEvent) {
        if case .message = event {
            let isTaken = shared.withLock { shared in
                guard shared.incomingPending < configuration.incomingLimit else {
                    shared.incomingDropped += 1
                    return false
                }
                shared.incomingPending += 1
                return true
            }
            guard isTaken else { return }
        }
        continuation.yield(event)
    }

    func finished() {
        shared.withLock { $0.isFinished = true }
        releaseStoppers()
    }
}

extension MosquittoClient.Shared {
    fileprivate mutating func add(last message: OutgoingMessage) -> PublishOutcome {
        guard version != nil, !isStopping else { return .offline }
        outgoing.prepend(message)
        return .taken
    }

    fileprivate mutating func add(_ message: OutgoingMessage) -> PublishOutcome {
        guard let version, !isStopping else { return .offline }
        if let packetLimit, message.packetBytes(version) > packetLimit { return .tooLarge(limit: packetLimit) }
        guard line.room > 0 else {
            wasFull = true
            let now = ContinuousClock.now
            refusals = (refusals.flatMap { now - $0.last < Self.rowLimit ? $0.first : nil } ?? now, now)
            return .full
        }
        guard outgoing.count < MosquittoClient.queueLimit else {
            wasFull = true
            return .full
        }
        if line.room < .max { line.room -= message.packetBytes(version) }
        outgoing.append(message)
        return .taken
    }

    /// Whether the line has proven so much more that a longer message may go now.
    fileprivate mutating func provesMore() -> Bool {
        let proof = line.proof
        let isNews = proof / Self.proofStep.of * Self.proofStep.told > toldProof
        if isNews || proof < toldProof { toldProof = proof }
        return isNews
    }

    /// The session tells a proof that is a quarter larger than the last one, so it tells few.
    private static let proofStep = (told: 4, of: 5)

    /// The time between two messages without room in one row.
    private static let rowLimit = Duration.seconds(3)
    /// For a shorter time messages find no room at the beginning of each session.
    private static let leastRow = Duration.seconds(1)
    private static let thinMemory = Duration.seconds(10)

    /// Whether the line has not kept up lately.
    func isThin(at now: ContinuousClock.Instant) -> Bool {
        refusals.map { $0.last - $0.first >= Self.leastRow && now - $0.last < Self.thinMemory } ?? false
    }
}
