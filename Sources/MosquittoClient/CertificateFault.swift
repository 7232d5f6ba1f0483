import COpenSSL
import Glibc

/// What is wrong with a broker's certificate.
enum CertificateFault: Equatable {
    /// - at: seconds since 1970, as all times here; nil if the certificate names no readable time.
    case expired(at: Int?)
    case notYetValid(from: Int?)
    /// It is for these names, in the certificate's order; empty if it has none.
    case otherName([String])
    /// None of the known authorities has signed it.
    case unknownAuthority(issuer: String)
    /// Another fault, in OpenSSL's words.
    case other(String)

    /// The most names that a sentence lists.
    private static let mostNames = 3

    /// - Parameters:
    ///   - code: OpenSSL's.
    ///   - certificate: an `X509`, the one at which the check has ended.
    init(code: Int32, of certificate: OpaquePointer?) {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            self = .expired(at: certificate.flatMap { Self.seconds(X509_get0_notAfter($0)) })
        case X509_V_ERR_CERT_NOT_YET_VALID:
            self = .notYetValid(from: certificate.flatMap { Self.seconds(X509_get0_notBefore($0)) })
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            self = .otherName(certificate.map(Self.names) ?? [])
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE,
            X509_V_ERR_CERT_UNTRUSTED:
            self = .unknownAuthority(issuer: certificate.map { Self.name(X509_get_issuer_name($0)) } ?? "")
        default: self = .other(String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }

    /// What the user should know and do.
    /// - Parameters:
    ///   - host: the name that the certificate should have.
    ///   - caFile: nil for the system's authorities.
    ///   - now: this machine's clock.
    func text(host: String, caFile: String?, now: Int) -> String {
        let clock = "this machine's clock says \(Self.date(now)); if that is wrong, set it (timedatectl)"
        switch self {
        case .expired(let time):
            let when = time.map { " on \(Self.date($0))" } ?? ""
            return "the broker's certificate expired\(when): have it renewed; \(clock)"
        case .notYetValid(let time):
            let when = time.map { ", but from \(Self.date($0)) on" } ?? ""
            return "the broker's certificate is not valid yet\(when); \(clock)"
        case .otherName(let names):
            let others = names.isEmpty ? "another name" : names.prefix(Self.mostNames).joined(separator: ", ")
            return "the broker's certificate is for \(others), not for \(host); set mqtt.host to the name in the "
                + "certificate, or have one made for this name; behind a Wi-Fi with a login page, log in there first"
        case .unknownAuthority(let issuer):
            let who = issuer.isEmpty ? "" : " (\(issuer))"
            return caFile.map {
                "the broker's certificate is not trusted: its authority\(who) is not in mqtt.tls.ca_file \($0); "
                    + "give that authority's certificate"
            } ?? "the broker's certificate is not trusted: this machine does not know its authority\(who); set "
                + "mqtt.tls.ca_file to that authority's certificate"
        case .other(let reason): return "the broker's certificate is not trusted: \(reason)"
        }
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return timegm(&parts)
    }

    /// `2026-11-28 21:15 UTC`
    private static func date(_ seconds: Int) -> String {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M UTC", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The host names in the certificate's list of alternative names, else its subject.
    private static func names(_ certificate: OpaquePointer) -> [String] {
        let list = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil).map { OpaquePointer($0) }
        defer { GENERAL_NAMES_free(list) }
        let names = (0..<max(0, OPENSSL_sk_num(list))).compactMap { index -> String? in
            guard let entry = OPENSSL_sk_value(list, index)?.assumingMemoryBound(to: GENERAL_NAME.self).pointee,
                entry.type == GEN_DNS, let text = entry.d.dNSName
            else { return nil }
            let count = Int(ASN1_STRING_length(text))
            return printable(UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: count))
        }
        return names.isEmpty ? [name(X509_get_subject_name(certificate))].filter { !$0.isEmpty } : names
    }

    /// The common name of a subject or an issuer (`X509_NAME`); empty without one.
    private static func name(_ name: OpaquePointer?) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        let count = X509_NAME_get_text_by_NID(name, NID_commonName, &buffer, Int32(buffer.count))
        return printable(buffer.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) })
    }

    /// The certificate's text is foreign: only printable ASCII of it is shown, at most 80 characters.
    private static func printable(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.filter { (0x20..<0x7F).contains($0) }.prefix(80), as: UTF8.self)
    }
}
