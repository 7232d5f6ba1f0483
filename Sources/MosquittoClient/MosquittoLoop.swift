import CLinux
import Gateway
import Glibc

/// The thread's loop: look up the name, connect, serve the session, wait. Runs only on the client's thread.
final class MosquittoLoop {
    /// How long an attempt waits for the look-up of the brokers' names. A longer look-up goes on beside the loop.
    private static let lookupLimit = Duration.seconds(2)

    private let client: MosquittoClient
    /// The look-up of each broker's name; nil for an address.
    private let names: [NameLookup?]
    private var choice: ProtocolChoice
    private var rule: ReconnectRule
    private var round = BrokerRound()
    private var limit: ConnectionLimit
    /// An attempt of this round has run out of time.
    private var isRoundSlow = false
    private var lacks: Set<BrokerFeature> = []
    /// The sessions in a row that ended as on a path that loses large packets.
    private var largeLosses = 0
    private var usesSmallSegments = false
    /// When the last ``SharedUserTrial`` began.
    private var userTrialAt: ContinuousClock.Instant?
    private var sessionEndedAt: ContinuousClock.Instant?
    /// Nil for a client that is not the gateway.
    private let mark: StartMark?
    /// A session of this run used MQTT 5.
    private var hasSpokenV5 = false
    private var hasStood = false
    /// Each broker's addresses by the last look-up that succeeded.
    private var knownAddresses: [[String]]

    init(_ client: MosquittoClient) {
        self.client = client
        let brokers = client.configuration.brokers
        names = brokers.map { NameLookup.isName($0.host) ? NameLookup($0.host) : nil }
        knownAddresses = brokers.map { _ in [] }
        rule = ReconnectRule(client.configuration.times)
        limit = ConnectionLimit(first: client.configuration.times.firstStep)
        mark = client.configuration.markPath.map { StartMark(path: $0) }
        let isUnsafe = mark?.isReached == true && client.configuration.version == nil
        choice = ProtocolChoice(isUnsafe ? .v311 : client.configuration.version)
    }

    func run() {
        if let mark, mark.isReached { beCareful(mark) }
        while !client.isStopping {
            let pause = runSession()
            guard !client.isStopping else { break }
            wait(pause)
        }
        client.finished()
    }

    /// The library has ended earlier runs.
    private func beCareful(_ mark: StartMark) {
        let why = "libmosquitto has ended the program \(mark.deaths) times at a broker's packets of MQTT 5"
        switch client.configuration.version {
        case nil: client.report(.downgraded(reason: "\(why); to try it again, remove \(mark.path)"))
        case .v5:
            client.report(
                .connectFailed(
                    BrokerFailure(
                        .unsupportedVersion, "\(why); trying again in 60 s. Set mqtt.protocol to auto or 3.1.1")))
            // A client without a will ends soon: it tells the cause at once.
            if client.configuration.will != nil { wait(StartMark.pause) }
        case .v311: break  // It has no properties, so it needs no care.
        }
    }

    /// Runs one connection from its beginning to its end.
    /// - Returns: the time until the next attempt.
    private func runSession() -> Duration {
        var live: LiveSession?
        do throws(BrokerFailure) {
            if round.isFresh { round.begin(try places()) }
        } catch {
            return allFailed(error, isReached: false)
        }
        do throws(BrokerFailure) {
            let session = try makeSession()
            live = session
            try session.begin()
            try session.serve()
            if session.trial != nil, !client.isStopping { return trialStood(session) }
            choice.accepted()
            client.sessionEnded()
            return .zero
        } catch {
            if let live, let feature = live.refusedFeature, lacks.insert(feature).inserted {
                return featureRefused(feature, live)
            }
            if let session = live, let openedAt = session.openedAt {
                return sessionFailed(session, error, stood: .now - openedAt)
            }
            return attemptFailed(error, live)
        }
    }

    /// The broker refuses what it does not offer. The next attempt, at once, does without it.
    private func featureRefused(_ feature: BrokerFeature, _ live: LiveSession) -> Duration {
        if live.isOpen {
            sessionStood(live)
            client.report(.disconnected(BrokerFailure(.lost, "the broker \(feature.lack.what)")))
        }
        return .zero
    }

