public import BluetoothProtocol
import Glibc

/// Remembers across restarts which receiver served last: it is tried first, without a scan.
public protocol ReceiverMemory: Sendable {
    func recall() -> RememberedReceiver?
    func remember(_ receiver: RememberedReceiver)
}

public struct RememberedReceiver: Equatable, Sendable {
    public var device: LEAddress
    /// As it was last advertised; nil when it never was heard.
    public var name: String?

    public init(device: LEAddress, name: String?) {
        self.device = device
        self.name = name
    }
}

/// One line in a file: address, `public` or `random`, name. Replaced as a whole, so that a power cut leaves the old
/// line or the new one. A file that is missing, damaged or may not be written costs a scan and nothing else.
public struct ReceiverMemoryFile: ReceiverMemory {
    private let path: String

    /// Longer than any line that was written.
    private static let limit = 512

    public init(path: String) {
        self.path = path
    }

    public func recall() -> RememberedReceiver? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: Self.limit)
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        let line = String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let address = BluetoothAddress(String(words[0])),
            let kind = [("public", LEAddress.Kind.public), ("random", .random)].first(where: { $0.0 == words[1] })?.1
        else { return nil }
        return RememberedReceiver(
            device: LEAddress(address, kind), name: words.count > 2 ? String(words[2]) : nil)
    }

    public func remember(_ receiver: RememberedReceiver) {
        guard receiver != recall() else { return }
        let kind = receiver.device.kind == .public ? "public" : "random"
        let line = "\(receiver.device.address) \(kind)\(receiver.name.map { " \($0.prefix(64))" } ?? "")\n"
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        let count = Array(line.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        fsync(descriptor)
        close(descriptor)
        if count == line.utf8.count { rename(draft, path) }
    }
}
