import FoundationEssentials
import Gateway
import GatewayReports
import NIOSSL
import ReceiverProtocol
import SondeHubProtocol
import Synchronization

/// Opens connections to SondeHub's live stream, one after the other.
final class LiveStream: Sendable {
    /// The limit until the server has accepted the WebSocket.
    private static let connectTimeout = Duration.seconds(10)
    /// The shortest time between two deliveries, so that a flood of frames does not occupy the reader.
    private static let spacing = Duration.milliseconds(100)

    private let keepAlive: Duration
    private let tls: TLSConfiguration
    private let userAgent: String
    /// The address that the API named; nil before the first answer, and after the address could not be reached.
    private let found = Mutex<StreamAddress?>(nil)

    init(keepAlive: Duration, authorities: String?, userAgent: String) {
        self.keepAlive = keepAlive
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
        let inbox = StreamInbox()
        let connection: StreamConnection
        do throws(OnlineServiceError) {
            connection = try await open(address, of: serial, into: inbox)
        } catch {
            found.withLock { $0 = nil }
            throw error
        }
        found.withLock { $0 = address }
        let outcome = await deliver(inbox, of: serial, receive)
        await connection.close()
        if let outcome { throw outcome }
    }

    private func open(
        _ address: StreamAddress, of serial: SondeSerial, into inbox: StreamInbox
    ) async throws(OnlineServiceError) -> StreamConnection {
        // The random id keeps a broker from taking two gateways for one.
        let id = "sondygo" + String(UInt64.random(in: .min ... .max), radix: 36)
        let session = StreamSession(clientID: id, topics: StreamFormat.topics(of: serial), keepAlive: keepAlive)
        return try await abandoning(Self.connectTimeout) { [tls, userAgent] () async throws(OnlineServiceError) in
            do {
                return try await StreamConnection(
                    to: address, tls: tls, userAgent: userAgent, session: session, inbox: inbox)
            } catch {
                throw OnlineServiceError(connection: error)
            }
        } late: { connection in
            await connection.close()
        }
    }

    /// - Returns: why the session ended; nil if `receive` ended it.
    private func deliver(
        _ inbox: StreamInbox, of serial: SondeSerial, _ receive: (SondeHubStreamNews) async -> Bool
    ) async -> OnlineServiceError? {
        for await _ in inbox.signals {
            let batch = inbox.drain()
            if batch.isOpened, await !receive(.opened) { return nil }
            if !batch.messages.isEmpty {
                var content = StreamFormat.decode(Array(batch.messages), of: serial)
                content.frames.dropped = batch.dropped
                for news in content.news { guard await receive(news) else { return nil } }
            }
            if let end = batch.end { return end }
            try? await Task.sleep(for: Self.spacing)
        }
        return OnlineServiceError(.cancelled, "cancelled")
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
