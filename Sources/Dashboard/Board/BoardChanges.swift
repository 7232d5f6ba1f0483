import GatewayReports
import NIOCore

/// The newest state of everything that the board's page shows.
///
/// A stream gets the changes after its ``Position`` in pieces, which are made once for all streams at the same place.
struct BoardChanges {
    typealias Position = NewestStates<Key, [UInt8]?>.Position

    struct Key: Hashable {
        fileprivate var name, id: String
    }

    /// A piece that was made for one stream, kept for others at the same place.
    private struct Shared {
        var place: UInt64, newest: UInt64, end: UInt64
        var bytes: ByteBuffer
    }

    /// A piece ends when it has this many bytes. A client with 30 kbit/s reads one in less than the 10 s that it has.
    static let pieceSize = 32_768
    /// The most removals that are kept for streams that have not been sent them.
    static let mostRemovals = 10_000
    static let allGone = ServerSentEvent.bytes("gone", number: 0, data: Array(#"{"all":true}"#.utf8))

    /// The data of each thing; nil for one that has been removed.
    private var states = NewestStates<Key, [UInt8]?>(mostPassing: mostRemovals, batch: mostRemovals / 2)
    private var shared: Shared?

    /// The number of things that have not been removed.
    var count: Int { states.count }
    /// A new stream, which has been sent ``allGone``.
    var begin: Position { states.begin(hasSnapshot: false) }

    /// - Parameter streams: the places of all streams.
    mutating func add(_ items: [BoardItem], streams: [Position]) {
        for item in items {
            let key = Key(name: item.name, id: item.id)
            guard item.data != nil || states.has(key) else { continue }
            states.add(item.data, for: key, isPassing: item.data == nil, streams: streams)
        }
    }

    /// The next piece for a stream; nil if it has been sent everything.
    mutating func next(_ position: inout Position) -> ByteBuffer? {
        if states.isLate(position) {
            position = begin
            return Self.allGone
        }
        let newest = states.newest
        guard position.sent < newest else { return nil }
        if shared?.place != position.sent || shared?.newest != newest { shared = piece(after: position.sent) }
        guard let shared else { return nil }
        position.sent = shared.end
        return shared.bytes.readableBytes > 0 ? shared.bytes : nil
    }

    private func piece(after place: UInt64) -> Shared {
        var found: [String: [[UInt8]]] = [:]
        var gone: [String: [String]] = [:]
        var (size, end) = (0, place)
        while size < Self.pieceSize {
            guard let change = states.next(after: end) else {
                end = states.newest
                break
            }
            end = change.number
            if let data = change.value {
                found[change.key.name, default: []].append(data)
            } else {
                gone[change.key.name, default: []].append(change.key.id)
            }
            size += change.value?.count ?? change.key.id.utf8.count
        }
        var bytes = ByteBuffer()
        func write(_ name: String, _ data: [UInt8]) {
            bytes.writeImmutableBuffer(ServerSentEvent.bytes(name, number: end, data: data))
        }
        if !gone.isEmpty {
            var json = JSONText()
            for (name, ids) in gone.sorted(by: { $0.key < $1.key }) {
                json.field(name, .array(ids.map { .string($0) }))
            }
            write("gone", json.object)
        }
        for (name, pieces) in found.sorted(by: { $0.key < $1.key }) {
            write(name, [UInt8(ascii: "[")] + pieces.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])
        }
        return Shared(place: place, newest: states.newest, end: end, bytes: bytes)
    }
}
