import CLinux
import CMosquitto
import DequeModule
import Glibc
import Synchronization

/// The thread's body: connect, poll, read, write, wait, again. Everything here runs on that thread.
final class MosquittoLoop {
    private let client: MosquittoClient
    private var pace = RetryPace()
    private var connectedAt = 0.0
    /// Given to libmosquitto and not acknowledged yet: the message's key, by message id.
    private var unacknowledged: [Int32: UInt64?] = [:]
    private var lastComplaint: String?

    /// Seconds.
    private static let connectLimit = 10.0
    private static let flushLimit = 1.5

    init(_ client: MosquittoClient) {
        self.client = client
    }

    func run() {
        while !isStopping {
            let failure = runSession()
            guard !isStopping else { break }
            waitForRetry(pace.delay(after: failure, random: Double.random(in: 0..<1)))
        }
        client.finished()
    }

    private var isStopping: Bool { client.shared.withLock { $0.isStopping } }

    /// One connection from its beginning to its end.
    private func runSession() -> MosquittoFailure {
        lastComplaint = nil
        var isConnected = false
        do throws(MosquittoFailure) {
            let session = try MosquittoSession(client.configuration)
            defer { endSession() }
            try collectingReports(of: session, &isConnected) { isConnected throws(MosquittoFailure) in
                try session.connect()
                try serve(session, &isConnected)
            }
            return MosquittoFailure(.lost, "stopped")
        } catch {
            if isConnected { pace.sessionEnded(after: now() - connectedAt) }
            let failure = explained(error, isConnected: isConnected)
            if isConnected {
                client.report(.disconnected(failure))
            } else {
                client.report(.connectFailed(failure))
            }
            return failure
        }
    }

    /// A refusal, the reason of a DISCONNECT and what OpenSSL has against a certificate come as reports just before any
    /// of the library's calls fails - also the one that begins to connect; they say more than its return code.
    private func collectingReports(
        of session: MosquittoSession, _ isConnected: inout Bool,
        _ body: (inout Bool) throws(MosquittoFailure) -> Void
    ) throws(MosquittoFailure) {
        do throws(MosquittoFailure) {
            try body(&isConnected)
        } catch {
            try handleReports(of: session, &isConnected)
            throw error
        }
    }

    /// Returns after a clean stop; throws when the session fails.
    private func serve(_ session: MosquittoSession, _ isConnected: inout Bool) throws(MosquittoFailure) {
        let began = now()
        var lastTick = began
        var stopAt: Double?
        while true {
            try poll(session)
            if now() - lastTick >= 1 {
                lastTick = now()
                try session.tick()
            }
            try handleReports(of: session, &isConnected)
            if isConnected { try sendQueued(session) }
            if !isConnected, now() - began > Self.connectLimit {
                throw MosquittoFailure(.timedOut, "no answer within \(Int(Self.connectLimit)) seconds")
            }
            guard isStopping else { continue }
            let deadline = stopAt ?? now() + Self.flushLimit
            stopAt = deadline
            let isFlushed = unacknowledged.isEmpty && client.queueDepth == 0
            guard !isConnected || isFlushed || now() >= deadline else { continue }
            if isConnected { sayGoodbye(session) }
            return
        }
    }

    private func sayGoodbye(_ session: MosquittoSession) {
        session.disconnect()
        // A DISCONNECT that the socket didn't take at once gets a few more turns; an error is as good as gone.
        for _ in 0..<10 where session.wantsToWrite && session.descriptor != nil { _ = try? session.write() }
    }

