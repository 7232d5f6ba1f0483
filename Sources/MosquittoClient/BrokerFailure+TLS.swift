public import Gateway

extension BrokerFailure {
    /// Explains a failure before the TLS session stood, for the user who has to mend it.
    ///
    /// A broker that hangs up may just be restarting: its listener takes connections until the end. So a hang-up is
    /// ``Code/lost``, although libmosquitto calls it a fault of TLS, and the next attempt follows soon.
    /// - Parameter isClientNamed: a client certificate is configured.
    func asTLS(isClientNamed: Bool) -> BrokerFailure {
        if detail.contains("certificate required") {
            return explained(.tls, "the broker wants a client certificate (mqtt.tls.cert_file)")
        }
        if Self.oldTLS.contains(where: detail.contains) { return explained(.tls, Self.oldTLSText) }
        if detail.contains(MosquittoSession.openSSLEnd) {
            return explained(.lost, "the broker may speak no TLS on this port")
        }
        if Self.noTLS.contains(where: detail.contains) {
            return explained(
                .tls,
                "this port speaks no TLS: set mqtt.port to the broker's TLS port (8883), or mqtt.tls.enabled: false; or a "
                    + "login page of the Wi-Fi answers")
        }
        if code == .tls || detail.hasPrefix(MosquittoSession.openSSLMark) { return explained(.tls, "TLS fails") }
        let isHangUp = detail.contains(MosquittoStatus.endOfTLS) || detail.contains("lost")
        guard code != .timedOut, !isClientNamed, isHangUp else { return self }
        return explained(
            .lost, "the broker hangs up before the login; it may want a client certificate (mqtt.tls.cert_file)")
    }

    /// OpenSSL's words for a broker without TLS 1.2: its own alert, and our refusal of its answer.
    private static let oldTLS = ["alert protocol version", "unsupported protocol"]
    private static let oldTLSText = "the broker speaks only a TLS older than 1.2: update it"

    /// No key of `mqtt.tls` helps: the broker is too old.
    public var isOldTLS: Bool { detail.hasPrefix(Self.oldTLSText) }

    /// OpenSSL's words for bytes that are not TLS.
    private static let noTLS = ["wrong version number", "packet length too long", "http request"]

    private func explained(_ code: Code, _ explanation: String) -> BrokerFailure {
        let mark = MosquittoSession.openSSLMark
        let reason = detail.hasPrefix(mark) ? detail.dropFirst(mark.count) : detail[...]
        return BrokerFailure(code, "\(explanation) (\(reason))")
    }
}
