import Glibc

/// The text of a configuration file, read within bounds.
enum ConfigurationText {
    /// Bytes; the example with every key and its explanation has a tenth of it.
    static let maximumLength = 65_536

    /// - Returns: the text, or what is wrong, for a line that begins with the file's name.
    static func read(_ path: String) -> Result<String, Fault> {
        // Not blocking: a named pipe without a writer would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return fault("can't be read: \(String(cString: strerror(errno))); give another with --config")
        }
        defer { close(descriptor) }
        var status = stat()
        // /dev/null is a way to say: no file.
        guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFCHR].contains(status.st_mode & S_IFMT) else {
            let what = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a plain file"
            return fault("is \(what); give a YAML file with --config")
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= maximumLength {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { return fault("can't be read: \(String(cString: strerror(errno)))") }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        guard bytes.count <= maximumLength else {
            return fault("is longer than \(maximumLength) bytes; is it the right file?")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return fault("is not UTF-8 text; save it in that encoding")
        }
        return .success(text)
    }

    struct Fault: Error {
        var text: String
    }

    private static func fault(_ text: String) -> Result<String, Fault> { .failure(Fault(text: text)) }
}
