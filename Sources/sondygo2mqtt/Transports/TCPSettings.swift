import Gateway
import StreamTransports

/// A receiver that another machine has.
struct TCPSettings: TransportSettings, Equatable {
    var host = "localhost"
    var port = 2000

    static let name = "tcp"
    static let keys: [ConfigurationKey] = [
        .text(
            "receiver.host", \.receiver.tcp.host, accepts: "a host name of ASCII letters, or an address",
            where: ConfigurationKey.isHost
        ).shown,
        .integer("receiver.port", \.receiver.tcp.port, in: 1...65_535),
    ]

    var place: String { "tcp \(host):\(port)" }

    func contradictions() -> [Contradiction] { Contradiction.linkLocal("receiver.host", host) }

    func findings(_ checkup: ReceiverCheckup) -> [Finding] {
        [Finding.note("receiver", "\(place) is not tried here; see run's log")]
    }

    func transport(_ surroundings: TransportSurroundings) -> any ReceiverTransport {
        TCPTransport(host: host, port: port)
    }
}
