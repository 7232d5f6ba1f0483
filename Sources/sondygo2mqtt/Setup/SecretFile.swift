import Glibc

/// Writes a file that only its owner may read.
enum SecretFile {
    /// Replaces the file at once and as a whole.
    static func write(_ secret: String, to path: String) throws(CommandFailure) {
        let draft = path + ".new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        do throws(CommandFailure) {
            try writeWhole(Array((secret + "\n").utf8), to: descriptor)
        } catch {
            unlink(draft)
            throw error
        }
        guard fsync(descriptor) == 0, rename(draft, path) == 0 else { throw failure(path) }
    }

    private static func failure(_ path: String) -> CommandFailure {
        let hint = errno == EACCES ? "; run it with sudo" : ""
        return CommandFailure(.unavailable, "can't write \(path): \(String(cString: strerror(errno)))\(hint)")
    }
}