    /// Only under our client id the sessions end.
    private func trialStood(_ live: LiveSession) -> Duration {
        sessionStood(live)
        rule = live.rule
        rule.trialAccusesRival()
        client.report(.disconnected(client.takenOver))
        return rule.pause(after: .takenOver, random: Double.random(in: 0..<1))
    }

    private func sessionStood(_ live: LiveSession) {
        client.sessionEnded()
        choice.accepted()
        hasStood = true
        lacks = live.lacks
        if live.version == .v5 { (sessionEndedAt, hasSpokenV5) = (.now, true) }
        limit.succeeded(needed: live.slowestStep)
        isRoundSlow = false
    }

    /// - Parameter live: nil if no connection was begun.
    private func attemptFailed(_ failure: BrokerFailure, _ live: LiveSession?) -> Duration {
        var failure = failure
        let isUnanswered = failure.code == .lost && live?.isUnanswered == true
        let isUnsupported = failure.code == .unsupportedVersion
        if choice.attemptFailed(isUnsupported ? .unsupported : isUnanswered ? .unanswered : .other) {
            if choice.isSettled {
                client.report(.downgraded(reason: isUnanswered ? failure.detail : "it refuses the version"))
            }
            return .zero
        }
        if let explained = live?.peerFailure ?? live?.certificateFailure {
            failure = explained
        } else if let tls = client.configuration.tls, failure.code != .refused {
            failure = failure.asTLS(isClientNamed: tls.certificateFile != nil)
        } else if isUnanswered, client.configuration.version == .v5, !hasSpokenV5 {
            failure.detail += "; a broker that speaks MQTT 3.1.1 only hangs up like this: try mqtt.protocol: auto"
        } else if isUnanswered, !hasStood, live?.place.port != Self.plainPort {
            failure.detail += "; a port that speaks TLS hangs up like this: see mqtt.tls.enabled"
        }
        if live?.ranOutOfTime == true { isRoundSlow = true }
        if live?.trial != nil, failure.code == .refused {
            // The broker knows its clients' ids, so a trial says nothing.
            rule.trialAccusesRival()
            failure = client.takenOver
        }
        guard let all = round.failed(failure) else { return .zero }
        if isRoundSlow { limit.roundTimedOut() }
        isRoundSlow = false
        return allFailed(all, isReached: isUnanswered || live?.isLoggedIn == true || failure.code == .busy)
    }

    /// - Parameter isReached: the last connection was established, but not its session.
    private func allFailed(_ failure: BrokerFailure, isReached: Bool) -> Duration {
        rule.attemptFailed(isReached: isReached)
        largeLosses = 0
        // Another broker may be there next.
        if !isReached { lacks = [] }
        client.report(.connectFailed(failure))
        return rule.pause(after: failure.code, random: Double.random(in: 0..<1))
    }

    private func sessionFailed(_ live: LiveSession, _ failure: BrokerFailure, stood: Duration) -> Duration {
        sessionStood(live)
        round.sessionEnded(servedWell: stood >= ReconnectRule.shortSession)
        var failure = failure
        if live.trial != nil {
            rule = live.rule
            rule.trialEnded(stood: stood)
        } else {
            let isTakenOver = live.judge(failure, stood: stood)
            rule = live.rule
            if isTakenOver { failure = client.takenOver }
        }
        if rule.blame == .noClient, failure.code == .lost, live.endMeans == .hangUp {
            failure.detail += client.noClientIsToBlame
        }
        noteLargePackets(live, &failure)
        if failure.code == .takenOver || rule.blame == .noClient { tryUser() }
        client.report(.disconnected(failure))
        return rule.pause(after: failure.code, random: Double.random(in: 0..<1))
    }

    private func tryUser() {
        // A client without a will is a trial itself, or ends soon.
        guard client.configuration.username != nil, client.configuration.will != nil else { return }
        guard userTrialAt.map({ .now - $0 > Self.userTrialInterval }) ?? true else { return }
        userTrialAt = .now
        client.tryUser()
    }

