import Glibc

/// Reads a user's text file of limited length.
enum SmallFile {
    enum Fault: Error, Equatable {
        case unreadable(errno: Int32)
        case directory
        /// A named pipe or a socket.
        case notPlain
        case tooLong(maximum: Int)
        case notText

        /// The fault in words, behind the file's name.
        var text: String {
            switch self {
            case .unreadable(let code): "can't be read: \(String(cString: strerror(code)))"
            case .directory: "is a directory"
            case .notPlain: "is not a plain file"
            case .tooLong(let maximum): "is longer than \(maximum) bytes"
            case .notText: "is not UTF-8 text"
            }
        }
    }

    /// - Parameter maximumLength: in bytes; of a longer file only little more is read.
    static func text(of path: String, maximumLength: Int) throws(Fault) -> String {
        // Without O_NONBLOCK, opening a named pipe waits for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // Opening a socket fails with ENXIO.
        guard descriptor >= 0 else { throw errno == ENXIO ? .notPlain : .unreadable(errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        // Character devices are allowed, because users name /dev/null for "no file".
        guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFCHR].contains(status.st_mode & S_IFMT) else {
            throw status.st_mode & S_IFMT == S_IFDIR ? .directory : .notPlain
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= maximumLength {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw .unreadable(errno: errno) }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        guard bytes.count <= maximumLength else { throw .tooLong(maximum: maximumLength) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        return text
    }
}
