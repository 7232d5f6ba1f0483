import Synchronization

/// Why a stream's connection ended. The first reason counts, because the others follow from it.
final class StreamEnding: Sendable {
    private let words = Mutex<String?>(nil)

    var reason: String? { words.withLock { $0 } }

    func note(_ reason: String) { words.withLock { $0 = $0 ?? reason } }
}
