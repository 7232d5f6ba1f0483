import FoundationEssentials
import Gateway
import Glibc
import Threads

/// The directory of the raw logs, and how much of them is kept.
public struct RawLogFiles: Equatable, Sendable {
    /// Created if it is missing.
    public var directory: String
    /// The largest size of one file in bytes; then the next file begins.
    public var fileSize: Int
    /// The largest size of all files in bytes; the oldest are deleted.
    public var totalSize: Int
    public var retentionDays: Int

    public init(directory: String, fileSize: Int = 10_000_000, totalSize: Int, retentionDays: Int) {
        self.directory = directory
        self.fileSize = fileSize
        self.totalSize = totalSize
        self.retentionDays = retentionDays
    }
}

/// A failed call to the file system.
struct RawLogError: Error, CustomStringConvertible {
    var description: String

    init(_ path: String, _ code: Int32 = errno) {
        description = "\(path): \(String(cString: strerror(code)))"
    }
}

/// Appends records to `raw-<time>.jsonl` and begins a new file when one is full. The records tell where the user was,
/// so only the owner can read the files, whatever the umask.
struct RawLogWriter: ~Copyable {
    private let files: RawLogFiles
    private var descriptor: Int32 = -1
    private var path = ""
    private var written = 0

    init(files: RawLogFiles) {
        self.files = files
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends a whole line, or nothing: an incomplete line is removed.
    mutating func write(_ record: RawLogRecord) throws(RawLogError) {
        LoopThread.assertMayBlock()
        let line = record.line + [UInt8(ascii: "\n")]
        if descriptor < 0 || isDeleted || written + line.count > files.fileSize { try openNext(record) }
        let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == line.count else {
            // The call wrote a part of the line, so the disk is full.
            if count >= 0 { errno = ENOSPC }
            let error = RawLogError(path)
            ftruncate(descriptor, written)
            lseek(descriptor, 0, SEEK_END)
            throw error
        }
        written += count
    }

    /// The file or its folder was removed, so that records would be lost.
    private var isDeleted: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    private mutating func openNext(_ record: RawLogRecord) throws(RawLogError) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        if let fault = Folder.make(files.directory) { throw RawLogError(files.directory, fault) }
        prune()
        let stamp = record.wall.replacing(":", with: "").replacing("-", with: "")
        path = "\(files.directory)/raw-\(stamp).jsonl"
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw RawLogError(path) }
        // An earlier version may have created the file with another mode.
        fchmod(descriptor, 0o600)
        written = Int(lseek(descriptor, 0, SEEK_END))
    }

    /// Removes old files beyond the limits, and leaves room for a new one.
    private func prune() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files.directory)) ?? []
        var room = files.totalSize - files.fileSize
        let oldest = time(nil) - files.retentionDays * 86_400
        for name in names.filter({ $0.hasPrefix("raw-") && $0.hasSuffix(".jsonl") }).sorted(by: >) {
            let file = "\(files.directory)/\(name)"
            var status = stat()
            guard stat(file, &status) == 0 else { continue }
            room -= Int(status.st_size)
            if room < 0 || status.st_mtim.tv_sec < oldest { unlink(file) }
        }
    }
}
