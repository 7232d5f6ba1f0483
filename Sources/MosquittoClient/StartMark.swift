import Glibc
import Synchronization

/// A file that survives the library's abort: libmosquitto 2.0.11 ends the whole program when a broker sends an MQTT 5
/// property that it does not know, or when the broker passes on one from another client. Without the file every start
/// would die, with page and store.
///
/// The file holds how often that has happened. Only the abort itself writes it, in a signal handler: a power cut or a
/// kill says nothing about the broker.
struct StartMark {
    /// After so many such ends the program speaks MQTT 3.1.1, which has no properties, or waits.
    static let limit = 2
    /// With a configured MQTT 5: the time in which page and store work before the broker is tried again.
    static let pause = Duration.seconds(60)
    /// An older file is forgotten: somebody may have changed the broker.
    private static let memory = time_t(7 * 86_400)

    let path: String
    /// How often the library has ended the program.
    let deaths: Int

    /// Reads the file, and lets a later abort write it.
    init(path: String) {
        self.path = path
        deaths = Self.count(in: path)
        AbortNote.prepare(path: path, count: deaths + 1)
    }

    private static func count(in path: String) -> Int {
        // A pipe in the file's place must not hold this thread.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            time(nil) - status.st_mtim.tv_sec < memory
        else { return 0 }
        var digits = [UInt8](repeating: 0, count: 4)
        let count = read(file, &digits, digits.count)
        return Int(String(decoding: digits.prefix(max(0, count)), as: UTF8.self)) ?? 0
    }

    var isReached: Bool { deaths >= Self.limit }

    /// Runs `body`, in which the library reads packets of MQTT 5. An abort within it is counted.
    func guarding<Fault: Error>(_ body: () throws(Fault) -> Void) throws(Fault) {
        AbortNote.isArmed.store(true, ordering: .relaxed)
        defer { AbortNote.isArmed.store(false, ordering: .relaxed) }
        try body()
    }
}

/// What the handler of SIGABRT writes. A handler may not allocate, so all of it lies ready.
private enum AbortNote {
    static let isArmed = Atomic(false)
    /// A C string; nil before ``prepare(path:count:)``.
    nonisolated(unsafe) static var path: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) static var digit = UInt8(ascii: "1")

    static func prepare(path: String, count: Int) {
        isArmed.store(false, ordering: .relaxed)
        digit = UInt8(ascii: "0") + UInt8(clamping: min(count, 9))
        free(Self.path)
        Self.path = strdup(path)
        signal(SIGABRT) { _ in
            if AbortNote.isArmed.load(ordering: .relaxed), let path = AbortNote.path {
                let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o600)
                if file >= 0 {
                    _ = withUnsafePointer(to: &AbortNote.digit) { write(file, $0, 1) }
                    close(file)
                }
            }
            // The program ends as it would without this handler.
            signal(SIGABRT, SIG_DFL)
        }
    }
}
