import NIOCore
import Synchronization

/// Limits the connections. If there are too many, the one that has waited longest for its client is closed, so that
/// slow and idle clients never keep out a new one.
final class ConnectionGate: Sendable {
    private let most: Int

    private struct Entry {
        var channel: any Channel
        /// Since when the server waits for the client; nil while it answers and the client reads.
        var waitingSince: NIODeadline?
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    init(most: Int) { self.most = most }

    var count: Int { entries.withLock { $0.count } }

    /// - Returns: false if all connections are busy.
    func admit(_ channel: any Channel) -> Bool {
        let (isAdmitted, displaced) = entries.withLock { entries -> (Bool, (any Channel)?) in
            var displaced: (any Channel)?
            if entries.count >= most {
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

    /// - Parameter isWaiting: whether the server waits for the client to send a request or to read.
    func note(_ channel: any Channel, isWaiting: Bool) {
        entries.withLock { entries in
            guard entries[ObjectIdentifier(channel)] != nil else { return }
            entries[ObjectIdentifier(channel)]?.waitingSince = isWaiting ? .now() : nil
        }
    }

    func leave(_ channel: any Channel) {
        entries.withLock { $0[ObjectIdentifier(channel)] = nil }
    }

    /// Closes all connections when the server stops.
    func closeAll() {
        let channels = entries.withLock { entries in
            defer { entries = [:] }
            return entries.values.map(\.channel)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
