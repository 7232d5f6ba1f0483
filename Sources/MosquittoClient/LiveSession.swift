import CMosquitto
import DequeModule
import Gateway
import Glibc

/// Serves one session from its first packet to its end in a loop: poll, read, write. Used on the client's thread only.
final class LiveSession {
    /// What the loop has learned about the broker and the line before this session.
    struct Lessons {
        var choice: ProtocolChoice
        var rule: ReconnectRule
        /// How long each step of the connection may take.
        var stepLimit: Duration
        /// What the broker does not offer.
        var lacks: Set<BrokerFeature> = []
        /// A session under another client id shows whether somebody else uses ours.
        var trial: ReconnectRule.Trial?
        var segmentLimit: Int32?
        /// The last session ended so recently that the broker still has it.
        var resumes = false
        /// Notes the library's abort; nil for a client that is not the gateway.
        var mark: StartMark?
    }

    /// How long a stop waits for the queued messages to be sent and acknowledged.
    private static let flushLimit = Duration.milliseconds(1500)
    /// Longest poll of an open session: keep-alive is checked once a second.
    private static let idleTimeout = Duration.seconds(1)
    /// Longest poll of a session that is not open: the limits for answers are overrun by no more.
    private static let answerTimeout = Duration.milliseconds(100)
    private static let stopTimeout = Duration.milliseconds(50)

    let client: MosquittoClient
    let session: MosquittoSession
    let version: MQTTVersion
    let isProbe: Bool
    let place: BrokerAddress
    private let stepLimit: Duration
    private let mark: StartMark?
    /// When the present step of the connection began.
    private var stepBegan = ContinuousClock.now
    private var isConnecting = true
    /// The time of the connection's slowest step so far.
    private(set) var slowestStep = Duration.zero
    /// The attempt failed because a step took too long.
    private(set) var ranOutOfTime = false
    /// The broker has accepted the login and answered every SUBSCRIBE.
    var openedAt: ContinuousClock.Instant?
    /// The broker has accepted the login.
    var isLoggedIn = false
    /// The session was a probe, and the broker has accepted its login.
    var isProbeAccepted: Bool { isProbe && isLoggedIn }
    let trial: ReconnectRule.Trial?
    /// When a trial had sent as many messages as it has to; nil before.
    var sentEnoughAt: ContinuousClock.Instant?
    /// What the broker does not offer. Nothing is sent that needs it.
    var lacks: Set<BrokerFeature>
    /// The broker refused a login or ended the session over this.
    var refusedFeature: BrokerFeature?
    var rule: ReconnectRule
    /// How the session ends if the broker ends it.
    var endMeans = ReconnectRule.End.hangUp
    private var lastTick = ContinuousClock.now
    var lastComplaint: String?
    /// The packet limit that the broker named in CONNACK, in bytes.
    var packetLimit: Int?

    var unanswered: Set<String>
    var refusedSubscriptions: Set<String> = []
    var subscribedAt: ContinuousClock.Instant?
    /// Messages that came before the session was open.
    var early: [IncomingMessage] = []
    var sending = Sending()

    init(_ client: MosquittoClient, place: BrokerAddress, _ lessons: Lessons) throws(BrokerFailure) {
        self.client = client
        self.place = place
        (rule, stepLimit, mark) = (lessons.rule, lessons.stepLimit, lessons.mark)
        (version, isProbe) = (lessons.choice.version, lessons.choice.isProbe)
        (lacks, trial) = (lessons.lacks, lessons.trial)
        unanswered = Set(client.configuration.subscriptions)
        var configuration = client.presentConfiguration
        if trial != nil { configuration.clientID += "-trial" }
        session = try MosquittoSession(
            configuration, version, resumes: lessons.resumes && trial == nil, lacks: lacks,
            segmentLimit: lessons.segmentLimit)
        sending.interval = rule.pace.interval
    }

    /// Begins to connect. Near brokers may answer, and TLS may fail, before this returns.
    func begin() throws(BrokerFailure) {
        try explaining { () throws(BrokerFailure) in try session.connect(to: place) }
    }

    var peerFailure: BrokerFailure? { session.peerFailure }
    /// Why the broker's certificate was not accepted; nil if none was refused.
    var certificateFailure: BrokerFailure? {
        guard let fault = session.certificateCheck?.fault else { return nil }
        let caFile = client.configuration.tls?.caFile
        return BrokerFailure(.tls, fault.text(host: place.certificateName, caFile: caFile, now: time(nil)))
    }

    /// The connection was established, but the broker has not answered CONNECT.
    var isUnanswered: Bool { session.isEstablished && !session.hasAnswer }
    var isOpen: Bool { openedAt != nil }

    /// Returns after a clean stop or an accepted probe.
    /// - Throws: why the session failed.
    func serve() throws(BrokerFailure) {
        try explaining { () throws(BrokerFailure) in try serveOn() }
    }

