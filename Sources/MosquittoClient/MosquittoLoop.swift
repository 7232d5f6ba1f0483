import CLinux
import Gateway
import Glibc

/// The thread's loop: look up the name, connect, serve the session, wait. Runs only on the client's thread.
final class MosquittoLoop {
    /// How long an attempt waits for the look-up of the broker's name. A longer look-up goes on beside the loop.
    private static let lookupLimit = Duration.seconds(2)

    private let client: MosquittoClient
    private let names: NameLookup
    private var choice: ProtocolChoice
    private var rule = ReconnectRule()
    private var knownAddresses: [String] = []
    /// Index of the address to try next.
    private var turn = 0

    init(_ client: MosquittoClient) {
        self.client = client
        names = NameLookup(client.configuration.host)
        choice = ProtocolChoice(client.configuration.version)
    }

    func run() {
        while !client.isStopping {
            let pause = runSession()
            guard !client.isStopping else { break }
            wait(pause)
        }
        client.finished()
    }

    /// Runs one connection from its beginning to its end.
    /// - Returns: the time until the next attempt.
    private func runSession() -> Duration {
        var live: LiveSession?
        do throws(BrokerFailure) {
            let session = try connect()
            live = session
            try session.serve()
            choice.accepted()
            client.sessionEnded()
            return .zero
        } catch {
            if let session = live, let openedAt = session.openedAt {
                return sessionFailed(session, error, stood: .now - openedAt)
            }
            return attemptFailed(error, live)
        }
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
        rule.attemptFailed(isReached: isUnanswered || live?.isLoggedIn == true)
        if let tls = client.configuration.tls, failure.code != .refused {
            failure = failure.asTLS(isClientNamed: tls.certificateFile != nil)
        } else if isUnanswered, client.configuration.version == .v5 {
            failure.detail += "; a broker that speaks MQTT 3.1.1 only hangs up like this: try mqtt.protocol: auto"
        }
        client.report(.connectFailed(failure))
        return rule.pause(after: failure.code, random: Double.random(in: 0..<1))
    }

    private func sessionFailed(_ live: LiveSession, _ failure: BrokerFailure, stood: Duration) -> Duration {
        client.sessionEnded()
        choice.accepted()
        let isTakenOver = live.judge(failure, stood: stood)
        rule = live.rule
        let failure = isTakenOver ? client.takenOver : failure
        client.report(.disconnected(failure))
        return rule.pause(after: failure.code, random: Double.random(in: 0..<1))
    }

    // MARK: - Connecting

    /// Tries the broker's addresses in turn, until one does not fail at once.
    private func connect() throws(BrokerFailure) -> LiveSession {
        let addresses = try addresses()
        var failure = BrokerFailure(.unreachable, "the broker's name has no address")
        for _ in addresses {
            let address = addresses[turn % addresses.count]
            turn = (turn + 1) % addresses.count
            do throws(BrokerFailure) {
                return try LiveSession(client, address: address, choice: choice, rule: rule)
            } catch {
                failure = error
                guard error.code == .unreachable else { break }
            }
        }
        throw failure
    }

    /// With TLS only the name, because the library checks the certificate against it; the library then looks the name
    /// up again. Without TLS the known addresses are used while the name server is away.
    private func addresses() throws(BrokerFailure) -> [String] {
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

    private func fallback(_ why: String) throws(BrokerFailure) -> [String] {
        guard client.configuration.tls == nil, !knownAddresses.isEmpty else {
            throw BrokerFailure(.unreachable, why)
        }
        return knownAddresses
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
