import Glibc

/// What lies at a path, links followed.
struct FileStatus {
    enum Kind {
        case file, folder
        /// A pipe or a device, say: who opens or reads it may wait for ever.
        case other
    }

    let kind: Kind
    /// Bytes.
    let size: Int64
    /// Changes with the file.
    let tag: String

    /// - Returns: nil when it can't be looked at; `errno` says why.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        size = Int64(status.st_size)
        let milliseconds = Int64(status.st_mtim.tv_sec) &* 1000 &+ Int64(status.st_mtim.tv_nsec) / 1_000_000
        tag = "\(String(size, radix: 36))-\(String(milliseconds, radix: 36))"
    }

    /// A plain file's bytes. It is opened first and looked at then: a link, or a name that changes hands, leads to no other
    /// file than the one that is read.
    /// - Returns: nil when it is none, is longer than `limit` bytes or can't be read.
    static func content(ofFile path: String, limit: Int) -> [UInt8]? {
        // Not blocking: a pipe without a writer would be waited for.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let found = FileStatus(status)
        guard found.kind == .file, found.size <= Int64(limit) else { return nil }
        // It may grow meanwhile: one byte more tells.
        var isWhole = true
        let content = [UInt8](unsafeUninitializedCapacity: Int(found.size) + 1) { room, count in
            while count < room.count {
                let piece = read(descriptor, room.baseAddress.map { $0 + count }, room.count - count)
                guard piece > 0 else {
                    isWhole = piece == 0
                    return
                }
                count += piece
            }
        }
        return isWhole && content.count <= limit ? content : nil
    }
}
