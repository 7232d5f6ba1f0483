import FoundationEssentials
public import Gateway
import GatewayReports
import NIOSSL
import ReceiverProtocol
import SondeHubProtocol
import Synchronization

/// Makes a session of MQTT 3.1.1 over the UNIX socket at a path, with QoS 0 subscriptions to the topics. This target
/// speaks no MQTT.
public typealias StreamSessionMaker =
    @Sendable (_ path: String, _ topics: [String]) throws(BrokerFailure) -> any MessageBroker

/// Opens connections to SondeHub's live stream, one after the other.
final class LiveStream: Sendable {
    /// The limit until the server has accepted the WebSocket.
    private static let connectTimeout = Duration.seconds(10)
    /// The shortest time between two deliveries, so that a flood of frames does not occupy the reader.
    private static let spacing = Duration.milliseconds(100)

    private let makeSession: StreamSessionMaker
    private let tls: TLSConfiguration
    private let userAgent: String
    /// The address that the API named; nil before the first answer, and after the address could not be reached.
    private let found = Mutex<StreamAddress?>(nil)

    init(_ makeSession: @escaping StreamSessionMaker, authorities: String?, userAgent: String) {
        self.makeSession = makeSession
        tls = HTTPFetcher.tls(authorities)
        self.userAgent = userAgent
    }

    /// - Parameters:
    ///   - find: finds the address, if none is known.
    ///   - receive: returns false to end the connection.
    /// - Throws: why the connection ended. It only returns if `receive` ends it.
    func run(
        of serial: SondeSerial, find: () async throws(OnlineServiceError) -> StreamAddress,
        _ receive: (SondeHubStreamNews) async -> Bool
    ) async throws(OnlineServiceError) {
        guard StreamFormat.canSubscribe(to: serial) else {
            throw OnlineServiceError(.refused, "the serial is not fit for a topic")
        }
        let known = found.withLock { $0 }
        let address = if let known { known } else { try await find() }
        let bridge: StreamBridge
        do throws(OnlineServiceError) {
            bridge = try await open(address)
        } catch {
            found.withLock { $0 = nil }
            throw error
        }
        found.withLock { $0 = address }
        let outcome = await serve(serial, over: bridge, receive)
        await bridge.close()
        if let outcome { throw outcome }
    }

    private func open(_ address: StreamAddress) async throws(OnlineServiceError) -> StreamBridge {
        try await abandoning(Self.connectTimeout) { [tls, userAgent] () async throws(OnlineServiceError) in
            do {
                return try await StreamBridge(to: address, tls: tls, userAgent: userAgent)
            } catch {
                throw OnlineServiceError(connection: error)
            }
        } late: { bridge in
            await bridge.close()
        }
    }

    /// - Returns: why the session ended; nil if `receive` ended it.
    private func serve(
        _ serial: SondeSerial, over bridge: StreamBridge, _ receive: (SondeHubStreamNews) async -> Bool
    ) async -> OnlineServiceError? {
        let session: any MessageBroker
        do throws(BrokerFailure) {
            session = try makeSession(bridge.path, StreamFormat.topics(of: serial))
        } catch {
            return OnlineServiceError(.unreachable, error.detail)
        }
        let inbox = StreamInbox(neededTopic: StreamFormat.frameTopic(of: serial))
        session.start()
        async let listening: Void = session.receive { event in inbox.receive(event) }
        let failure = await deliver(inbox, from: session, of: serial, receive)
        await session.stop()
        await listening
        guard let failure else { return nil }
        switch failure.code {
        case .refused: return OnlineServiceError(.refused, failure.detail)
        case .timedOut: return OnlineServiceError(.timedOut, bridge.ending.reason ?? failure.detail)
        case .configuration, .unreachable, .moved, .unsupportedVersion, .tls, .takenOver, .lost, .oversized, .busy:
            return OnlineServiceError(.unreachable, bridge.ending.reason ?? failure.detail)
        }
    }

    private func deliver(
        _ inbox: StreamInbox, from session: any MessageBroker, of serial: SondeSerial,
        _ receive: (SondeHubStreamNews) async -> Bool
    ) async -> BrokerFailure? {
        var known = 0
        for await _ in inbox.signals {
            let batch = inbox.drain()
            if batch.isOpened, await !receive(.opened) { return nil }
            if !batch.messages.isEmpty {
                var content = StreamFormat.decode(Array(batch.messages), of: serial)
                // In a burst the MQTT client itself drops the newest messages.
                let lost = session.incomingDropped
                content.frames.dropped = batch.dropped + lost - known
                known = lost
                for news in content.news { guard await receive(news) else { return nil } }
            }
            if let end = batch.end { return end }
            try? await Task.sleep(for: Self.spacing)
        }
        return BrokerFailure(.lost, "cancelled")
    }
}

extension StreamFormat.Content {
    fileprivate var news: [SondeHubStreamNews] {
        var news: [SondeHubStreamNews] = []
        if !frames.records.isEmpty || frames.skipped + frames.dropped > 0 { news.append(.frames(frames)) }
        if let prediction { news.append(.prediction(prediction)) }
        if !recoveries.isEmpty { news.append(.recoveries(recoveries)) }
        return news
    }
}
