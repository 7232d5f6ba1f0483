import Foundation
import Glibc

/// A mosquitto of our own on a free loopback port, for trying things out; it ends with this process, however that ends.
final class PrivateBroker {
    let port: Int
    private let process = Process()
    private let lifeline = Pipe()
    private let directory: String

    /// Seconds to wait until it accepts connections.
    private static let startLimit = 5.0

    init() throws(CommandFailure) {
        port = try Self.freePort()
        directory = FileManager.default.temporaryDirectory.path + "/sondygo2mqtt-\(getpid())"
        let configuration = """
            listener \(port) 127.0.0.1
            allow_anonymous true
            set_tcp_nodelay true
            persistence false
            log_type error
            log_type warning
            """
        let file = directory + "/mosquitto.conf"
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            // The shell's standard input is our pipe: when we end, even by SIGKILL, it closes and the broker goes too.
            let script = """
                PATH=$PATH:/usr/sbin:/usr/local/sbin
                command -v mosquitto >/dev/null || exit 69
                mosquitto -c "$1" </dev/null & broker=$!
                trap '' INT TERM
                # Not TERM: a child of a Swift task starts with that blocked.
                cat >/dev/null; kill -KILL $broker; wait $broker 2>/dev/null; rm -rf "$2"
                """
            process.arguments = ["-c", script, "sh", file, directory]
            process.standardInput = lifeline
            try process.run()
        } catch {
            throw CommandFailure(.unavailable, "a private mosquitto can't be started: \(error)")
        }
        try waitUntilUp()
    }

    func stop() {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func waitUntilUp() throws(CommandFailure) {
        let deadline = Date(timeIntervalSinceNow: Self.startLimit)
        while !Self.accepts(port) {
            guard process.isRunning, Date() < deadline else {
                stop()
                throw CommandFailure(
                    .unavailable, "mosquitto doesn't start; install it (apt install mosquitto) or set mqtt.host")
            }
            usleep(20_000)
        }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port).bigEndian)
        address.sin_addr = in_addr(s_addr: in_addr_t(UInt32(0x7F00_0001).bigEndian))
        return address
    }

    private static func freePort() throws(CommandFailure) -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
            }
        }
        guard status == 0 else {
            throw CommandFailure(.unavailable, "no free port: \(String(cString: strerror(errno)))")
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func accepts(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
