import CMosquitto
import Gateway

extension MQTTVersion {
    /// The text of a broker's reason code.
    func reasonText(_ reason: Int32) -> String {
        if reason < 128, self == .v311 { return String(cString: mosquitto_connack_string(reason)) }
        if reason < 128 { return MosquittoStatus(rawValue: reason).text }
        return String(cString: mosquitto_reason_string(reason))
    }

    /// The broker takes no login now, but will later: unavailable, busy, quota exceeded, connection rate exceeded. On
    /// MQTT 3.1.1 only the first has a code.
    fileprivate func isPassing(_ reason: Int32) -> Bool {
        self == .v311 ? reason == 3 : [0x88, 0x89, 0x97, 0x9F].contains(reason)
    }

    /// The broker does not accept the user or the password.
    fileprivate func isAboutUser(_ reason: Int32) -> Bool {
        self == .v311 ? reason == 4 || reason == 5 : [0x86, 0x87].contains(reason)
    }

    /// The broker does not accept the client id.
    fileprivate func isAboutClientID(_ reason: Int32) -> Bool { reason == (self == .v311 ? 2 : 0x85) }
}

extension BrokerFailure {
    /// The broker sends its clients to another server. The gateway does not follow: whoever could give that answer would
    /// get its password, and a certificate of a server that nobody has configured proves nothing.
    /// - Parameter other: the server's name as the broker tells it.
    /// - Returns: nil if the reason is another one.
    init?(moved reason: Int32, to other: String?) {
        let time: String
        switch UInt32(clamping: reason) {
        case MQTT_RC_USE_ANOTHER_SERVER.rawValue: time = "for now"
        case MQTT_RC_SERVER_MOVED.rawValue: time = "for good"
        default: return nil
        }
        let name = other.map { "another server, \(Self.printable($0))," } ?? "another server, which it does not name,"
        self.init(
            .moved, "the broker sends its clients to \(name) \(time); the gateway does not follow it: change mqtt.host")
    }

    /// A broker's words as visible ASCII, at most ``longestName`` characters.
    static func printable(_ name: String) -> String {
        String(name.unicodeScalars.prefix(longestName).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }

    private static let longestName = 120

    /// The broker refused the login with this reason code.
    init(loginRefused reason: Int32, by version: MQTTVersion, _ configuration: MosquittoConfiguration) {
        let text = version.reasonText(reason)
        if reason == Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue) || version == .v5 && reason == 1 {
            self.init(
                .unsupportedVersion, "the broker speaks no MQTT 5; set mqtt.protocol to auto or 3.1.1")
        } else if version.isPassing(reason) {
            self.init(.busy, "the broker takes no login now: \(text)")
        } else if version.isAboutClientID(reason) {
            let id = configuration.clientID
            self.init(
                .refused,
                "the broker refuses the client id \(id) of \(id.utf8.count) characters: \(text); some brokers take "
                    + "23 letters and digits at most, or only ids that they know; set mqtt.client_id")
        } else if version.isAboutUser(reason) {
            self.init(.refused, "the broker refuses the login: \(text) (\(configuration.login.text))")
        } else {
            self.init(.refused, "the broker refuses the login: \(text)")
        }
    }
}
