import GatewayReports
import Glibc
import Threads
import TransportIO

/// Reads a file line by line, with bounded memory.
struct LineReader: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private let limit: Int
    private var buffer: [UInt8] = []
    private var isAtEnd = false
    /// The number of the last line, from 1.
    private(set) var lineNumber = 0

    /// Opens a plain file. Another kind could block for ever, or never end.
    /// - Parameter limit: the longest line in bytes.
    init(path: String, limit: Int) throws(TransportError) {
        LoopThread.assertMayBlock()
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(path, errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            let what = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a plain file"
            throw TransportError(.invalidData, "\(path) is \(what); give a raw log")
        }
        self.descriptor = descriptor
        self.path = path
        self.limit = limit
    }

    deinit { close(descriptor) }

    /// - Returns: the next line without its end; nil at the end of the file.
    mutating func next() throws(TransportError) -> [UInt8]? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(buffer[..<end])
                buffer.removeSubrange(...end)
                lineNumber += 1
                return line
            }
            guard buffer.count <= limit else {
                throw TransportError(.invalidData, "\(path):\(lineNumber + 1): longer than \(limit) bytes")
            }
            guard !isAtEnd else {
                guard !buffer.isEmpty else { return nil }
                defer { buffer = [] }
                lineNumber += 1
                return buffer
            }
            try fill()
        }
    }

    private mutating func fill() throws(TransportError) {
        var piece = [UInt8](repeating: 0, count: 16_384)
        let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else {
            throw TransportError(.invalidData, "\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        isAtEnd = count == 0
        buffer.append(contentsOf: piece[..<count])
    }
}
