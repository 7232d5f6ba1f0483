public import Foundation

/// A folder whose every change is recorded, see `powercut.c`. It must be empty when the program starts.
public struct PowerCut {
    public let folder: URL
    private let library: String
    private let log: URL

    public init() async throws {
        // The kernel's name of the folder.
        folder = try temporaryDirectory().resolvingSymlinksInPath()
        let elsewhere = try temporaryDirectory()
        (library, log) = (elsewhere.path + "/powercut.so", elsewhere.appendingPathComponent("log"))
        let source = Fixtures.url("Tests/TestSupport/powercut.c").path
        let compiler = try Child("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"])
        guard try await compiler.exitCode() == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Variables for the program.
    public var environment: [String: String] {
        ["LD_PRELOAD": library, "POWERCUT_PATH": folder.path, "POWERCUT_LOG": log.path]
    }

    public func recorded() throws -> RecordedDisk { RecordedDisk(log: try Data(contentsOf: log)) }
}

/// The changes of a folder, in order.
public struct RecordedDisk {
    private enum Change {
        case create(inode: UInt64, name: String)
        case write(inode: UInt64, offset: Int, Data)
        case truncate(inode: UInt64, size: Int)
        case sync(inode: UInt64)
        case syncNames
        case rename(from: String, to: String)
        case unlink(String)
    }

    private var changes: [(at: Date, change: Change)] = []

    public var count: Int { changes.count }
    /// The times of the changes.
    public var times: [Date] { changes.map(\.at) }
    /// The number of completed syncs of files.
    public var syncs: Int {
        changes.count { if case .sync = $0.change { true } else { false } }
    }

    init(log: Data) {
        var rest = log[...]
        func number<Number: FixedWidthInteger>(_: Number.Type) -> Number {
            defer { rest = rest.dropFirst(MemoryLayout<Number>.size) }
            return rest.prefix(MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number($1) }
        }
        while rest.count >= 40 {
            let at = Date(timeIntervalSince1970: Double(number(UInt64.self)) / 1e9)
            let (inode, offset, length) = (number(UInt64.self), Int(number(UInt64.self)), Int(number(UInt64.self)))
            let (operation, nameLength) = (number(UInt32.self), Int(number(UInt32.self)))
            let name = String(decoding: rest.prefix(nameLength), as: UTF8.self)
            let data = Data(rest.dropFirst(nameLength).prefix(length))
            rest = rest.dropFirst(nameLength + length)
            switch operation {
            case 1: changes.append((at, .create(inode: inode, name: name)))
            case 2: changes.append((at, .write(inode: inode, offset: offset, data)))
            case 3: changes.append((at, .truncate(inode: inode, size: offset)))
            case 4: changes.append((at, .sync(inode: inode)))
            case 5: changes.append((at, .syncNames))
            case 6: changes.append((at, .rename(from: name, to: String(decoding: data, as: UTF8.self))))
            default: changes.append((at, .unlink(name)))
            }
        }
    }

    /// A file's synced content, and the changes since.
    private final class File {
        var synced = Data()
        var pending: [Change] = []
    }

    /// Writes the folder's files as a disk may hold them after a power cut. What was synced is there. Of the other
    /// changes each write is there, missing or torn into sectors of 512 bytes, whatever came after it; names changed in
    /// their order, up to any of them.
    /// - Parameter index: the cut is before this change.
    public func restore<Random: RandomNumberGenerator>(
        before index: Int, into folder: URL, using random: inout Random
    ) throws {
        var files: [UInt64: File] = [:]
        var names: [String: File] = [:]
        var pendingNames: [([String: File]) -> [String: File]] = []
        for (_, change) in changes.prefix(index) {
            switch change {
            case .create(let inode, let name):
                let file = File()
                files[inode] = file
                pendingNames.append { $0.merging([name: file]) { $1 } }
            case .write(let inode, _, _), .truncate(let inode, _): files[inode]?.pending.append(change)
            case .sync(let inode):
                guard let file = files[inode] else { continue }
                for change in file.pending { Self.apply(change, to: &file.synced) }
                file.pending = []
            case .syncNames:
                for change in pendingNames { names = change(names) }
                pendingNames = []
            case .rename(let from, let to):
                pendingNames.append { names in
                    var names = names
                    names[to] = names.removeValue(forKey: from)
                    return names
                }
            case .unlink(let name): pendingNames.append { $0.filter { $0.key != name } }
            }
        }
        for change in pendingNames.prefix(Int.random(in: 0...pendingNames.count, using: &random)) {
            names = change(names)
        }
        for (name, file) in names.sorted(by: { $0.key < $1.key }) {
            var content = file.synced
            for change in file.pending { Self.applyPartly(change, to: &content, using: &random) }
            try content.write(to: folder.appendingPathComponent(name))
        }
    }

    private static func apply(_ change: Change, to content: inout Data) {
        switch change {
        case .write(_, let offset, let bytes):
            if content.count < offset + bytes.count {
                content.append(Data(count: offset + bytes.count - content.count))
            }
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        case .truncate(_, let size):
            content = content.count > size ? content.prefix(size) : content + Data(count: size - content.count)
        // These change no content.
        case .create, .sync, .syncNames, .rename, .unlink: break
        }
    }

    private static func applyPartly<Random: RandomNumberGenerator>(
        _ change: Change, to content: inout Data, using random: inout Random
    ) {
        let fate = Int.random(in: 0..<4, using: &random)
        guard fate == 0, case .write(let inode, let offset, let bytes) = change else {
            if fate % 2 == 0 { apply(change, to: &content) }
            return
        }
        var start = offset
        while start < offset + bytes.count {
            let end = min((start / 512 + 1) * 512, offset + bytes.count)
            if Bool.random(using: &random) {
                apply(.write(inode: inode, offset: start, bytes[start - offset..<end - offset]), to: &content)
            }
            start = end
        }
    }
}
