import NIOCore
import Synchronization

/// Limits the connections. If there are too many, one makes room by the rule of ``AddressShare``. So neither slow and
/// idle clients nor a crowd from one address keep out a new one.
final class ConnectionGate: Sendable {
    private let most: Int

    private struct State {
        var entries: [ObjectIdentifier: (channel: any Channel, holder: AddressShare.Holder)] = [:]
        var number: UInt64 = 0
    }

    private let state = Mutex(State())

    init(most: Int) { self.most = most }

    var count: Int { state.withLock { $0.entries.count } }

    /// - Returns: false if no connection makes room.
    func admit(_ channel: any Channel) -> Bool {
        let address = channel.clientNetwork
        let (isAdmitted, displaced) = state.withLock { state -> (Bool, (any Channel)?) in
            var displaced: (any Channel)?
            if state.entries.count >= most {
                guard let key = AddressShare.displaced(by: address, state.entries.mapValues(\.holder)) else {
                    return (false, nil)
                }
                displaced = state.entries.removeValue(forKey: key)?.channel
            }
            state.number &+= 1
            state.entries[ObjectIdentifier(channel)] = (
                channel, AddressShare.Holder(address: address, number: state.number, waitingSince: .now())
            )
            return (true, displaced)
        }
        displaced?.close(promise: nil)
        return isAdmitted
    }

    /// - Parameter isWaiting: whether the server waits for the client to send a request or to read.
    func note(_ channel: any Channel, isWaiting: Bool) {
        state.withLock { $0.entries[ObjectIdentifier(channel)]?.holder.waitingSince = isWaiting ? .now() : nil }
    }

    func leave(_ channel: any Channel) {
        state.withLock { $0.entries[ObjectIdentifier(channel)] = nil }
    }

    /// Closes all connections when the server stops.
    func closeAll() {
        let channels = state.withLock { state in
            defer { state.entries = [:] }
            return state.entries.values.map(\.channel)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
