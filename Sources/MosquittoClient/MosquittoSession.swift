import CMosquitto
import Gateway
import Glibc

/// One libmosquitto handle: one connection attempt and its session. Used on one thread only.
///
/// Each attempt has a new handle, so libmosquitto's unbounded queue and its blocking reconnects are never used.
final class MosquittoSession {
    /// What a callback of the library reported, copied.
    enum Report {
        /// - maximumPacket: bytes; nil if the broker names no limit (on MQTT 3.1.1 it never does).
        /// - lacks: what the broker says that it does not offer.
        /// - otherServer: the one that the broker names instead of itself.
        case connected(reason: Int32, maximumPacket: Int?, lacks: Set<BrokerFeature>, otherServer: String?)
        case disconnected(reason: Int32, otherServer: String?)
        /// - reason: 128 and above means that the broker refused the subscription.
        case subscriptionAnswered(topic: String, reason: Int32)
        case message(IncomingMessage)
        /// A message was larger than ``MosquittoSession/incomingLimit``.
        case oversized(topic: String, bytes: Int)
        /// - reason: 128 and above means that the broker refused the message (MQTT 5).
        case acknowledged(messageID: Int32, reason: Int32)
        /// The library's text about an error, for the log.
        case complaint(String)
    }

    /// The largest packet that the broker may send, in bytes. On MQTT 5 the broker drops larger ones.
    static let incomingLimit = 65_536

    let handle: OpaquePointer
    let configuration: MosquittoConfiguration
    private let version: MQTTVersion
    private let lacks: Set<BrokerFeature>
    /// So many bytes may be in a segment to the broker; nil for the path's limit.
    private let segmentLimit: Int32?
    private var reports: [Report] = []
    /// Topics of unanswered subscriptions by message id.
    private var subscriptionsOut: [Int32: String] = [:]

    /// - Parameters:
    ///   - resumes: the broker may still have the last session, whose will it then does not publish.
    ///   - lacks: what the broker does not offer: it would refuse a will that needs it.
    ///   - segmentLimit: bytes; nil for the path's limit.
    /// - Throws: code `configuration` if an option can't be used.
    init(
        _ configuration: MosquittoConfiguration, _ version: MQTTVersion, resumes: Bool = false,
        lacks: Set<BrokerFeature> = [], segmentLimit: Int32? = nil
    ) throws(BrokerFailure) {
        _ = Self.library
        let isClean = version == .v311 || configuration.will == nil || !resumes
        guard let handle = mosquitto_new(configuration.clientID, isClean, nil) else {
            throw BrokerFailure(.configuration, "libmosquitto refuses the client id \(configuration.clientID)")
        }
        self.handle = handle
        self.configuration = configuration
        self.version = version
        self.lacks = lacks
        self.segmentLimit = segmentLimit
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        installCallbacks()
        try applyOptions()
        if version == .v5 { try plantConnectProperties() }
    }

    deinit {
        mosquitto_destroy(handle)
    }

    /// Initialises libmosquitto once for the process.
    private static let library: Void = { mosquitto_lib_init() }()

    /// The connection's descriptor; nil before it begins and after it ends.
    var descriptor: Int32? {
        let descriptor = mosquitto_socket(handle)
        return descriptor >= 0 ? descriptor : nil
    }

    var wantsToWrite: Bool { mosquitto_want_write(handle) }

    /// The connection is established; the broker may not have answered CONNECT yet.
    private(set) var isEstablished = false
    /// The broker has answered CONNECT.
    private(set) var hasAnswer = false

    /// The first bytes are those of the expected protocol.
    private var knowsPeer = false
    /// What answers there is no broker, or not as configured.
    private(set) var peerFailure: BrokerFailure?
    /// Nil without TLS.
    var certificateCheck: CertificateCheck?

    /// The events to poll the descriptor for.
    var interest: Int16 { Int16(POLLIN) | (wantsToWrite || !isEstablished ? Int16(POLLOUT) : 0) }

    /// - Parameter happened: the events that `poll` returned.
    func serve(_ happened: Int16) throws(BrokerFailure) {
        let isHandshake = configuration.tls != nil && !hasAnswer
        // The library goes on with a TLS handshake although the connection has failed.
        let end = isHandshake && happened & Int16(POLLERR | POLLHUP) != 0 ? connectionError : nil
        let neverStood = end != nil && !isEstablished
        if let end, neverStood, ![0, ECONNRESET, EPIPE].contains(end) {
            throw BrokerFailure(.unreachable, String(cString: strerror(end)))
        }
        let isWritable = happened & Int16(POLLOUT) != 0
        if isWritable { isEstablished = true }
        if !hasAnswer { try peekAtAnswer() }
        // The library continues a TLS handshake only in a read. A read also reports errors and hang-ups.
        if happened & ~Int16(POLLOUT) != 0 || isHandshake && isWritable { try read() }
        // The kernel gave the error to the library when the handshake began; the library does not tell it.
        if neverStood { throw BrokerFailure(.unreachable, String(cString: strerror(ECONNREFUSED))) }
        if let end {
            throw BrokerFailure(.lost, end == 0 ? "the connection was lost" : String(cString: strerror(end)))
        }
        if isWritable, descriptor != nil { try write() }
    }

