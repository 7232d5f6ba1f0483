import Gateway
import Glibc

// What people write for a host that is none, told before anything connects.
extension MosquittoConfiguration {
    /// - Throws: code `configuration`, with the host's name alone where it can be seen.
    func verifyHost() throws(BrokerFailure) {
        if let scheme = host.firstRange(of: "://") {
            throw BrokerFailure(
                .configuration,
                "mqtt.host: \(host) is a URL; give the host's name alone (\(Self.name(in: host[scheme.upperBound...])))"
                    + " and mqtt.port. MQTT over websockets is not there: libmosquitto has none; use the broker's plain "
                    + "listener (1883, with mqtt.tls.enabled 8883)")
        }
        // In brackets an address would be looked up as a name.
        guard !host.hasPrefix("/"), host.contains(":"), !Self.isIPv6(host) else { return }
        throw BrokerFailure(
            .configuration,
            "mqtt.host: \(host) is neither a name nor an address; give it alone, for example \(Self.name(in: host[...])); "
                + "the port goes into mqtt.port")
    }

    /// `broker` of `broker:1883/mqtt`, `::1` of `[::1]:1883`. Of an address that is misspelt it is not worth much.
    private static func name(in text: Substring) -> Substring {
        if text.hasPrefix("[") { return text.dropFirst().prefix { $0 != "]" } }
        return text.prefix { $0 != ":" && $0 != "/" }
    }

    /// Also one of an interface: `fe80::1%eth0`.
    private static func isIPv6(_ text: String) -> Bool {
        var space = in6_addr()
        return inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &space) == 1
    }
}
