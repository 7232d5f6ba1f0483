import Glibc
import Synchronization
import Threads

/// A file that survives the library's abort: libmosquitto 2.0.11 ends the whole program when a broker sends an MQTT 5
/// property that it does not know. Without the mark every start would die, with page and store.
///
/// The mark is there while the first session of the run reads the broker's first packets. It holds the number of
/// starts that ended in that time.
struct StartMark {
    /// After this many such starts the program speaks MQTT 3.1.1, which has no properties, or waits.
    static let limit = 2
    /// With a configured MQTT 5: the time in which page and store work before the broker is tried again.
    static let pause = Duration.seconds(60)
    /// An older mark is forgotten: somebody may have changed the broker.
    private static let memory = time_t(7 * 86_400)

    let path: String
    /// The number of earlier starts that ended while they read the broker's first packets.
    let deaths: Int
    private let file: MarkFile

    init(path: String) {
        self.path = path
        self.file = MarkFile(path: path)
        var status = stat()
        guard stat(path, &status) == 0, time(nil) - status.st_mtim.tv_sec < Self.memory else {
            deaths = 0
            return
        }
        var digits = [UInt8](repeating: 0, count: 4)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        let count = file >= 0 ? read(file, &digits, digits.count) : 0
        if file >= 0 { close(file) }
        deaths = Int(String(decoding: digits.prefix(max(0, count)), as: UTF8.self)) ?? 0
    }

    var isReached: Bool { deaths >= Self.limit }

    /// The broker's first bytes are there.
    func set() { file.hold(deaths + 1) }

    /// The library has survived the broker's first packets.
    func clear() { file.hold(nil) }

    /// The attempt ended before that, but the program did not.
    func lift() { file.hold(deaths == 0 ? nil : deaths) }
}

/// Writes the mark on a thread of its own, in the order of the calls. A disk that takes longer than ``patience`` delays
/// no session: then the mark comes later, and a start that dies before it is not counted.
private final class MarkFile: Sendable {
    private static let patience = Duration.milliseconds(200)

    private struct State {
        var content: Int?
        /// The number of the newest call, and of the last one that is on the disk.
        var newest = 0, written = 0
        var isWriting = false
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// - Parameter content: nil removes the file.
    func hold(_ content: Int?) {
        let (number, isIdle) = state.withLock { state in
            defer { state.isWriting = true }
            state.content = content
            state.newest += 1
            return (state.newest, !state.isWriting)
        }
        if isIdle { runOnThread(named: "one call") { [self] in writeAll() } }
        let end = ContinuousClock.now + Self.patience
        while state.withLock({ $0.written < number }), ContinuousClock.now < end { usleep(500) }
    }

    private func writeAll() {
        while let (content, number) = next() {
            if let content { write(content) } else { unlink(path) }
            state.withLock { $0.written = number }
        }
    }

    private func next() -> (content: Int?, number: Int)? {
        state.withLock { state in
            state.isWriting = state.written < state.newest
            return state.isWriting ? (state.content, state.newest) : nil
        }
    }

    /// A disk that takes nothing leaves the program without the mark, as it was without this guard.
    private func write(_ count: Int) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let digits = Array(String(min(count, 9)).utf8)
        _ = Glibc.write(file, digits, digits.count)
        close(file)
    }
}
