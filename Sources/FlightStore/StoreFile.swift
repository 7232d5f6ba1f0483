import FoundationEssentials
import GatewayReports
import Glibc

/// The database's file in the file system: made for its owner's eyes only, known by its identity, moved aside.
struct StoreFile: Sendable {
    /// Which file it is, whatever its name.
    struct Identity: Equatable, Sendable {
        var device: UInt
        var inode: UInt
    }

    var path: String

    /// SQLite's own companions of the file.
    private static let suffixes = ["", "-wal", "-shm"]
    private var directory: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

    /// The file that has the name now; nil when there is none.
    var identity: Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    /// Makes the directory and the file where they are missing. What the database adds to them takes their mode.
    /// - Throws: what is in the way; code `corrupt` when no database of ours begins like this.
    func prepare() throws(StoreError) {
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, at: path) }
        defer { close(descriptor) }
        fchmod(descriptor, 0o600)
        for suffix in Self.suffixes.dropFirst() { chmod(path + suffix, 0o600) }
        var header = [UInt8](repeating: 0, count: 20)
        guard pread(descriptor, &header, header.count, 0) == header.count else { return }
        // From other versions of the format on SQLite only reads, without a word, for ever.
        guard header[18] <= 2, header[19] <= 2 else { throw StoreError(.corrupt, "unknown file format") }
    }

    /// What was moved aside before stays, as it may be all that is left of a flight; of these names the last is used anew.
    private var namesAside: [String] { ["", "-2", "-3"].map { path + ".damaged" + $0 } }

    /// The file is known by another name from now on.
    /// - Returns: that name.
    func moveAside() throws(StoreError) -> String {
        let names = namesAside
        let aside = names.dropLast().first { access($0, F_OK) != 0 } ?? names[names.count - 1]
        for suffix in Self.suffixes {
            unlink(aside + suffix)
            guard rename(path + suffix, aside + suffix) == 0 || errno == ENOENT else {
                throw StoreError(errno: errno, at: path)
            }
        }
        return aside
    }
}

extension StoreError {
    /// Of what the file system says.
    init(errno code: Int32, at path: String) {
        let text = "\(path): \(String(cString: strerror(code)))"
        switch code {
        case ENOSPC, EDQUOT: self.init(.full, text)
        case EIO: self.init(.inputOutput, text)
        default: self.init(.readOnly, text)
        }
    }
}
