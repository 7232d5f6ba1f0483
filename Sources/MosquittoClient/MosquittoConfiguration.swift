public import Gateway

/// How to reach the broker, and as whom.
public struct MosquittoConfiguration: Equatable, Sendable {
    /// Files are PEM. With TLS the broker's name is always checked.
    public struct TLS: Equatable, Sendable {
        /// Nil takes the system's authorities.
        public var caFile: String?
        public var certificateFile: String?
        public var keyFile: String?

        public init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
            self.caFile = caFile
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// What the broker says for us when the session dies.
    public struct Will: Equatable, Sendable {
        public var topic: String
        public var payload: [UInt8]

        public init(topic: String, payload: [UInt8]) {
            self.topic = topic
            self.payload = payload
        }
    }

    /// A host name or address.
    public var host: String
    public var port: Int
    public var clientID: String
    public var username: String?
    public var password: String?
    /// Nil is MQTT 5, and 3.1.1 where the broker speaks no 5.
    public var version: MQTTVersion?
    public var tls: TLS?
    /// Retained, QoS 1.
    public var will: Will?
    /// Subscribed to, QoS 1, at every connection.
    public var subscriptions: [String]
    /// Those of them whose live messages show the retain flag that they were published with, too. Of the others only what
    /// the broker has kept shows it. MQTT 5.
    public var retainAsPublished: Set<String>
    public var keepAliveSeconds: Int32

    public init(
        host: String = "localhost", port: Int = 1883, clientID: String, username: String? = nil,
        password: String? = nil, version: MQTTVersion? = nil, tls: TLS? = nil, will: Will? = nil,
        subscriptions: [String] = [], retainAsPublished: Set<String> = [], keepAliveSeconds: Int32 = 15
    ) {
        self.host = host
        self.port = port
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
