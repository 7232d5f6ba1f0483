import Glibc
import Threads

/// Kind, size and tag of the file at a path. Links are followed.
struct FileStatus {
    enum Kind {
        case file, folder
        /// For example a pipe or a device. Opening or reading it may wait for ever.
        case other
    }

    let kind: Kind
    /// Bytes.
    let size: Int64
    /// A text that changes with the file.
    let tag: String

    /// - Returns: nil on an error; the reason is in `errno`.
    init?(path: String) {
        LoopThread.assertMayBlock()
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

    /// Reads a plain file. It is opened first and checked then, so that a changed link or name can't lead to another
    /// file.
    /// - Returns: nil if it is no plain file, is longer than `limit` bytes or can't be read.
    static func content(ofFile path: String, limit: Int) -> [UInt8]? {
        LoopThread.assertMayBlock()
        // Without O_NONBLOCK, opening a pipe waits for its writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let found = FileStatus(status)
        guard found.kind == .file, found.size <= Int64(limit) else { return nil }
        // The file may grow meanwhile: one more byte means that it is too long.
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
