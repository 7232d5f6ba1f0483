/// What a session speaks. MQTT 3.1.1 has no message expiry, no response topic and no reasons, and hides whether a live
/// message is retained.
public enum MQTTVersion: String, Sendable, CaseIterable {
    case v311 = "3.1.1"
    case v5 = "5"
}
