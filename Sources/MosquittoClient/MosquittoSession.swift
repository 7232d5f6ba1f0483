import CMosquitto
import Glibc

/// One libmosquitto handle: one connection attempt and the session that comes of it. Used on one thread only.
///
/// A fresh handle per attempt keeps libmosquitto's own unbounded queue and its blocking reconnects out of play: what is
/// to survive a session is decided by ``MosquittoClient``.
final class MosquittoSession {
    /// What the callbacks copied out.
    enum Report {
        case connected(reason: Int32)
        case disconnected(reason: Int32)
        case message(MosquittoMessage)
        case acknowledged(messageID: Int32)
        /// The library's own words on an error, for the log.
        case complaint(String)
    }

    private let handle: OpaquePointer
    private let configuration: MosquittoConfiguration
    private var reports: [Report] = []

    /// - Throws: code `configuration` when an option or a TLS file can't be honoured.
    init(_ configuration: MosquittoConfiguration) throws(MosquittoFailure) {
        _ = Self.library
        guard let handle = mosquitto_new(configuration.clientID, true, nil) else {
            throw MosquittoFailure(.configuration, "libmosquitto refuses the client id \(configuration.clientID)")
        }
        self.handle = handle
        self.configuration = configuration
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        installCallbacks()
        try applyOptions()
    }

    deinit {
        mosquitto_destroy(handle)
    }

    /// libmosquitto's process-wide set-up, once.
    private static let library: Void = { mosquitto_lib_init() }()

    /// The connection's descriptor; nil before and after.
    var descriptor: Int32? {
        let descriptor = mosquitto_socket(handle)
        return descriptor >= 0 ? descriptor : nil
    }

    var wantsToWrite: Bool { mosquitto_want_write(handle) }

    /// Resolves the name on this thread and begins to connect without waiting.
    func connect() throws(MosquittoFailure) {
        let status = mosquitto_connect_async(
            handle, configuration.host, Int32(configuration.port), configuration.keepAliveSeconds)
        try check(status, .unreachable)
    }

    func read() throws(MosquittoFailure) { try check(mosquitto_loop_read(handle, 1), .lost) }
    func write() throws(MosquittoFailure) { try check(mosquitto_loop_write(handle, 1), .lost) }
    /// Keep-alive; to be called about once a second.
    func tick() throws(MosquittoFailure) { try check(mosquitto_loop_misc(handle), .lost) }

    func subscribe() throws(MosquittoFailure) {
        // Retain as published: a command that is published with the retain flag must show it, to be refused.
        let options = configuration.protocolVersion == .v5 ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        for topic in configuration.subscriptions {
            try check(mosquitto_subscribe_v5(handle, nil, topic, 1, options, nil), .lost)
        }
    }

    /// - Returns: the message id to wait for.
    func publish(_ message: MosquittoMessage) throws(MosquittoFailure) -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if configuration.protocolVersion == .v5 { try addProperties(of: message, to: &properties) }
        var messageID: Int32 = 0
        let status = mosquitto_publish_v5(
            handle, &messageID, message.topic, Int32(message.payload.count), message.payload, Int32(message.qos),
            message.isRetained, properties)
        try check(status, .lost)
        return messageID
    }

    /// A clean DISCONNECT: the broker keeps the will to itself.
    func disconnect() {
        mosquitto_disconnect(handle)
    }

    func takeReports() -> [Report] {
        defer { reports = [] }
        return reports
    }

    private func addProperties(
        of message: MosquittoMessage, to properties: inout OpaquePointer?
    ) throws(MosquittoFailure) {
        if let expiry = message.expirySeconds {
            let name = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
            try check(mosquitto_property_add_int32(&properties, name, expiry), .lost)
        }
        if let topic = message.responseTopic {
            let name = Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue)
            try check(mosquitto_property_add_string(&properties, name, topic), .lost)
        }
        if let data = message.correlationData {
            let name = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
            try check(mosquitto_property_add_binary(&properties, name, data, UInt16(clamping: data.count)), .lost)
        }
    }

    private func check(_ raw: Int32, _ code: MosquittoFailure.Code) throws(MosquittoFailure) {
        let error = errno
        let status = MosquittoStatus(rawValue: raw)
        guard status != .success else { return }
        throw status.failure(code, errno: error)
    }

    private func applyOptions() throws(MosquittoFailure) {
        let version = Int32(configuration.protocolVersion.rawValue)
        try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version), .configuration)
        try check(mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1), .configuration)
        if let username = configuration.username {
            try check(mosquitto_username_pw_set(handle, username, configuration.password), .configuration)
        }
        if let will = configuration.will {
            let status = mosquitto_will_set(handle, will.topic, Int32(will.payload.count), will.payload, 1, true)
            try check(status, .configuration)
        }
        guard let tls = configuration.tls else { return }
        for file in [tls.caFile, tls.certificateFile, tls.keyFile].compactMap({ $0 }) where access(file, R_OK) != 0 {
            throw MosquittoFailure(.configuration, "TLS: \(file): \(String(cString: strerror(errno)))")
        }
        if tls.caFile == nil {
            try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1), .configuration)
        }
        let status = mosquitto_tls_set(handle, tls.caFile, nil, tls.certificateFile, tls.keyFile, nil)
        guard MosquittoStatus(rawValue: status) == .success || tls.caFile == nil && tls.certificateFile == nil else {
            throw MosquittoFailure(
                .configuration, "TLS can't be set up: \(MosquittoStatus(rawValue: status).text)")
        }
        try check(mosquitto_tls_insecure_set(handle, false), .configuration)
    }

    private func installCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, context, reason, _, _ in
            MosquittoSession.from(context)?.reports.append(.connected(reason: reason))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
            MosquittoSession.from(context)?.reports.append(.disconnected(reason: reason))
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, messageID, _, _ in
            MosquittoSession.from(context)?.reports.append(.acknowledged(messageID: messageID))
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            var copy = MosquittoMessage(
                topic: String(cString: topic), payload: Array(payload), qos: UInt8(clamping: message.qos),
                isRetained: message.retain)
            copy.responseTopic = MosquittoSession.responseTopic(properties)
            copy.correlationData = MosquittoSession.correlationData(properties)
            MosquittoSession.from(context)?.reports.append(.message(copy))
        }
        mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING, let text else { return }
            MosquittoSession.from(context)?.reports.append(.complaint(String(cString: text)))
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoSession? {
        context.map { Unmanaged<MosquittoSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func responseTopic(_ properties: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let name = Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue)
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
