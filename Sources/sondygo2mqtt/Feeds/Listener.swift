/// A port of this machine on which the gateway is to listen.
struct Listener {
    /// The configuration key of the port.
    var key: String
    /// An address of this machine.
    var host: String
    var port: Int
    /// UDP; TCP otherwise.
    var isDatagram = false

    /// Why the port can't be opened now, as the end of a sentence; nil if it can.
    var fault: String? {
        PortProbe.fault(at: host, port: port, isDatagram: isDatagram)
            .map { ": \($0) (by the running gateway? ss -lntup tells)" }
    }

    /// The line in `doctor` for a feed that is a TCP server on this port.
    func finding(of feed: String) -> Finding {
        let place = "TCP port \(port) of \(host)"
        return fault.map { Finding.note(feed, place + $0) } ?? Finding.ok(feed, "\(place) is free")
    }
}