    private static let userTrialInterval = Duration.seconds(300)
    private static let plainPort = 1883

    /// A path that loses large packets carries small ones: the session opens, and ends without an acknowledgement of much
    /// that is under way. In a dead zone no session opens.
    private func noteLargePackets(_ live: LiveSession, _ failure: inout BrokerFailure) {
        guard failure.code == .timedOut, live.bytesUnderWay > Int(Self.smallSegment) else { return largeLosses = 0 }
        largeLosses += 1
        guard largeLosses >= Self.largeLossProofs, !usesSmallSegments else { return }
        usesSmallSegments = true
        failure.detail +=
            "; sessions open and then carry nothing large: a path that loses large packets (MTU) acts like this, so the "
            + "next sessions send small ones"
    }

    /// So many sessions in a row must end so.
    private static let largeLossProofs = 2

    /// The bytes of a segment that all usual tunnels carry.
    private static let smallSegment: Int32 = 1000

    // MARK: - Connecting

    private func makeSession() throws(BrokerFailure) -> LiveSession {
        guard let place = round.place else { throw BrokerFailure(.unreachable, "the broker's name has no address") }
        rule.sessionBegins(with: place.certificateName)
        let resumes = sessionEndedAt.map { .now - $0 < client.configuration.times.willDelay } ?? false
        return try LiveSession(
            client, place: place,
            .init(
                choice: choice, rule: rule, stepLimit: limit.current, lacks: lacks, trial: rule.trial,
                segmentLimit: usesSmallSegments ? Self.smallSegment : nil, resumes: resumes, mark: mark))
    }

    /// Every address of every broker; at least one. The known addresses are used while the name server is away.
    private func places() throws(BrokerFailure) -> [BrokerAddress] {
        let answers = lookUp()
        var places: [BrokerAddress] = []
        var faults: [String] = []
        for (index, broker) in client.configuration.brokers.enumerated() {
            guard names[index] != nil else {
                places.append(broker)
                continue
            }
            if case .addresses(let addresses)? = answers[index] { knownAddresses[index] = addresses }
            switch answers[index] {
            case .failed(let why)? where knownAddresses[index].isEmpty: faults.append("\(broker.host): \(why)")
            case nil where knownAddresses[index].isEmpty:
                faults.append("\(broker.host): the name server does not answer")
            case .addresses?, .failed?, nil:
                places += knownAddresses[index].map {
                    BrokerAddress(host: $0, port: broker.port, certificateName: broker.host)
                }
            }
        }
        guard !places.isEmpty else {
            let why = faults.isEmpty ? "the broker's name has no address" : faults.joined(separator: "; ")
            throw BrokerFailure(.unreachable, why)
        }
        return places
    }

    /// - Returns: for each broker, the answer of its name's look-up; nil if none came in time, or if it has an address.
    private func lookUp() -> [NameLookup.Answer?] {
        for name in names { name?.begin { [client] in client.rouse() } }
        let until = ContinuousClock.now + Self.lookupLimit
        var answers = names.map { $0?.takeAnswer() }
        while zip(names, answers).contains(where: { $0 != nil && $1 == nil }), !client.isStopping,
            ContinuousClock.now < until
        {
            sleep(until: until)
            answers = zip(names, answers).map { $1 ?? $0?.takeAnswer() }
        }
        return answers
    }

    // MARK: - Waiting

    private func wait(_ duration: Duration) {
        let until = ContinuousClock.now + duration
        while !client.isStopping, ContinuousClock.now < until { sleep(until: until) }
    }

    /// Returns at `until`, or earlier if ``MosquittoClient/rouse()`` is called.
    private func sleep(until: ContinuousClock.Instant) {
        var descriptor = pollfd(fd: client.wakeDescriptor, events: Int16(POLLIN), revents: 0)
        Glibc.poll(&descriptor, 1, (until - .now).pollMilliseconds)
        if descriptor.revents != 0 { client.clearWake() }
    }
}
