import Gateway
import Glibc

// Refuses hosts that users mistype (URLs, impossible ports, brackets) before the client connects.
extension MosquittoConfiguration {
    /// - Throws: code `configuration`; its text suggests the plain host name if it can be found.
    func verifyHosts() throws(BrokerFailure) {
        for broker in brokers {
            if let fault = Self.fault(ofHost: broker.host) { throw BrokerFailure(.configuration, fault) }
        }
    }

    /// Why the client refuses a host, and what to give instead; nil if it may be one.
    /// - Parameter host: of a ``BrokerAddress``: without the port.
    public static func fault(ofHost host: String) -> String? {
        if let scheme = host.firstRange(of: "://") {
            let name = name(in: host[scheme.upperBound...])
            return "mqtt.host: \(host.withoutLogin) is a URL; give the host's name alone (\(name)) and mqtt.port."
                + " MQTT over websockets is not supported; use the broker's plain "
                + "listener (1883, with mqtt.tls.enabled 8883)"
        }
        guard host.hasPrefix("/") || host.utf8.allSatisfy({ $0 < 128 }) else {
            return "mqtt.host: \(host) has letters that a name server does not know; give the name's form that begins "
                + "with xn--, or the address"
        }
        // The system takes 192.168.1 for 192.168.0.1.
        guard !host.utf8.allSatisfy(isOfIPv4) || isIPv4(host) else {
            return "mqtt.host: \(host) is no address: give four numbers from 0 to 255, such as 192.168.1.5, or a name"
        }
        if let fault = fault(ofLinkLocal: host) { return "mqtt.host: \(fault)" }
        // The library would look up an address in brackets as a name.
        guard !host.hasPrefix("/"), host.contains(":"), !isIPv6(host) else { return nil }
        let name = name(in: host[...])
        return "mqtt.host: \(host) is neither a name nor an address; give it alone"
            + (name.isEmpty ? "" : ", for example \(name)") + "; the port goes into mqtt.port, or behind a colon"
    }

    /// Why a link-local IPv6 address without its interface reaches nobody, and what to give instead; nil for another host.
    public static func fault(ofLinkLocal host: String) -> String? {
        var address = in6_addr()
        guard !host.contains("%"), inet_pton(AF_INET6, host, &address) == 1 else { return nil }
        // fe80::/10
        let isLinkLocal = withUnsafeBytes(of: address) { $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
        guard isLinkLocal else { return nil }
        return "\(host) holds on one link only; give the interface behind it, for example \(host)%wlan0"
    }

    /// `broker` for `broker:1883/mqtt`, `::1` for `[::1]:1883`. A misspelt address gives a useless name.
    private static func name(in whole: Substring) -> Substring {
        let text = whole.firstIndex(of: "@").map { whole[whole.index(after: $0)...] } ?? whole
        if text.hasPrefix("[") { return text.dropFirst().prefix { $0 != "]" } }
        return text.prefix { $0 != ":" && $0 != "/" }
    }

    /// A digit or a dot.
    private static func isOfIPv4(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
    }

    private static func isIPv4(_ text: String) -> Bool {
        var space = in_addr()
        return inet_pton(AF_INET, text, &space) == 1
    }

    /// Also with an interface: `fe80::1%eth0`.
    private static func isIPv6(_ text: String) -> Bool {
        var space = in6_addr()
        return inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &space) == 1
    }
}

extension String {
    /// The text of a URL without user and password: messages must not show them.
    public var withoutLogin: String {
        guard let end = lastIndex(of: "@") else { return self }
        let begin = firstRange(of: "//")?.upperBound ?? startIndex
        guard begin < end else { return self }
        return self[..<begin] + "***" + self[end...]
    }
}
