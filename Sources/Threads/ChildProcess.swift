import CLinux
import Glibc
import Synchronization

/// A program that this process has started. Foundation's `Process` is not used: until Swift 6.4 it reads behind the list of
/// open descriptors (swift-corelibs-foundation 5472), which may end a process with more than some 1300 of them.
public final class ChildProcess: Sendable {
    /// The ``status`` of a program that has ended in an unknown way. No program ends with it.
    public static let unknownStatus: Int32 = -1

    /// The kernel's number of the process. It stays taken until ``status`` or ``wait()`` has told the end.
    public let pid: Int32
    /// The status as ``status`` tells it, once the kernel has been asked for it: it gives it only once.
    private let ended = Mutex<Int32?>(nil)

    /// Starts a program in a process group of its own, with no signal blocked and no descriptor but the three.
    /// - Parameters:
    ///   - program: an absolute path.
    ///   - environment: lines such as `NAME=value`; nil for this process's own.
    ///   - input: a descriptor; nil, like for the other two, for `/dev/null`.
    /// - Throws: ``CannotStart``.
    public init(
        _ program: String, _ arguments: [String], environment: [String]? = nil, input: Int32? = nil,
        output: Int32? = nil, errors: Int32? = nil
    ) throws(CannotStart) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, given) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
            if let given {
                posix_spawn_file_actions_adddup2(&actions, given, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        close_descriptors_from(&actions, STDERR_FILENO + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A thread of Swift's task pool blocks most signals, and the child would, too.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        var pid = pid_t()
        let code = withStrings([program] + arguments) { argv in
            guard let environment else {
                return posix_spawn(&pid, program, &actions, &attributes, argv, environment_of_this_process())
            }
            return withStrings(environment) { posix_spawn(&pid, program, &actions, &attributes, argv, $0) }
        }
        guard code == 0 else { throw CannotStart(program: program, code: code) }
        self.pid = pid
    }

    /// The exit code, or the number of the signal that ended the program; nil while it runs.
    public var status: Int32? {
        ended.withLock { ended in
            guard ended == nil else { return ended }
            var info = siginfo_t()
            if waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG) != 0 {
                // The kernel keeps no status if this process has inherited SIGCHLD as ignored.
                if errno == ECHILD { ended = Self.unknownStatus }
            } else if info._sifields._sigchld.si_pid == pid {
                ended = info._sifields._sigchld.si_status
            }
            return ended
        }
    }

    /// Blocks until the program has ended.
    /// - Returns: its ``status``.
    @discardableResult public func wait() -> Int32 {
        while true {
            if let status { return status }
            var info = siginfo_t()
            waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT)
        }
    }
}

/// A program that the system could not start.
public struct CannotStart: Error, CustomStringConvertible {
    /// The path as it was given.
    public let program: String
    /// An `errno`.
    public let code: Int32

    public var description: String { "\(program): \(String(cString: strerror(code)))" }
}

/// A null-terminated array of C strings, as long as the body runs.
private func withStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
    let copies = strings.map { strdup($0) } + [nil]
    defer { copies.forEach { free($0) } }
    return copies.withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) ?? EINVAL }
}
