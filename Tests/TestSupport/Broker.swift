public import Foundation
import Synchronization

/// A real mosquitto on a free loopback port.
public final class Broker: Sendable {
    public let port: Int
    private let child: Child
    public let directory: URL

    /// - Parameters:
    ///   - port: nil chooses a free one.
    ///   - listener: lines of mosquitto.conf; the default admits everybody.
    public init(port: Int? = nil, listener: String = "allow_anonymous true", directory: URL? = nil) async throws {
        let port = port ?? Self.freePort()
        self.port = port
        let directory = try directory ?? temporaryDirectory()
        self.directory = directory
        let file = directory.appendingPathComponent("mosquitto.conf")
        // Practically no limits: when the broker is killed, it has already sent to the subscribers each message that it
        // acknowledged. 0 would mean "no limit", but would refuse bridges.
        let text =
            "user root\nlistener \(port) 127.0.0.1\nset_tcp_nodelay true\npersistence false\nmax_queued_messages 0\nmax_inflight_messages 10000\n\(listener)\n"
        try Data(text.utf8).write(to: file)
        child = try Child("mosquitto", ["-c", file.path])
        try await eventually("mosquitto accepts on \(port): \(child.text)") { Self.accepts(port).orNil }
    }

    /// With the broker's own plugin for roles: an access list of a file refuses no subscription.
    public static func refusingSubscriptions(except allowed: [String]) async throws -> Broker {
        let libraries = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
        let plugin = libraries.map { "/usr/lib/\($0)/mosquitto_dynamic_security.so" }
            .first { FileManager.default.fileExists(atPath: $0) }
        let directory = try temporaryDirectory()
        let roles = directory.appendingPathComponent("roles.json")
        let rules = allowed.map {
            #"{"acltype": "subscribeLiteral", "topic": "\#($0)", "priority": 0, "allow": true}"#
        }
        try Data(
            """
            {"defaultACLAccess": {"publishClientSend": true, "publishClientReceive": true, "subscribe": false,
              "unsubscribe": true}, "clients": [], "anonymousGroup": "all",
             "groups": [{"groupname": "all", "roles": [{"rolename": "listener"}]}],
             "roles": [{"rolename": "listener", "acls": [\(rules.joined(separator: ", "))]}]}
            """.utf8
        ).write(to: roles)
        return try await Broker(
            listener: "allow_anonymous true\nplugin \(plugin ?? "")\nplugin_opt_config_file \(roles.path)",
            directory: directory)
    }

    deinit { child.kill(SIGKILL) }

    public func kill(_ signal: Int32) { child.kill(signal) }

    public func stop() async throws {
        child.kill(SIGKILL)
        _ = try await child.exitCode()
    }

    /// Below the ports that the kernel gives to clients. So no client can occupy one before its server starts or during
    /// a restart.
    private static let ports = 12_000..<32_000
    private static let nextPort = Mutex(
        ports.lowerBound + (Int(getpid()) * 97 + Int(pidNamespace) * 1009) % ports.count)
    /// Two runs of the tests may have the same process numbers, each in its own namespace.
    private static var pidNamespace: UInt64 {
        var facts = stat()
        return stat("/proc/self/ns/pid", &facts) == 0 ? UInt64(facts.st_ino) : 0
    }

    public static func freePort() -> Int {
        while true {
            let port = nextPort.withLock { next in
                defer { next = next + 1 < ports.upperBound ? next + 1 : ports.lowerBound }
                return next
            }
            let descriptor = privateSocket()
            defer { close(descriptor) }
            if boundPort(descriptor, port) != nil { return port }
        }
    }

    /// Binds to a loopback port.
    /// - Parameter port: 0 lets the kernel choose.
    /// - Returns: the port; nil if it is occupied.
    public static func boundPort(_ descriptor: Int32, _ port: Int = 0) -> Int? {
        var address = loopback(port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
            }
        }
        return status == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    /// Connects to a loopback port.
    /// - Returns: false if no program listens there.
    public static func hasConnected(_ descriptor: Int32, to port: Int) -> Bool {
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr = in_addr(s_addr: in_addr_t(UInt32(0x7F00_0001).bigEndian))
        return address
    }

    /// Whether a program listens at that port of this machine.
    public static func accepts(_ port: Int) -> Bool {
        let descriptor = privateSocket()
        defer { close(descriptor) }
        return hasConnected(descriptor, to: port)
    }
}

/// Makes a new directory below the system's temporary one. Tests do not delete it.
public func temporaryDirectory() throws -> URL {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sondygo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory
}
