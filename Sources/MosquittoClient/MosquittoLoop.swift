import CLinux
import Glibc

/// The thread's body: look up, connect, serve, wait, again. Everything here runs on that thread.
final class MosquittoLoop {
    /// For the broker's name; a look-up that takes longer goes on by itself.
    private static let lookupLimit = Duration.seconds(2)
    /// What the witness must outlive our session by.
    private static let survival = Duration.seconds(3)

    private let client: MosquittoClient
    private let names: NameLookup
    private var pace = RetryPace()
    private var clash = ClashWatch()
    private var limits = PacketLimit()
    private var knownAddresses: [String] = []
    /// Which of several addresses is next.
    private var turn = 0

    init(_ client: MosquittoClient) {
        self.client = client
        names = NameLookup(client.configuration.host)
    }

    func run() {
        while !client.isStopping {
            let (failure, isKnownClash) = runSession()
            guard !client.isStopping else { break }
            wait(pace.delay(after: failure, isKnownClash: isKnownClash, random: Double.random(in: 0..<1)))
        }
        client.finished()
    }

    /// One connection from its beginning to its end.
    private func runSession() -> (failure: MosquittoFailure, isKnownClash: Bool) {
        let live: LiveSession
        do throws(MosquittoFailure) {
            live = try connect()
        } catch {
            return (attemptFailed(error), false)
        }
        do throws(MosquittoFailure) {
            try live.serve()
            client.sessionEnded()
            return (MosquittoFailure(.lost, "stopped"), false)
        } catch {
            guard let connectedAt = live.connectedAt else { return (attemptFailed(error), false) }
            return sessionFailed(live, error, stood: .now - connectedAt)
        }
    }

    private func attemptFailed(_ failure: MosquittoFailure) -> MosquittoFailure {
        var failure = failure
        if let tls = client.configuration.tls, failure.code != .refused {
            failure = failure.asTLS(isClientNamed: tls.certificateFile != nil)
        }
        client.report(.connectFailed(failure))
        return failure
    }

    private func sessionFailed(
        _ live: LiveSession, _ failure: MosquittoFailure, stood: Duration
    ) -> (failure: MosquittoFailure, isKnownClash: Bool) {
        client.sessionEnded()
        pace.sessionEnded(after: stood)
        let (oversized, verdict) = live.judge(failure, survives: survives)
        (limits, clash) = (live.limits, live.clash)
        var failure = failure
        if let oversized {
            failure = MosquittoFailure(
                .lost,
                "a message of \(oversized.bytes) bytes on \(oversized.topic) seems too large for the broker; "
                    + "it is dropped from now on (raise the broker's max_packet_size or message_size_limit)")
        }
        if verdict != .noClash { failure = client.takenOver }
        client.report(.disconnected(failure))
        return (failure, verdict == .knownClash)
    }

    private func survives(_ witness: Witness) -> Bool {
        let until = ContinuousClock.now + Self.survival
        while !client.isStopping, ContinuousClock.now < until {
            var descriptors = [
                pollfd(fd: client.wakeDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: witness.descriptor ?? -1, events: witness.interest, revents: 0),
            ]
            Glibc.poll(&descriptors, 2, min(until - .now, .seconds(1)).pollMilliseconds)
            if descriptors[0].revents != 0 { client.clearWake() }
            guard witness.serve(descriptors[1].revents) else { return false }
        }
        return true
    }

    // MARK: - Connecting

    /// Takes the broker's addresses in turn; those that fail at once make room for the next.
    private func connect() throws(MosquittoFailure) -> LiveSession {
        let addresses = try addresses()
        var failure = MosquittoFailure(.unreachable, "the broker's name has no address")
        for _ in addresses {
            let address = addresses[turn % addresses.count]
            turn = (turn + 1) % addresses.count
            do throws(MosquittoFailure) {
                return try LiveSession(client, address: address, limits: limits, clash: clash)
            } catch {
                failure = error
                guard error.code == .unreachable else { break }
            }
        }
        throw failure
    }

    /// With TLS the name itself, which the certificate is checked against: the library looks it up once more, right
    /// after the system has answered. Otherwise a name server that is away doesn't keep us from a broker that was known.
    private func addresses() throws(MosquittoFailure) -> [String] {
        let host = client.configuration.host
        guard NameLookup.isName(host) else { return [host] }
        names.begin { [client] in client.rouse() }
        let until = ContinuousClock.now + Self.lookupLimit
        var answer = names.takeAnswer()
        while answer == nil, !client.isStopping, ContinuousClock.now < until {
            sleep(until: until)
            answer = names.takeAnswer()
        }
        switch answer {
        case .addresses(let addresses)?:
            if addresses != knownAddresses { (knownAddresses, turn) = (addresses, 0) }
            return client.configuration.tls == nil ? addresses : [host]
        case .failed(let why)?: return try fallback("\(host): \(why)")
        case nil: return try fallback("\(host): the name server does not answer")
        }
    }

    private func fallback(_ why: String) throws(MosquittoFailure) -> [String] {
        guard client.configuration.tls == nil, !knownAddresses.isEmpty else {
            throw MosquittoFailure(.unreachable, why)
        }
        return knownAddresses
    }

    // MARK: - Waiting

    private func wait(_ duration: Duration) {
        let until = ContinuousClock.now + duration
        while !client.isStopping, ContinuousClock.now < until { sleep(until: until) }
    }

    /// Until then, or until somebody rouses the thread.
    private func sleep(until: ContinuousClock.Instant) {
        var descriptor = pollfd(fd: client.wakeDescriptor, events: Int16(POLLIN), revents: 0)
        Glibc.poll(&descriptor, 1, (until - .now).pollMilliseconds)
        if descriptor.revents != 0 { client.clearWake() }
    }
}
