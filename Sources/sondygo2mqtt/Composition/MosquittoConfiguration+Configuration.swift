import Gateway
import MQTTPublishing
import MosquittoClient

extension MosquittoConfiguration {
    /// - Parameter topics: the will and the subscriptions; nil for a client that is not the gateway.
    init(_ configuration: Configuration, clientID: String, topics: Topics?) {
        let mqtt = configuration.mqtt
        let tls = TLS(caFile: mqtt.caFile, certificateFile: mqtt.certificateFile, keyFile: mqtt.keyFile)
        self.init(
            clientID: clientID, username: mqtt.username, password: configuration.password, version: mqtt.version,
            tls: mqtt.usesTLS ? tls : nil,
            will: topics.map { Will(topic: $0.bridgeState, payload: Array("offline".utf8)) },
            subscriptions: topics.map {
                $0.subscriptions + configuration.homeAssistantOptions.subscriptions(of: $0)
                    + [configuration.car.ownTracks].compactMap { $0 }
            } ?? [], retainAsPublished: Set(topics?.commands ?? []))
        brokers = mqtt.brokers
        unreadablePasswordFile = configuration.unreadablePasswordFile
        // The board, `doctor` and the others follow what the gateway has learned, and add to it.
        markPath = configuration.gateway.stateDirectory + "/mqtt5_start"
    }
}
