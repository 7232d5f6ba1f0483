import CMosquitto
import Gateway
import Glibc

// TLS files: one that can't be used is an error before the client connects. There is no fallback to plain text.
extension MosquittoSession {
    func apply(_ tls: MosquittoConfiguration.TLS) throws(BrokerFailure) {
        let files = [("ca_file", tls.caFile), ("cert_file", tls.certificateFile), ("key_file", tls.keyFile)]
        for case (let key, let file?) in files where access(file, R_OK) != 0 {
            let why = String(cString: strerror(errno))
            throw BrokerFailure(.configuration, "mqtt.tls.\(key): \(file) can't be read: \(why)")
        }
        // OpenSSL would wait for a writer on a named pipe, and read a device for ever.
        for case (let key, let file?) in files {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            let what = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a plain file"
            throw BrokerFailure(.configuration, "mqtt.tls.\(key): \(file) is \(what); give a PEM file")
        }
        if tls.caFile == nil {
            try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1), .configuration)
        }
        // The library accepts a client certificate only with named authorities: name Debian's folder, OpenSSL's
        // default.
        let folder = tls.caFile == nil ? "/etc/ssl/certs" : nil
        // A key with a passphrase must fail. Without this callback OpenSSL would ask on the terminal.
        let status = mosquitto_tls_set(handle, tls.caFile, folder, tls.certificateFile, tls.keyFile) { _, _, _, _ in 0 }
        try check(status, .configuration)
        try check(mosquitto_tls_insecure_set(handle, false), .configuration)
    }

    /// The prefix of a complaint from OpenSSL.
    static let openSSLMark = "TLS: "

    /// OpenSSL's words for a stream that ends without TLS's own farewell, as when the broker is killed.
    static let openSSLEnd = "unexpected eof"

    /// OpenSSL's line without its numbers:
    /// `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed` -> `TLS: certificate verify failed`.
    static func readable(_ complaint: String) -> String {
        guard complaint.hasPrefix("OpenSSL Error"), let reason = complaint.split(separator: ":").last else {
            return complaint
        }
        return openSSLMark + reason
    }

    /// Makes the library load the TLS files. It loads them only when it connects, so it connects to a listener of ours.
    /// The session can't be used afterwards.
    /// - Throws: code `configuration`; the text names the file, its fault and what it should be.
    func verifyTLSFiles() throws(BrokerFailure) {
        guard let tls = configuration.tls else { return }
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        // Without loopback the files are checked at the first connection.
        guard isListening else { return }
        let port = Int32(UInt16(bigEndian: address.sin_port))
        let status = mosquitto_connect_async(handle, "127.0.0.1", port, configuration.keepAliveSeconds)
        guard MosquittoStatus(rawValue: status) != .success else { return }
        let complaints = takeReports().compactMap { report -> String? in
            if case .complaint(let text) = report { text } else { nil }
        }
        throw BrokerFailure(.configuration, Self.explanation(of: complaints.joined(separator: "; "), tls))
    }

    private static func explanation(of complaint: String, _ tls: MosquittoConfiguration.TLS) -> String {
        if complaint.contains("load CA certificates"), let file = tls.caFile {
            return "mqtt.tls.ca_file: \(file) holds no usable certificate; "
                + "give the certificate (PEM) of the authority that signed the broker's"
        }
        if complaint.contains("load client certificate"), let file = tls.certificateFile {
            return "mqtt.tls.cert_file: \(file) holds no usable certificate; give this gateway's certificate (PEM)"
        }
        let isForeign = complaint.contains("values mismatch") || complaint.contains("inconsistent")
        if let key = tls.keyFile, let certificate = tls.certificateFile, isForeign {
            return "mqtt.tls.key_file: \(key) is not the key of the certificate \(certificate); "
                + "give the two files that were made together"
        }
        if complaint.contains("load client key"), let file = tls.keyFile {
            return "mqtt.tls.key_file: \(file) holds no usable private key; "
                + "give the certificate's key (PEM, without a passphrase)"
        }
        return "TLS can't be set up: \(complaint)"
    }
}
