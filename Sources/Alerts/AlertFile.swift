import FoundationEssentials
import Glibc
import Threads

/// The part of a queue that a restart needs.
struct AlertRecord: Codable, Equatable, Sendable {
    /// The oldest first.
    var waiting: [AlertMessage] = []
    /// When the alerts of the last hour came, milliseconds since 1970.
    var came: [Int64] = []

    var isEmpty: Bool { waiting.isEmpty && came.isEmpty }
}

/// The alerts that wait and those of the last hour, on disk, for a restart.
struct AlertFile: Sendable {
    /// Far more than the queues hold; a longer file is not ours.
    private static let longest = 1_000_000

    let path: String

    /// - Returns: the records by target; empty if there is no readable file.
    func load() -> [String: AlertRecord] {
        LoopThread.assertMayBlock()
        var status = stat()
        guard lstat(path, &status) == 0, status.st_size < Self.longest,
            let data = try? Data(contentsOf: URL(filePath: path))
        else { return [:] }
        return (try? JSONDecoder().decode([String: AlertRecord].self, from: data)) ?? [:]
    }

    /// Replaces the file by one that only its owner may read, whatever the umask.
    func save(_ records: [String: AlertRecord]) throws {
        LoopThread.assertMayBlock()
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(code: errno) }
        let isPrivate = fchmod(descriptor, 0o600) == 0
        close(descriptor)
        guard isPrivate else { throw Fault(code: errno) }
        try JSONEncoder().encode(records).write(to: URL(filePath: new))
        guard rename(new, path) == 0 else { throw Fault(code: errno) }
    }

    struct Fault: Error {
        var code: Int32
    }
}
