public import Gateway

/// The brokers' addresses, and the client's identity.
public struct MosquittoConfiguration: Equatable, Sendable {
    /// Files are PEM. With TLS the broker's name is always checked.
    public struct TLS: Equatable, Sendable {
        /// Nil for the system's authorities.
        public var caFile: String?
        public var certificateFile: String?
        public var keyFile: String?

        public init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
            self.caFile = caFile
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The message that the broker publishes for us when the session breaks.
    public struct Will: Equatable, Sendable {
        public var topic: String
        public var payload: [UInt8]

        public init(topic: String, payload: [UInt8]) {
            self.topic = topic
            self.payload = payload
        }
    }

    /// At least one. The client uses the one that last served it; if that fails, the next.
    public var brokers: [BrokerAddress]
    public var clientID: String
    public var username: String?
    public var password: String?
    /// The password's file exists, but this user may not read it.
    public var unreadablePasswordFile: String?
    /// Nil for MQTT 5, or 3.1.1 if the broker does not speak MQTT 5.
    public var version: MQTTVersion?
    public var tls: TLS?
    /// Retained, QoS 1.
    public var will: Will?
    /// Topics that every session subscribes to.
    public var subscriptions: [String]
    /// The quality of service of the subscriptions, 0 or 1.
    public var subscriptionQoS: Int32 = 1
    /// The subscriptions with "retain as published" (MQTT 5): their live messages also show the retain flag. On the
    /// other subscriptions only messages that the broker had stored show it.
    public var retainAsPublished: Set<String>
    public var keepAliveSeconds: Int32
    /// On MQTT 3.1.1 a message that is too large is read and dropped, and the session goes on. Else the session ends,
    /// before the message is in memory.
    public var readsOversized = false
    public var times = BrokerTimes()
    /// The file in which a start is noted that the library's abort ends; nil without that guard.
    public var markPath: String?
    /// Incoming messages kept for a slow consumer; more are dropped and counted.
    public var incomingLimit = 256

    var login: BrokerLogin {
        let hidden = unreadablePasswordFile.map { BrokerLogin.Password.unreadable(file: $0) }
        return BrokerLogin(username: username, password: password.map { .init($0) } ?? hidden ?? .none)
    }

    /// - Parameter host: the only broker.
    public init(
        host: String = "localhost", port: Int = 1883, clientID: String, username: String? = nil,
        password: String? = nil, version: MQTTVersion? = nil, tls: TLS? = nil, will: Will? = nil,
        subscriptions: [String] = [], retainAsPublished: Set<String> = [], keepAliveSeconds: Int32 = 15
    ) {
        brokers = [BrokerAddress(host: host, port: port)]
        self.clientID = clientID
        self.username = username
        self.password = password
        self.version = version
        self.tls = tls
        self.will = will
        self.subscriptions = subscriptions
        self.retainAsPublished = retainAsPublished
        self.keepAliveSeconds = keepAliveSeconds
    }
}
