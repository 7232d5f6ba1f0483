import Gateway
import MQTTPublishing
import MosquittoClient

/// The gateway's broker port on libmosquitto.
struct BrokerAdapter: Gateway.MessageBroker {
    private let client: MosquittoClient
    /// Another client with our id is told of once in this time.
    private static let clashMemory = Duration.seconds(3600)

    init(_ client: MosquittoClient) {
        self.client = client
    }

    var queueDepth: Int { client.queueDepth }
    var incomingDropped: Int { client.incomingDropped }

    func start() { client.start() }
    func stop() async { await client.stop() }

    func receive(_ body: (BrokerEvent) async -> Void) async {
        var clashTold: ContinuousClock.Instant?
        for await event in client.events {
            switch event {
            case .connected: await body(.connected)
            case .disconnected(let failure):
                let isClash = failure.code == .takenOver
                let isNews = !isClash || clashTold.map { .now - $0 > Self.clashMemory } ?? true
                if isClash, isNews { clashTold = .now }
                await body(.disconnected(reason: isNews ? failure.description : nil))
            case .connectFailed(let failure): await body(.connectFailed(reason: failure.description))
            case .drained: await body(.drained)
            case .acknowledged(let keys): await body(.acknowledged(keys))
            case .refused(let topic, let bytes, let reason):
                await body(.refused(topic: topic, bytes: bytes, reason: reason))
            case .subscriptionRefused(let topic, let reason):
                await body(.subscriptionRefused(topic: topic, reason: reason))
            case .message(let message):
                await body(
                    .message(
                        IncomingMessage(
                            topic: message.topic, payload: message.payload, isRetained: message.isRetained,
                            mayBeRetained: message.mayBeRetained, responseTopic: message.responseTopic,
                            correlationData: message.correlationData)))
                client.messageTaken()
            }
        }
    }

    func publish(_ message: OutgoingMessage) -> PublishOutcome {
        PublishOutcome(client.publish(MosquittoMessage(message)))
    }

    func publish(_ messages: [OutgoingMessage]) -> [PublishOutcome] {
        client.publish(messages.map { MosquittoMessage($0) }).map { PublishOutcome($0) }
    }
}

extension MosquittoMessage {
    fileprivate init(_ message: OutgoingMessage) {
        self.init(
            topic: message.topic, payload: message.payload, qos: message.qos, isRetained: message.isRetained,
            expirySeconds: message.expirySeconds, correlationData: message.correlationData, key: message.key)
    }
}

extension PublishOutcome {
    fileprivate init(_ publication: MosquittoClient.Publication) {
        switch publication {
        case .taken: self = .taken
        case .full: self = .full
        case .offline: self = .offline
        case .tooLarge(let limit): self = .tooLarge(limit: limit)
        }
    }
}

extension MosquittoConfiguration {
    /// - Parameter topics: the will and the subscriptions; nil for a client that is not the gateway.
    init(_ configuration: Configuration, clientID: String, topics: Topics?) {
        let mqtt = configuration.mqtt
        let tls = TLS(caFile: mqtt.caFile, certificateFile: mqtt.certificateFile, keyFile: mqtt.keyFile)
        self.init(
            host: mqtt.host, port: mqtt.host.hasPrefix("/") ? 0 : mqtt.port, clientID: clientID,
            username: mqtt.username, password: configuration.password, protocolVersion: mqtt.protocolVersion,
            tls: mqtt.usesTLS ? tls : nil,
            will: topics.map { Will(topic: $0.bridgeState, payload: Array("offline".utf8)) },
            subscriptions: topics.map {
                $0.subscriptions + configuration.homeAssistantOptions.subscriptions(of: $0)
                    + [configuration.car.ownTracks].compactMap { $0 }
            } ?? [], retainAsPublished: Set(topics?.commands ?? []))
    }
}
