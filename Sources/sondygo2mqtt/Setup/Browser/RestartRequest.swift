import Foundation
import Glibc
import Synchronization

/// The page's wish that the gateway starts anew with the answers of `setup`.
///
/// The program stops as on SIGTERM, and then runs itself again in the same process. So it works under systemd, in a
/// container and on a terminal alike.
final class RestartRequest: Sendable {
    private let isWanted = Mutex(false)
    /// The browser gets its answer before the page's server stops.
    private static let delay = Duration.milliseconds(300)

    var isPending: Bool { isWanted.withLock { $0 } }

    func request() {
        isWanted.withLock { $0 = true }
        Task {
            try? await Task.sleep(for: Self.delay)
            kill(getpid(), SIGTERM)
        }
    }

    /// Runs the program again with its arguments. Returns only if the system refuses.
    static func runAgain() {
        // The next program would inherit what this one has open, ignores or blocks.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            if let descriptor = Int32(name), descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        for number in [SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGXFSZ, SIGABRT] { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        // After an upgrade of the package the link names the file that was replaced.
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = program.hasSuffix(" (deleted)") ? String(program.dropLast(10)) : program
        var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
        arguments.append(nil)
        execv(path, arguments)
    }
}