    /// Runs `body`; if it fails, adds the reason that the library reported just before. A refusal, the reason of a
    /// DISCONNECT and OpenSSL's complaint come as such reports, even before the call that begins to connect fails. They
    /// say more than the return code.
    private func explaining(_ body: () throws(BrokerFailure) -> Void) throws(BrokerFailure) {
        do throws(BrokerFailure) {
            try body()
        } catch {
            do throws(BrokerFailure) {
                try handleReports(isOver: true)
            } catch let reason {
                throw reason
            }
            guard error.code != .refused, let lastComplaint else { throw error }
            if isOpen, lastComplaint.contains(MosquittoSession.openSSLEnd) {
                throw BrokerFailure(error.code, MosquittoStatus.endOfTLS)
            }
            // OpenSSL's text includes the library's.
            let isComplete = lastComplaint.hasPrefix(MosquittoSession.openSSLMark)
            throw BrokerFailure(error.code, isComplete ? lastComplaint : "\(error.detail) (\(lastComplaint))")
        }
    }

    private func serveOn() throws(BrokerFailure) {
        var stopAt: ContinuousClock.Instant?
        while !isProbeAccepted {
            let isStopping = client.isStopping
            try poll(isStopping: isStopping)
            let now = ContinuousClock.now
            if now - lastTick >= .seconds(1) {
                lastTick = now
                // Before the login the library's keep-alive would end a slow connection.
                if isLoggedIn { try session.tick() }
                try ticked(now)
            }
            try handleReports(isOver: false)
            if isOpen { try sendQueue(now) } else { try checkStep(now) }
            if hasPassedTrial(now) { break }
            guard isStopping else { continue }
            let deadline = stopAt ?? now + Self.flushLimit
            stopAt = deadline
            let isFlushed = sending.underWay.isEmpty && client.queueDepth == 0
            if !isOpen || isFlushed || now >= deadline { break }
        }
        sayGoodbye()
    }

    private func hasPassedTrial(_ now: ContinuousClock.Instant) -> Bool {
        trialEnd.map { now >= $0 } ?? false
    }

    /// When the trial will have stood long enough; nil if this is none, or it is not open.
    private var trialEnd: ContinuousClock.Instant? {
        guard let trial, let openedAt else { return nil }
        let latest = openedAt + ReconnectRule.Trial.longest
        let began = trial.messages == 0 ? openedAt : sentEnoughAt
        return began.map { min($0 + trial.duration, latest) } ?? latest
    }

    private func checkStep(_ now: ContinuousClock.Instant) throws(BrokerFailure) {
        if isConnecting, session.isEstablished {
            isConnecting = false
            stepEnded()
        }
        guard now - stepBegan > stepLimit else { return }
        ranOutOfTime = true
        if isConnecting { throw BrokerFailure(.unreachable, "\(place.host) does not answer") }
        throw BrokerFailure(.timedOut, "no answer within \(stepLimit.components.seconds) seconds")
    }

    /// A step of the connection has ended; the next one begins.
    func stepEnded() {
        slowestStep = max(slowestStep, stepTime)
        stepBegan = .now
    }

    /// The time since the present step began.
    var stepTime: Duration { .now - stepBegan }

    private func sayGoodbye() {
        guard session.hasAnswer else { return }
        session.disconnect()
        // The socket may need a few writes for the DISCONNECT. An error here changes nothing: the session ends anyway.
        for _ in 0..<10 where session.wantsToWrite && session.descriptor != nil { _ = try? session.write() }
    }

    private func ticked(_ now: ContinuousClock.Instant) throws(BrokerFailure) {
        guard let openedAt else { return }
        rule.sessionStands(for: now - openedAt)
        try checkAcknowledgements(now)
        let interval = client.configuration.times.subscriptionInterval
        guard !refusedSubscriptions.isEmpty, let subscribedAt, now - subscribedAt >= interval else { return }
        self.subscribedAt = now
        for topic in refusedSubscriptions { try session.subscribe(to: topic) }
    }

    private func poll(isStopping: Bool) throws(BrokerFailure) {
        guard let descriptor = session.descriptor else {
            // The library closed the socket and reported the reason.
            throw BrokerFailure(.lost, "the connection was closed")
        }
        var descriptors = [
            pollfd(fd: client.wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: session.interest, revents: 0),
        ]
        let longest = isStopping ? Self.stopTimeout : isOpen ? Self.idleTimeout : Self.answerTimeout
        let timeout = min(longest, trialEnd.map { $0 - .now } ?? longest, sending.nextAt.map { $0 - .now } ?? longest)
        Glibc.poll(&descriptors, 2, timeout.pollMilliseconds)
        if descriptors[0].revents != 0 { client.clearWake() }
        let happened = descriptors[1].revents
        // The library aborts when it reads a property that it does not know.
        guard version == .v5, let mark else { return try session.serve(happened) }
        try mark.guarding { () throws(BrokerFailure) in try session.serve(happened) }
    }
}
