public import Foundation
import Threads

/// Makes certificates for a test with openssl.
public enum Certificates {
    /// The configuration of a mosquitto TLS listener that uses the files of ``make(in:name:days:)``.
    public static func listener(in folder: URL) -> String {
        let lines = [("cafile", "ca.crt"), ("certfile", "server.crt"), ("keyfile", "server.key")]
        return lines.reduce("allow_anonymous true") { "\($0)\n\($1.0) \(folder.appendingPathComponent($1.1).path)" }
    }

    /// Makes `ca.crt`, `other.crt` of another authority, and `server` and `client` (`.crt`, `.key`), both signed by the
    /// first authority.
    /// - Parameters:
    ///   - name: the name in the server's and the client's certificate.
    ///   - days: how long these two are valid; a negative number makes them expired.
    ///   - beginsInDays: when these two become valid; nil for now.
    public static func make(
        in folder: URL, name: String = "localhost", days: Int = 2, beginsInDays: Int? = nil
    ) throws {
        let script = """
            set -e; cd "$1"
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ca
            openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.crt -days 2 -subj /CN=other
            for who in server client; do
              openssl req -newkey rsa:2048 -nodes -keyout $who.key -out $who.csr -subj /CN=$2
              printf 'subjectAltName=DNS:%s' "$2" > san
              if [ -n "$4" ]; then
                # Only this command sets the beginning.
                : > index; echo 01 > serial; mkdir -p new
                printf '%s\\n' '[ca]' 'default_ca=a' '[a]' 'dir=.' 'new_certs_dir=new' 'database=index' 'serial=serial' \
                  'policy=p' 'default_md=sha256' 'unique_subject=no' '[p]' 'commonName=supplied' > ca.cnf
                openssl ca -batch -notext -config ca.cnf -in $who.csr -cert ca.crt -keyfile ca.key -extfile san \
                  -startdate $(date -u -d "+$4 days" +%Y%m%d%H%M%SZ) -enddate $(date -u -d "+$(($4 + 2)) days" +%Y%m%d%H%M%SZ) \
                  -out $who.crt
              else
                openssl x509 -req -in $who.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days $3 -extfile san -out $who.crt
              fi
            done
            chmod 644 *
            """
        let process = try ChildProcess(
            "/bin/sh", ["-c", script, "sh", folder.path, name, String(days), beginsInDays.map { "\($0)" } ?? ""])
        guard process.wait() == 0 else { throw CocoaError(.executableLoad) }
    }
}
