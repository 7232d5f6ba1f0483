import Gateway
import MosquittoClient

extension Configuration.MQTT {
    /// What is wrong with the broker, where it is, and what to do.
    func complaint(about failure: BrokerFailure) -> String {
        switch failure.code {
        case .unreachable where failure.isOtherProtocol: return "no broker at \(place): \(failure)"
        case .unreachable, .timedOut:
            let isHere = brokers.contains { ["localhost", "127.0.0.1", "::1"].contains($0.host) }
            return "no broker at \(place): "
                + (isHere
                    ? "is mosquitto running? sudo systemctl status mosquitto"
                    : "\(failure); does it run, and are mqtt.host and mqtt.port right?")
        case .refused:
            return "the broker at \(place) refuses this login: \(failure)"
        case .busy: return "the broker at \(place) takes no more sessions now (\(failure))"
        case .moved: return "\(place): \(failure)"
        case .tls where failure.isOldTLS: return "no TLS with the broker at \(place): \(failure)"
        case .tls: return "no TLS with the broker at \(place) (\(failure)): see mqtt.tls"
        case .configuration: return "the broker at \(place) can't be asked (\(failure)): see mqtt in the configuration"
        case .unsupportedVersion: return "the broker at \(place) speaks another version (\(failure)): see mqtt.protocol"
        case .takenOver:
            return "another program with the same client id has taken the session at \(place): see mqtt.client_id"
        case .lost, .oversized: return "the broker at \(place) ended the connection (\(failure)): its log says why"
        }
    }
}
