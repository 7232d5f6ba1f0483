import NIOCore
import Synchronization

/// Counts the connections. When there are as many as there may be, the one that has waited longest for a request makes
/// room: slow and idle clients never keep out one that asks.
final class ConnectionGate: Sendable {
    static let mostConnections = 32

    private struct Entry {
        var channel: any Channel
        /// Nil while an answer is under way, and is read.
        var waitingSince: NIODeadline?
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    var count: Int { entries.withLock { $0.count } }

    /// - Returns: false when all are busy.
    func admit(_ channel: any Channel) -> Bool {
        let (isAdmitted, displaced) = entries.withLock { entries -> (Bool, (any Channel)?) in
            var displaced: (any Channel)?
            if entries.count >= Self.mostConnections {
                let waiting = entries.compactMap { key, entry in entry.waitingSince.map { (key, $0) } }
                guard let longest = waiting.min(by: { $0.1 < $1.1 }) else { return (false, nil) }
                displaced = entries.removeValue(forKey: longest.0)?.channel
            }
            entries[ObjectIdentifier(channel)] = Entry(channel: channel, waitingSince: .now())
            return (true, displaced)
        }
        displaced?.close(promise: nil)
        return isAdmitted
    }

    /// - Parameter isWaiting: for a request, or the rest of it, or for its client to read.
    func note(_ channel: any Channel, isWaiting: Bool) {
        entries.withLock { entries in
            guard entries[ObjectIdentifier(channel)] != nil else { return }
            entries[ObjectIdentifier(channel)]?.waitingSince = isWaiting ? .now() : nil
        }
    }

    func leave(_ channel: any Channel) {
        entries.withLock { $0[ObjectIdentifier(channel)] = nil }
    }

    /// The server stops.
    func closeAll() {
        let channels = entries.withLock { entries in
            defer { entries = [:] }
            return entries.values.map(\.channel)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
