/// What a broker may not offer, and the gateway can do without.
public enum BrokerFeature: Hashable, Sendable {
    /// It keeps no retained messages.
    case retained
    /// It takes messages of QoS 0 only, which it does not acknowledge.
    case acknowledgement
    /// It takes the user name as client id.
    case ownID

    /// For people: what the broker does not do, and what that costs.
    public var lack: (what: String, cost: String) {
        switch self {
        case .retained:
            ("keeps no retained messages", "who subscribes later, sees a value only when it changes")
        case .acknowledgement:
            ("takes messages of QoS 0 only", "what is under way when the line breaks, is lost")
        case .ownID:
            (
                "takes the user name as client id",
                "a login ends the session of another client with the same user: give the gateway, `send`, dashboards and "
                    + "doctor a user each"
            )
        }
    }
}
