/// The address for the answers to a command.
public enum ReplyAddress: Equatable, Sendable {
    /// The request's response topic and correlation data (MQTT 5). Without a topic, answers go to
    /// `<p>/command/response`.
    case mqtt(topic: String?, correlationData: [UInt8]?)
    /// A request of the page, by its number. Its answers are not published on MQTT.
    case page(UInt64)
}
