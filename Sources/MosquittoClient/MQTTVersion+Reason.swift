import CMosquitto
import Gateway

extension MQTTVersion {
    /// The text of a broker's reason code.
    func reasonText(_ reason: Int32) -> String {
        if reason < 128, self == .v311 { return String(cString: mosquitto_connack_string(reason)) }
        if reason < 128 { return MosquittoStatus(rawValue: reason).text }
        return String(cString: mosquitto_reason_string(reason))
    }
}

extension BrokerFailure {
    /// The broker refused the login with this reason code.
    init(loginRefused reason: Int32, by version: MQTTVersion) {
        if reason == Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue) || version == .v5 && reason == 1 {
            self.init(
                .unsupportedVersion, "the broker speaks no MQTT 5; set mqtt.protocol to auto or 3.1.1")
        } else {
            self.init(.refused, "the broker refuses the login: \(version.reasonText(reason))")
        }
    }
}
