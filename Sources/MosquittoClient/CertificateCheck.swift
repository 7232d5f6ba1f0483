import CMosquitto
import COpenSSL
import Gateway
import Glibc

/// Checks the broker's certificate against the configured name, whatever address the session uses, and keeps what is
/// wrong with it. The library would check it against the address.
///
/// OpenSSL calls back on the session's thread, within the library's calls.
final class CertificateCheck {
    /// The context (`SSL_CTX`) that the library takes for its session. The library adds the TLS files to it.
    let context: OpaquePointer
    private let name: String
    /// Why the last certificate was not accepted; nil if none was refused.
    private(set) var fault: CertificateFault?

    /// - Parameter name: a host name or an address.
    init(name: String) throws(BrokerFailure) {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw BrokerFailure(.configuration, "OpenSSL gives no context")
        }
        self.context = context
        self.name = name
        let parameters = SSL_CTX_get0_param(context)
        let isAddress = X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1
        guard isAddress || X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1 else {
            throw BrokerFailure(.configuration, "mqtt.host: no certificate can be for \(name)")
        }
        let this = Unmanaged.passUnretained(self).toOpaque()
        SSL_CTX_set_cert_verify_callback(
            context, { store, this in CertificateCheck.from(this)?.verify(store) ?? 0 }, this)
        guard !isAddress else { return }
        SSL_CTX_set_ex_data(context, Self.place, this)
        SSL_CTX_set_info_callback(context) { session, moment, _ in
            guard moment & SSL_CB_HANDSHAKE_START != 0, let session else { return }
            CertificateCheck.from(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), CertificateCheck.place))?
                .sayName(to: session)
        }
    }

    deinit { SSL_CTX_free(context) }

    /// The place for an application's own data.
    private static let place: Int32 = 0

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> CertificateCheck? {
        pointer.map { Unmanaged<CertificateCheck>.fromOpaque($0).takeUnretainedValue() }
    }

    /// A server with several names chooses its certificate by this one. The library has named the address.
    private func sayName(to session: OpaquePointer) {
        name.withCString { text in
            _ = SSL_ctrl(
                session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                UnsafeMutableRawPointer(mutating: text))
        }
    }

    /// - Returns: 1 if the certificate is accepted.
    private func verify(_ store: OpaquePointer?) -> Int32 {
        // Without this the library's own check would follow, against the address.
        X509_STORE_CTX_set_verify_cb(store) { isGood, _ in isGood }
        fault = nil
        guard X509_verify_cert(store) != 1 else { return 1 }
        fault = CertificateFault(
            code: X509_STORE_CTX_get_error(store), of: X509_STORE_CTX_get_current_cert(store))
        return 0
    }
}

extension MosquittoSession {
    func checkCertificate(for name: String) throws(BrokerFailure) {
        let check = try CertificateCheck(name: name)
        certificateCheck = check
        try self.check(
            mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(check.context)), .configuration)
        try self.check(mosquitto_int_option(handle, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 1), .configuration)
    }
}
