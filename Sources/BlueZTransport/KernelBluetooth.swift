import BluetoothProtocol
import FoundationEssentials
public import GatewayReports
import Glibc
import ReceiverProtocol
import TransportIO

/// This machine's support for Bluetooth, besides the adapter.
public enum KernelBluetooth {
    /// The known fault of this kernel's Bluetooth; nil if there is none.
    ///
    /// Debian's 6.1.192-1 and -2 crash the process that closes the socket of a failed LE connection (`list_del` in
    /// `hci_chan_del`). 6.1.190 and earlier, and 6.12, don't.
    public static var knownFault: String? {
        var name = utsname()
        guard uname(&name) == 0 else { return nil }
        let text = [text(of: name.release), text(of: name.version)].joined(separator: " ")
        return knownFault(in: text)
    }

    static func knownFault(in version: String) -> String? {
        guard version.split(whereSeparator: { " -".contains($0) }).contains("6.1.192") else { return nil }
        return "kernel 6.1.192 crashes when a Bluetooth LE connection fails; install another (6.1.190 or 6.12 are fine)"
    }

    private static func text<Field>(of field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// How long the kernel has to answer. It answers without an adapter, too.
    private static let answerLimit = Duration.seconds(2)

    /// The version of the management interface, `1.22`.
    /// - Throws: if the kernel has no Bluetooth, or this process may not use it.
    public static func managementVersion() throws(TransportError) -> String {
        let socket = try MgmtSocket()
        if let why = socket.send(.readVersion) { throw TransportError(.inputOutput, "Bluetooth: \(why)") }
        let deadline = MonotonicTime.now.advanced(by: answerLimit)
        while MonotonicTime.now < deadline {
            var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, Int32(clamping: answerLimit.wholeMilliseconds))
            if case .event(let event) = socket.receive(), let version = event.managementVersion { return version }
        }
        throw TransportError(.timedOut, "the kernel's Bluetooth does not answer")
    }

    /// Whether the process has CAP_NET_ADMIN, needed to scan, to switch adapters and to end links at once.
    public static var hasNetworkAdministration: Bool {
        // linux/capability.h
        let networkAdministration: UInt64 = 1 << 12
        guard
            let line = contents(of: "/proc/self/status").split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }
            ),
            let digits = line.split(whereSeparator: \.isWhitespace).last, let capabilities = UInt64(digits, radix: 16)
        else { return false }
        return capabilities & networkAdministration != 0
    }

    /// Whether bluetoothd runs. It then manages the adapter, and the gateway shares it.
    public static var isDaemonRunning: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.contains { $0.first?.isNumber == true && contents(of: "/proc/\($0)/comm") == "bluetoothd\n" }
    }

    /// The text of a file in /proc; empty if it can't be read.
    private static func contents(of path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
