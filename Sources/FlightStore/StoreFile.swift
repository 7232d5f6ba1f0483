import GatewayReports
import Glibc
import Threads

/// The database's file: creates it for its owner only, identifies it, moves it aside.
struct StoreFile: Sendable {
    /// Identifies a file, whatever its name.
    struct Identity: Equatable, Sendable {
        var device: UInt
        var inode: UInt
    }

    var path: String

    /// The file's own suffix, and those of SQLite's files beside it.
    private static let suffixes = ["", "-wal", "-shm"]
    private var directory: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

    /// The file that this version uses while a newer version's has the name.
    var beside: StoreFile { StoreFile(path: "\(path).schema-\(Schema.version)") }

    /// The file that has the name now; nil if there is none.
    var identity: Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    /// Whether SQLite's log beside the file holds something.
    var hasLog: Bool {
        var log = stat()
        return stat(path + Self.suffixes[1], &log) == 0 && log.st_size > 0
    }

    /// - Throws: if a folder, pipe or device has the name: opening it might last for ever.
    func checkKind() throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw StoreError(.readOnly, "\(path) is not a plain file")
    }

    /// - Parameter pageSize: bytes.
    /// - Throws: code `corrupt` if the last page is not whole.
    func checkLastPage(pageSize: Int) throws(StoreError) {
        var status = stat()
        // After a crash in a checkpoint, SQLite's log still has the pages.
        guard !hasLog else { return }
        guard stat(path, &status) == 0, status.st_size % pageSize != 0 else { return }
        throw StoreError(.corrupt, "its last page is cut off")
    }

    /// Creates the directory and the file if they are missing. SQLite gives its own files the same mode.
    /// - Throws: the reason; code `corrupt` if the file does not begin like one of our databases.
    func prepare() throws(StoreError) {
        if let fault = Folder.make(directory) { throw StoreError(errno: fault, at: directory) }
        try checkKind()
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, at: path) }
        defer { close(descriptor) }
        fchmod(descriptor, 0o600)
        for suffix in Self.suffixes.dropFirst() { chmod(path + suffix, 0o600) }
        var header = [UInt8](repeating: 0, count: 20)
        guard pread(descriptor, &header, header.count, 0) == header.count else { return }
        // With a newer format version SQLite would silently open the file read-only.
        guard header[18] <= 2, header[19] <= 2 else { throw StoreError(.corrupt, "unknown file format") }
        // Once it is open, SQLite's log is not empty, and a cut page could be one that the log still has.
        let pageSize = Int(header[16]) << 8 | Int(header[17])
        if pageSize >= 512 { try checkLastPage(pageSize: pageSize) }
    }

    /// Writes SQLite's log to the disk. All that was committed since the last checkpoint is there. The database's own
    /// file must not be opened for this: closing it would end SQLite's locks.
    func syncLog() throws(StoreError) {
        let log = path + Self.suffixes[1]
        let descriptor = open(log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw StoreError(errno: errno, at: log)
        }
        defer { close(descriptor) }
        guard fdatasync(descriptor) == 0 else { throw StoreError(errno: errno, at: log) }
    }

    /// Writes the names of the files and of their directory to the disk. Some file systems can't; then the names are as
    /// safe as they are there.
    func syncNames() {
        for name in [directory, directory + "/.."] {
            let descriptor = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            fsync(descriptor)
            close(descriptor)
        }
    }

    /// Names for damaged files. Earlier ones stay, because one may hold the only copy of a flight. Only the last name
    /// is used again.
    var namesAside: [String] { ["", "-2", "-3"].map { path + ".damaged" + $0 } }

    /// Renames the file.
    /// - Returns: the new name.
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
    /// The error for an `errno` of the file system.
    init(errno code: Int32, at path: String) {
        let text = "\(path): \(String(cString: strerror(code)))"
        switch code {
        case ENOSPC, EDQUOT: self.init(.full, text)
        case EIO: self.init(.inputOutput, text)
        default: self.init(.readOnly, text)
        }
    }
}