    /// Looks at the first bytes from the other side before the library reads them.
    private func peekAtAnswer() throws(BrokerFailure) {
        guard !knowsPeer, let descriptor else { return }
        var bytes = [UInt8](repeating: 0, count: PeerProtocol.knownBy)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard count > 0 else { return }
        // Fewer bytes of the expected protocol may be the beginning of more.
        knowsPeer = count == bytes.count
        let usesTLS = configuration.tls != nil
        guard let failure = PeerProtocol(firstBytes: bytes.prefix(count), usesTLS: usesTLS)?.failure else { return }
        peerFailure = failure
        throw failure
    }

    /// The socket's error as `errno`; the kernel returns it once.
    private var connectionError: Int32 {
        var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard let descriptor, getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return 0 }
        return error
    }

    /// Begins to connect and does not wait. The library resolves a name on this thread.
    func connect(to place: BrokerAddress) throws(BrokerFailure) {
        if configuration.tls != nil { try checkCertificate(for: place.certificateName) }
        // A UNIX socket does not have this option, and the library would complain.
        if place.port != 0 { try check(mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1), .configuration) }
        let status = mosquitto_connect_async(
            handle, place.host, Int32(clamping: place.port), configuration.keepAliveSeconds)
        try check(status, .unreachable)
        // Before the other side has answered, so that it holds from the first segment on.
        if var segmentLimit, place.port != 0, let descriptor {
            setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segmentLimit, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    private func read() throws(BrokerFailure) { try check(mosquitto_loop_read(handle, 1), .lost) }
    func write() throws(BrokerFailure) { try check(mosquitto_loop_write(handle, 1), .lost) }
    /// Runs `body`, whose packets the kernel sends together, in as few segments as they need. A UNIX socket has no
    /// segments and ignores it.
    func together(_ body: () throws(BrokerFailure) -> Void) throws(BrokerFailure) {
        cork(1)
        defer { cork(0) }
        try body()
    }

    private func cork(_ value: Int32) {
        guard let descriptor else { return }
        var value = value
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Does keep-alive; call it about once a second.
    func tick() throws(BrokerFailure) { try check(mosquitto_loop_misc(handle), .lost) }

    func subscribe(to topic: String) throws(BrokerFailure) {
        let showsFlag = version == .v5 && configuration.retainAsPublished.contains(topic)
        let options = showsFlag ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        var messageID: Int32 = 0
        try check(mosquitto_subscribe_v5(handle, &messageID, topic, configuration.subscriptionQoS, options, nil), .lost)
        subscriptionsOut[messageID] = topic
    }

    /// - Returns: the message id of the acknowledgement.
    /// - Throws: code `refused` if the library refuses only this message.
    func publish(_ message: OutgoingMessage) throws(BrokerFailure) -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if version == .v5 { try addProperties(of: message, to: &properties) }
        var messageID: Int32 = 0
        let status = mosquitto_publish_v5(
            handle, &messageID, message.topic, Int32(clamping: message.payload.count), message.payload,
            Int32(message.qos), message.isRetained, properties)
        try check(status, Self.isOfThisMessage(status) ? .refused : .lost)
        return messageID
    }

    private static func isOfThisMessage(_ status: Int32) -> Bool {
        [
            MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET,
            MOSQ_ERR_QOS_NOT_SUPPORTED,
        ].contains { $0.rawValue == status }
    }

    /// Sends a clean DISCONNECT, after which the broker does not publish the will.
    func disconnect() {
        mosquitto_disconnect(handle)
    }

    var reportCount: Int { reports.count }

    func takeReports() -> [Report] {
        defer { reports = [] }
        return reports
    }

    private func addProperties(
        of message: OutgoingMessage, to properties: inout OpaquePointer?
    ) throws(BrokerFailure) {
        if let expiry = message.expirySeconds {
            let name = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
            try check(mosquitto_property_add_int32(&properties, name, expiry), .lost)
        }
        if let data = message.correlationData {
            let name = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
            try check(mosquitto_property_add_binary(&properties, name, data, UInt16(clamping: data.count)), .lost)
        }
    }

    func check(_ raw: Int32, _ code: BrokerFailure.Code) throws(BrokerFailure) {
        let error = errno
        let status = MosquittoStatus(rawValue: raw)
        guard status != .success else { return }
        throw status.failure(code, errno: error)
    }

    private func applyOptions() throws(BrokerFailure) {
        let number = version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, number), .configuration)
        if let username = configuration.username {
            try check(mosquitto_username_pw_set(handle, username, configuration.password), .configuration)
        }
        if let will = configuration.will { try apply(will) }
        if let tls = configuration.tls { try apply(tls) }
    }

    private func apply(_ will: MosquittoConfiguration.Will) throws(BrokerFailure) {
        var properties: OpaquePointer?
        // The library owns the properties once it has accepted them.
        defer { mosquitto_property_free_all(&properties) }
        if version == .v5 {
            let name = Int32(MQTT_PROP_WILL_DELAY_INTERVAL.rawValue)
            let seconds = UInt32(clamping: configuration.times.willDelay.components.seconds)
            try check(mosquitto_property_add_int32(&properties, name, seconds), .configuration)
        }
        let status = mosquitto_will_set_v5(
            handle, will.topic, Int32(clamping: will.payload.count), will.payload,
            lacks.contains(.acknowledgement) ? 0 : 1, !lacks.contains(.retained), properties)
        if MosquittoStatus(rawValue: status) == .success { properties = nil }
        try check(status, .configuration)
    }

    /// Limits the packets that the broker may send, to save memory, and keeps a session with a will as long as the will
    /// waits. The asynchronous connect can't be given properties,
    /// but the handle keeps those of a failed connect. So this connects to a folder, which fails.
    private func plantConnectProperties() throws(BrokerFailure) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        let name = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
        try check(mosquitto_property_add_int32(&properties, name, UInt32(Self.incomingLimit)), .configuration)
        if configuration.will != nil {
            let expiry = Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue)
            let seconds = UInt32(clamping: configuration.times.willDelay.components.seconds)
            try check(mosquitto_property_add_int32(&properties, expiry, seconds), .configuration)
        }
        let status = mosquitto_connect_bind_v5(handle, "/", 0, configuration.keepAliveSeconds, nil, properties)
        // An error in the properties is returned before the failure to connect.
        guard status == MOSQ_ERR_ERRNO.rawValue || status == MOSQ_ERR_NOT_SUPPORTED.rawValue else {
            return try check(status, .configuration)
        }
    }

    private func installCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, context, reason, _, properties in
            var limit: UInt32 = 0
            let name = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
            let isTold = mosquitto_property_read_int32(properties, name, &limit, false) != nil
            var (retains, qos): (UInt8, UInt8) = (1, 2)
            mosquitto_property_read_byte(properties, Int32(MQTT_PROP_RETAIN_AVAILABLE.rawValue), &retains, false)
            mosquitto_property_read_byte(properties, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &qos, false)
            var lacks: Set<BrokerFeature> = retains == 0 ? [.retained] : []
            if qos == 0 { lacks.insert(.acknowledgement) }
            guard let session = MosquittoSession.from(context) else { return }
            session.hasAnswer = true
            session.reports.append(
                .connected(
                    reason: reason, maximumPacket: isTold ? Int(limit) : nil, lacks: lacks,
                    otherServer: MosquittoSession.text(MQTT_PROP_SERVER_REFERENCE, in: properties)))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, properties in
            let other = MosquittoSession.text(MQTT_PROP_SERVER_REFERENCE, in: properties)
            MosquittoSession.from(context)?.reports.append(.disconnected(reason: reason, otherServer: other))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, messageID, count, granted, _ in
            guard let session = MosquittoSession.from(context),
                let topic = session.subscriptionsOut.removeValue(forKey: messageID)
            else { return }
            let reason = count > 0 ? granted?.pointee ?? 0 : 0
            session.reports.append(.subscriptionAnswered(topic: topic, reason: reason))
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, messageID, reason, _ in
            MosquittoSession.from(context)?.reports.append(.acknowledged(messageID: messageID, reason: reason))
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let session = MosquittoSession.from(context), let message = message?.pointee,
                let topic = message.topic
            else { return }
            guard message.payloadlen <= MosquittoSession.incomingLimit else {
                let topic = String(cString: topic)
                return session.reports.append(.oversized(topic: topic, bytes: Int(message.payloadlen)))
            }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            let copy = IncomingMessage(
                topic: String(cString: topic), payload: Array(payload), isRetained: message.retain,
                responseTopic: MosquittoSession.text(MQTT_PROP_RESPONSE_TOPIC, in: properties),
                correlationData: MosquittoSession.correlationData(properties))
            session.reports.append(.message(copy))
        }
        mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING, let text else { return }
            MosquittoSession.from(context)?.reports.append(.complaint(MosquittoSession.readable(String(cString: text))))
        }
    }

    /// Call this when the session is open. Then only TLS errors have more text than the calls' status, and the library
    /// formats a log line for each packet while a log callback is set.
    func stopCollectingComplaints() {
        if configuration.tls == nil { mosquitto_log_callback_set(handle, nil) }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoSession? {
        context.map { Unmanaged<MosquittoSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func text(_ property: mqtt5_property, in properties: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let name = Int32(property.rawValue)
        guard mosquitto_property_read_string(properties, name, &text, false) != nil, let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static func correlationData(_ properties: OpaquePointer?) -> [UInt8]? {
        var data: UnsafeMutableRawPointer?
        var length: UInt16 = 0
        let name = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
        guard mosquitto_property_read_binary(properties, name, &data, &length, false) != nil else { return nil }
        defer { free(data) }
        return Array(UnsafeRawBufferPointer(start: data, count: Int(length)))
    }
}
