import Glibc

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

    init(path: String) {
        self.path = path
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
    func set() { write(deaths + 1) }

    /// The library has survived the broker's first packets.
    func clear() { unlink(path) }

    /// The attempt ended before that, but the program did not.
    func lift() {
        if deaths == 0 { clear() } else { write(deaths) }
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
