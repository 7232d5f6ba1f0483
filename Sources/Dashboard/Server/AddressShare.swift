import NIOCore

/// Shares the places of a server among the addresses of its clients, once all are taken.
///
/// No address has a limit of its own. A proxy on this machine brings all its users under 127.0.0.1, and may have all
/// places that nobody else wants. But a crowd from one address leaves every other one the places that it needs, up to an
/// equal share.
///
/// | who may have to make room | if its address has |
/// | --- | --- |
/// | a client for which the server waits | no fewer places than the newcomer's |
/// | any other client | at least two more than the newcomer's, so that it has no fewer afterwards |
enum AddressShare {
    /// A client that has a place.
    struct Holder {
        var address: String
        /// The later the higher.
        var number: UInt64
        /// Since when the server waits for the client; nil while it does not.
        var waitingSince: NIODeadline?
    }

    /// The client that makes room: one for which the server waits before any other, of the address that has the most.
    /// That is the one that has been waited for the longest, or the newest.
    /// - Returns: nil if no client has to.
    static func displaced<Key>(by newcomer: String, _ holders: [Key: Holder]) -> Key? {
        let counts = Dictionary(holders.values.map { ($0.address, 1) }, uniquingKeysWith: +)
        let own = counts[newcomer] ?? 0
        func rank(_ holder: Holder) -> (Int, Int, UInt64) {
            let since = holder.waitingSince?.uptimeNanoseconds
            return (since == nil ? 1 : 0, -(counts[holder.address] ?? 0), since ?? .max - holder.number)
        }
        return holders.filter { _, holder in
            (counts[holder.address] ?? 0) >= own + (holder.waitingSince == nil ? 2 : 0)
        }.min { rank($0.value) < rank($1.value) }?.key
    }
}

extension Channel {
    /// The address by which the client counts; empty if it is unknown.
    var clientNetwork: String { remoteAddress?.network ?? "" }
}
