import GatewayReports
import Glibc

/// The process's lock on a store, so that it has one writer. The lock is on a file beside it, and lasts as long as this
/// value lives. When a process dies, the kernel frees its locks.
///
/// The database's own file can't be used: SQLite locks it, and a process loses its locks on a file when it closes any
/// descriptor of the file.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// - Parameter path: the database's path.
    /// - Throws: `in_use` while another process has the lock, or another reason.
    init(of path: String) throws(StoreError) {
        // A local variable: once the property has the descriptor, `deinit` would close it a second time after a throw.
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, at: path + ".lock") }
        var wanted = flock()
        wanted.l_type = Int16(F_WRLCK)
        wanted.l_whence = Int16(SEEK_SET)
        guard fcntl(descriptor, F_SETLK, &wanted) == 0 else {
            let code = errno
            defer { close(descriptor) }
            guard code == EAGAIN || code == EACCES else { throw StoreError(errno: code, at: path + ".lock") }
            _ = fcntl(descriptor, F_GETLK, &wanted)
            let holder = wanted.l_type != Int16(F_UNLCK) && wanted.l_pid > 0 ? " (process \(wanted.l_pid))" : ""
            throw StoreError(
                .inUse,
                "\(path) is in use by another gateway\(holder); give this one a gateway.state_directory of its own")
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