    private func poll(_ session: MosquittoSession) throws(MosquittoFailure) {
        guard let descriptor = session.descriptor else {
            // The library closed the socket; its callback has told why.
            throw MosquittoFailure(.lost, "the connection was closed")
        }
        let interest = Int16(POLLIN) | (session.wantsToWrite ? Int16(POLLOUT) : 0)
        var descriptors = [
            pollfd(fd: descriptor, events: interest, revents: 0),
            pollfd(fd: client.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        Glibc.poll(&descriptors, 2, isStopping ? 50 : 1000)
        if descriptors[1].revents != 0 { clearWake() }
        let happened = descriptors[0].revents
        // Reading reports errors and hang-ups too.
        if happened & ~Int16(POLLOUT) != 0 { try session.read() }
        if happened & Int16(POLLOUT) != 0, session.descriptor != nil { try session.write() }
    }

    private func handleReports(
        of session: MosquittoSession, _ isConnected: inout Bool
    ) throws(MosquittoFailure) {
        var acknowledged: [UInt64] = []
        defer { if !acknowledged.isEmpty { client.report(.acknowledged(acknowledged)) } }
        for report in session.takeReports() {
            switch report {
            case .connected(let reason) where reason == 0:
                isConnected = true
                connectedAt = now()
                try session.subscribe()
                client.shared.withLock { $0.isConnected = true }
                client.report(.connected)
            case .connected(let reason):
                throw MosquittoFailure(.refused, "the broker refuses the login: \(reasonText(reason))")
            case .disconnected(let reason) where reason == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue):
                throw takenOver
            case .disconnected(let reason):
                throw MosquittoFailure(.lost, reason == 0 ? "disconnected" : reasonText(reason))
            case .message(let message): client.report(.message(message))
            case .acknowledged(let messageID):
                if let key = unacknowledged.removeValue(forKey: messageID) ?? nil { acknowledged.append(key) }
            case .complaint(let text): lastComplaint = text
            }
        }
    }

    /// Hands queued messages to the library as far as the window allows.
    private func sendQueued(_ session: MosquittoSession) throws(MosquittoFailure) {
        while unacknowledged.count < MosquittoClient.window {
            guard let message = client.shared.withLock({ $0.outgoing.popFirst() }) else { return }
            let messageID = try session.publish(message)
            unacknowledged[messageID] = .some(message.key)
            let hasDrained = client.shared.withLock { shared in
                guard shared.wasFull, shared.outgoing.count < MosquittoClient.queueLimit / 2 else { return false }
                shared.wasFull = false
                return true
            }
            if hasDrained { client.report(.drained) }
        }
    }

    /// Nothing is carried over into the next session.
    private func endSession() {
        unacknowledged = [:]
        client.shared.withLock { shared in
            shared.isConnected = false
            shared.outgoing = []
            shared.wasFull = false
        }
    }

    private func waitForRetry(_ seconds: Double) {
        let until = now() + seconds
        while !isStopping, now() < until {
            var descriptor = pollfd(fd: client.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            Glibc.poll(&descriptor, 1, Int32(max(1, (until - now()) * 1000)))
            if descriptor.revents != 0 { clearWake() }
        }
    }

    private func clearWake() {
        var value: eventfd_t = 0
        eventfd_read(client.wakeDescriptor, &value)
    }

    private var takenOver: MosquittoFailure {
        MosquittoFailure(
            .takenOver,
            "another client with the id \(client.configuration.clientID) takes the session; "
                + "give each gateway its own gateway.id or mqtt.client_id")
    }

    private func explained(_ failure: MosquittoFailure, isConnected: Bool) -> MosquittoFailure {
        if isConnected, pace.looksTakenOver { return takenOver }
        guard failure.code != .refused, failure.code != .takenOver else { return failure }
        let full = lastComplaint.map { MosquittoFailure(failure.code, "\(failure.detail) (\($0))") } ?? failure
        guard let tls = client.configuration.tls, !isConnected else { return full }
        return full.asTLS(isClientNamed: tls.certificateFile != nil)
    }

    private func reasonText(_ reason: Int32) -> String {
        if reason < 128, client.configuration.protocolVersion == .v311 {
            return String(cString: mosquitto_connack_string(reason))
        }
        if reason < 128 { return MosquittoStatus(rawValue: reason).text }
        return String(cString: mosquitto_reason_string(reason))
    }

    private func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
