public import Gateway

/// What answers at the broker's port, by its first bytes, where that is not what the gateway speaks.
enum PeerProtocol: Equatable {
    case http
    case tls
    /// Another protocol whose server greets with a line of text, of which this is the beginning.
    case text(String)
    /// With TLS configured: bytes that are neither TLS nor text.
    case noTLS

    /// So many bytes tell the protocols apart.
    static let knownBy = 12
    private static let tlsRecords: ClosedRange<UInt8> = 0x14...0x17

    /// - Parameters:
    ///   - bytes: at least one.
    ///   - usesTLS: the gateway expects TLS; otherwise MQTT.
    /// - Returns: nil if they may be the expected protocol's.
    init?(firstBytes bytes: ArraySlice<UInt8>, usesTLS: Bool) {
        guard let first = bytes.first else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let isTLS = Self.tlsRecords.contains(first) && bytes.dropFirst().first.map { $0 == 3 } ?? usesTLS
        if isTLS {
            if usesTLS { return nil }
            self = .tls
        } else if text.hasPrefix("HTTP/") || text.hasPrefix("<") {
            self = .http
        } else if bytes.count >= 4, bytes.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 13 || $0 == 10 }) {
            self = .text(String(text.prefix { $0.isASCII && !$0.isNewline }))
        } else if usesTLS {
            self = .noTLS
        } else {
            return nil
        }
    }

    /// Says what answers and what to do.
    var failure: BrokerFailure {
        switch self {
        case .http:
            BrokerFailure(
                .unreachable,
                BrokerFailure.otherProtocol
                    + "HTTP: is there a login page of the Wi-Fi (open a browser), or is it a web server's port?"
            )
        case .tls:
            BrokerFailure(
                .tls, "this port speaks TLS: set mqtt.tls.enabled: true, or mqtt.port to the broker's plain port (1883)"
            )
        case .text(let beginning):
            BrokerFailure(.unreachable, BrokerFailure.otherProtocol + "\"\(beginning)\", not MQTT: see mqtt.port")
        case .noTLS:
            BrokerFailure(
                .tls,
                "this port speaks no TLS: set mqtt.port to the broker's TLS port (8883), or mqtt.tls.enabled: false")
        }
    }
}

extension BrokerFailure {
    /// How the detail begins when another protocol answers.
    fileprivate static let otherProtocol = "this port answers "

    /// Something answers at the broker's port that is no broker, and the detail says what.
    public var isOtherProtocol: Bool { detail.hasPrefix(Self.otherProtocol) }
}
