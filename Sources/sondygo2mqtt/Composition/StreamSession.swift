import Gateway
import MosquittoClient
import SondeHubClient

/// The MQTT sessions of SondeHub's live stream: libmosquitto at the UNIX socket of `SondeHubClient`'s bridge.
enum StreamSession {
    /// Each connection has a random client id, so that no broker takes two gateways for one.
    static let make: StreamSessionMaker = { path, topics throws(BrokerFailure) in
        let id = String(UInt64.random(in: .min ... .max), radix: 36)
        var session = MosquittoConfiguration(
            host: path, port: 0, clientID: "sondygo-\(id)", version: .v311, subscriptions: topics,
            keepAliveSeconds: keepAliveSeconds)
        session.subscriptionQoS = 0
        return try MosquittoClient(session)
    }

    /// A connection that is only half open is noticed after this time, or a little more.
    private static let keepAliveSeconds: Int32 = 30
}
