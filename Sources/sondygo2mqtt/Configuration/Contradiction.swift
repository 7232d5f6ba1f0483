import Gateway
import MQTTPublishing
import MosquittoClient

/// Values of several keys that exclude one another.
struct Contradiction {
    /// The keys; any of them may be wrong.
    var keys: [String]
    var text: String

    static func all(in configuration: Configuration) -> [Contradiction] {
        let (mqtt, receiver, sondeHub) = (configuration.mqtt, configuration.receiver, configuration.sondeHub)
        let tlsFiles = ["mqtt.tls.ca_file", "mqtt.tls.cert_file", "mqtt.tls.key_file"]
        var found: [Contradiction] = []
        if receiver.frequencyMinimum >= receiver.frequencyMaximum {
            found.append(
                Contradiction(
                    keys: ["receiver.frequency_min", "receiver.frequency_max"],
                    text: "receiver.frequency_min: \(receiver.frequencyMinimum) is not below "
                        + "receiver.frequency_max \(receiver.frequencyMaximum)"))
        }
        found += receiver.chosen.contradictions()
        if (mqtt.certificateFile == nil) != (mqtt.keyFile == nil) {
            found.append(
                Contradiction(
                    keys: tlsFiles, text: "mqtt.tls: cert_file and key_file belong together; give both or none"))
        }
        if !mqtt.usesTLS, mqtt.caFile != nil || mqtt.certificateFile != nil || mqtt.keyFile != nil {
            found.append(
                Contradiction(
                    keys: tlsFiles,
                    text: "mqtt.tls.enabled: false, but TLS files are given; set it to true or remove them"))
        }
        if (sondeHub.latitude == nil) != (sondeHub.longitude == nil) {
            found.append(
                Contradiction(
                    keys: ["sondehub.latitude", "sondehub.longitude"],
                    text: "sondehub: latitude and longitude belong together; give both or none"))
        }
        if receiver.search == .sondes, !sondeHub.isEnabled {
            found.append(
                Contradiction(
                    keys: ["receiver.search", "sondehub.enabled"],
                    text: "receiver.search: sondes needs sondehub.enabled; switch it on, or give tunings"))
        }
        if mqtt.passwordFile != nil, mqtt.username == nil {
            found.append(
                Contradiction(
                    keys: ["mqtt.password_file"],
                    text: "mqtt.username: needed with mqtt.password_file; give the user name, or remove the file"))
        }
        let servers = [("tiles", configuration.dashboard.tiles), ("satellite", configuration.dashboard.satellite)]
        for (name, server) in servers where server.url != nil && server.attribution == nil {
            found.append(
                Contradiction(
                    keys: ["dashboard.\(name).url"],
                    text: "dashboard.\(name).attribution: needed with dashboard.\(name).url; the terms of the tile "
                        + "server give the text"))
        }
        let feeds = configuration.feeds.all.filter(\.isEnabled)
        return found + hosts(in: configuration) + phone(in: configuration)
            + configuration.car.contradictions(in: configuration)
            + feeds.flatMap { $0.contradictions(in: configuration) }
            + ports(in: configuration)
    }

    private static func hosts(in configuration: Configuration) -> [Contradiction] {
        let brokers = configuration.mqtt.brokers.compactMap { MosquittoConfiguration.fault(ofHost: $0.host) }
        return brokers.map { Contradiction(keys: ["mqtt.host"], text: $0) }
            + linkLocal("gpsd.host", configuration.gpsd.host)
    }

    /// A link-local address without its interface, as the value of a key.
    static func linkLocal(_ key: String, _ host: String) -> [Contradiction] {
        MosquittoConfiguration.fault(ofLinkLocal: host).map { [Contradiction(keys: [key], text: "\(key): \($0)")] }
            ?? []
    }

    /// The phone's topic must not be one on which the gateway publishes, or the sonde would be the car.
    private static func phone(in configuration: Configuration) -> [Contradiction] {
        guard let topic = configuration.car.ownTracks else { return [] }
        var own = [configuration.mqtt.baseTopic, configuration.homeAssistant.discoveryPrefix]
        if let sonde = configuration.ownTracksOptions {
            own += ["", "-landing"].map { "owntracks/\(sonde.user)/\(sonde.device)\($0)" }
        }
        guard own.contains(where: { topic == $0 || topic.hasPrefix($0 + "/") }) else { return [] }
        return [
            Contradiction(
                keys: ["car.owntracks"],
                text: "car.owntracks: the gateway itself publishes on \(topic); give the topic of the phone in the car")
        ]
    }

    /// Two listeners can't share a port. With UDP both could open it, but only one would get a datagram.
    private static func ports(in configuration: Configuration) -> [Contradiction] {
        let dashboard = configuration.dashboard
        var listeners = configuration.feeds.all.filter(\.isEnabled).compactMap(\.listener) + configuration.car.listeners
        if dashboard.isEnabled {
            listeners.insert(Listener(key: "dashboard.port", host: dashboard.address, port: dashboard.port), at: 0)
        }
        return listeners.enumerated().compactMap { index, one in
            let others = listeners[..<index]
            guard let other = others.first(where: { $0.port == one.port && $0.isDatagram == one.isDatagram }) else {
                return nil
            }
            return Contradiction(
                keys: [one.key, other.key],
                text: "\(one.key): port \(one.port) is \(other.key)'s, too; give one of them another")
        }
    }
}
