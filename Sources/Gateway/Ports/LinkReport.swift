public import GatewayReports

/// News of a transport's work on a link.
public enum LinkReport: Equatable, Sendable {
    /// The signal strength of the open link.
    case signal(dBm: Int)
    /// The adapter's fault counters, about every 30 s while the link is open.
    case adapter(AdapterCounters)
    /// An attempt begins with this repair, this long after the last good link.
    case repairing(LinkRepair, withoutLink: Duration)
    /// Repairs have not helped. The value says what a person should do.
    case advice(LinkAdvice)
    /// Another receiver is in range, but does not match the configuration.
    case passedOver(name: String, address: String)
    /// A link has ended that brought bytes and no frame.
    case unreadable
    /// The link's packets are so small that frames come in pieces or are cut.
    case smallMTU(Int)
}
