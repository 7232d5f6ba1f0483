import Feeds
import Gateway
import StreamTransports

/// A place from which NMEA 0183 comes, as `car.nmea` names it.
///
///     udp:10110             programs send datagrams to this port
///     tcp:host:port         a server
///     /dev/ttyUSB1:4800     a cable and its baud rate
enum NMEAPlace: Equatable {
    case port(Int)
    case server(FeedEndpoint)
    case cable(device: String, baud: Int)

    static let accepted = "udp:port, tcp:host:port or device:baud"

    /// - Returns: nil for any other text.
    init?(_ text: String) {
        if text.hasPrefix("/") {
            // The name of a device may hold colons, too.
            guard let colon = text.lastIndex(of: ":"), text.utf8.count <= 255,
                let baud = Int(text[text.index(after: colon)...]), SerialTransport.supportedBauds.contains(baud)
            else { return nil }
            self = .cable(device: String(text[..<colon]), baud: baud)
        } else if text.hasPrefix("udp:") {
            guard let port = FeedEndpoint("this:" + text.dropFirst(4))?.port else { return nil }
            self = .port(port)
        } else if text.hasPrefix("tcp:") {
            guard let server = FeedEndpoint(String(text.dropFirst(4))), ConfigurationKey.isHost(server.host) else {
                return nil
            }
            self = .server(server)
        } else {
            return nil
        }
    }

    var description: String {
        switch self {
        case .port(let port): "udp:\(port)"
        case .server(let server): "tcp:\(server.description)"
        case .cable(let device, let baud): "\(device):\(baud)"
        }
    }

    var transport: any ReceiverTransport {
        switch self {
        case .port(let port): DatagramTransport(port: port, thread: "car")
        case .server(let server): TCPTransport(host: server.host, port: server.port, thread: "car")
        case .cable(let device, let baud): SerialTransport(device: device, baud: baud, thread: "car")
        }
    }
}
