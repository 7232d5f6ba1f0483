public import GatewayReports

/// What a transport tells about its work on a link, besides the link itself.
public enum LinkReport: Equatable, Sendable {
    /// The open link's own signal strength.
    case signal(dBm: Int)
    /// An attempt begins, so long after the last good link.
    case repairing(LinkRepair, withoutLink: Duration)
    /// Repairs have not helped: what a person should do, in a sentence.
    case advice(String)
    /// Another receiver is in range and is left alone.
    case passedOver(name: String, address: String)
    /// Packets of the link hold so few bytes that frames come in pieces or cut.
    case smallMTU(Int)
}
