/// A session's protocol version. MQTT 3.1.1 has no message expiry, no response topic and no reasons, and does not show
/// the retain flag of live messages.
public enum MQTTVersion: String, Sendable, CaseIterable {
    case v311 = "3.1.1"
    case v5 = "5"
}
