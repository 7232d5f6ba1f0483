import GatewayReports
import Glibc

/// One writer: the process's lock on a store, on a file beside it. Held as long as this value lives; the kernel takes it
/// back from a process that dies.
///
/// Not on the database's own file: locks there are SQLite's, and end with the first descriptor of it that is closed.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// - Parameter path: of the database.
    /// - Throws: `in_use` while another process has it, or what else is in the way.
    init(of path: String) throws(StoreError) {
        // In a local first: once it is the value's own, a throw closes it in `deinit`, too.
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
