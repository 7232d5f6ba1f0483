/// A port of this machine that the configuration wants to listen at.
struct Listener {
    /// That chooses it.
    var key: String
    /// An address of this machine.
    var host: String
    var port: Int
    /// UDP; TCP otherwise.
    var isDatagram = false

    /// Why it can't be had now, for the end of a sentence; nil when it can be had.
    var fault: String? {
        PortProbe.fault(at: host, port: port, isDatagram: isDatagram)
            .map { ": \($0) (by the running gateway? ss -lntup tells)" }
    }

    /// `doctor`'s line of a feed that is a TCP server there.
    func finding(of feed: String) -> Finding {
        let place = "TCP port \(port) of \(host)"
        return fault.map { Finding(feed, .note, place + $0) } ?? Finding(feed, .ok, "\(place) is free")
    }
}
