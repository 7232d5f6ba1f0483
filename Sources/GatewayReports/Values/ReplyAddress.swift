/// Where a command came from, and so where its answers go.
public enum ReplyAddress: Equatable, Sendable {
    /// The request's own response topic and correlation data (MQTT 5); nil goes to `<p>/command/response`.
    case mqtt(topic: String?, correlationData: [UInt8]?)
    /// One of the page's requests, by number; MQTT sees nothing of it.
    case page(UInt64)
}
