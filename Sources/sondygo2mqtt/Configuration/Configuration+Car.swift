import Feeds
import FlightMath
import Gateway
import GatewayRuntime
import StreamTransports

extension Configuration.Car {
    /// The streams of NMEA 0183 and GDL 90.
    var inputs: [CarInput] {
        let sentences = nmea.map { place in
            var input = CarInput(.nmea, at: place.transport) { NMEAStream() }
            input.device = place.description
            if case .port = place { input.silenceLimit = nil }
            return input
        }
        let ownship = gdl90.map { port in
            var input = CarInput(.gdl90, at: DatagramTransport(port: port, thread: "car")) { GDL90Stream() }
            input.silenceLimit = nil
            return input
        }
        return sentences + [ownship].compactMap { $0 }
    }

    /// The ports of this machine that they open.
    var listeners: [Listener] {
        let ports = nmea.compactMap { if case .port(let port) = $0 { ("car.nmea", port) } else { nil } }
        return (ports + [gdl90.map { ("car.gdl90", $0) }].compactMap { $0 })
            .map { Listener(key: $0.0, host: "::", port: $0.1, isDatagram: true) }
    }

    /// A cable has one reader.
    func contradictions(in configuration: Configuration) -> [Contradiction] {
        let receiver = (configuration.receiver.chosen as? SerialSettings).map { CableHolder.target(of: $0.device) }
        var taken: Set<String> = []
        var found: [Contradiction] = []
        for place in nmea {
            switch place {
            case .port: break
            case .server(let server): found += Contradiction.linkLocal("car.nmea", server.host)
            case .cable(let device, _):
                let target = CableHolder.target(of: device)
                if target == receiver {
                    found.append(
                        Contradiction(
                            keys: ["car.nmea", "receiver.device"],
                            text:
                                "car.nmea: \(device) is the receiver's cable (receiver.device); give the GPS receiver's"
                        ))
                } else if !taken.insert(target).inserted {
                    found.append(
                        Contradiction(keys: ["car.nmea"], text: "car.nmea: \(device) is there twice; name it once"))
                }
            }
        }
        return found
    }
}
