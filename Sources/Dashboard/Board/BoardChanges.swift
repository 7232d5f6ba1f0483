import GatewayReports
import NIOCore

/// The newest state of everything that the board's page shows, in the order of its last change.
///
/// A stream has only a ``Position`` in this order, and gets the later changes in pieces. So a slow stream gets each
/// thing later, once, and in its newest state.
struct BoardChanges {
    /// A stream's place in the order.
    struct Position {
        /// The number of the last change that the stream has been sent.
        fileprivate(set) var sent: UInt64 = 0
        /// The newest change when the stream began. It needs no earlier removal.
        fileprivate var begin: UInt64
        /// The stream needs no removal up to this number.
        fileprivate var removalsSent: UInt64 { max(sent, begin) }
    }

    private struct Key: Hashable {
        var name, id: String
    }

    private struct Value {
        var number: UInt64
        /// Nil if it has been removed.
        var data: [UInt8]?
    }

    private struct Entry {
        var number: UInt64
        var key: Key
    }

    /// A piece that was made for one stream, kept for others at the same place.
    private struct Shared {
        var place: UInt64, newest: UInt64, end: UInt64
        var bytes: ByteBuffer
    }

    /// A piece ends when it has this many bytes. A client with 30 kbit/s reads one in less than the 10 s that it has.
    static let pieceSize = 32_768
    /// The most removals that are kept for streams that have not been sent them. Beyond it the older half is dropped, and
    /// the streams that have not been sent those begin anew.
    static let mostRemovals = 10_000
    static let allGone = ServerSentEvent.bytes("gone", number: 0, data: Array(#"{"all":true}"#.utf8))

    private var values: [Key: Value] = [:]
    /// The number of values that have not been removed.
    private(set) var count = 0
    /// Sorted by number. An entry is out of date if its value has a later number.
    private var order: [Entry] = []
    /// The number of entries, with removals and those out of date.
    var kept: Int { order.count }
    private var newest: UInt64 = 0
    /// Removals up to this number have been dropped before all streams were sent them.
    private var forgotten: UInt64 = 0
    private var shared: Shared?

    /// A new stream, which has been sent ``allGone``.
    var begin: Position { Position(begin: newest) }

    /// - Parameter streams: the places of all streams.
    mutating func add(_ items: [BoardItem], streams: [Position]) {
        for item in items {
            let key = Key(name: item.name, id: item.id)
            let wasThere = values[key]?.data != nil
            guard wasThere || item.data != nil else { continue }
            newest &+= 1
            count += (item.data == nil ? 0 : 1) - (wasThere ? 1 : 0)
            values[key] = Value(number: newest, data: item.data)
            order.append(Entry(number: newest, key: key))
        }
        guard order.count > 2 * (count + Self.mostRemovals) else { return }
        tidy(sentToAll: streams.map(\.removalsSent).min() ?? newest)
    }

    /// Drops entries that are out of date, and removals that all streams have been sent.
    private mutating func tidy(sentToAll: UInt64) {
        shared = nil
        order = order.filter { values[$0.key]?.number == $0.number }
        let removals = order.filter { values[$0.key]?.data == nil }
        let waiting = removals.filter { $0.number > sentToAll }
        var end = sentToAll
        if waiting.count > Self.mostRemovals {
            end = waiting[waiting.count - Self.mostRemovals / 2].number
            forgotten = end
        }
        for removal in removals where removal.number <= end { values[removal.key] = nil }
        order = order.filter { values[$0.key] != nil }
    }

    /// The next piece for a stream; nil if it has been sent everything.
    mutating func next(_ position: inout Position) -> ByteBuffer? {
        if position.removalsSent < forgotten {
            position = begin
            return Self.allGone
        }
        guard position.sent < newest else { return nil }
        if shared?.place != position.sent || shared?.newest != newest { shared = piece(after: position.sent) }
        guard let shared else { return nil }
        position.sent = shared.end
        return shared.bytes.readableBytes > 0 ? shared.bytes : nil
    }

    private func piece(after place: UInt64) -> Shared {
        var found: [String: [[UInt8]]] = [:]
        var gone: [String: [String]] = [:]
        var (size, end) = (0, newest)
        for entry in order[firstIndex(after: place)...] {
            guard size < Self.pieceSize else { break }
            end = entry.number
            guard let value = values[entry.key], value.number == entry.number else { continue }
            if let data = value.data {
                found[entry.key.name, default: []].append(data)
            } else {
                gone[entry.key.name, default: []].append(entry.key.id)
            }
            size += value.data?.count ?? entry.key.id.utf8.count
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
        return Shared(place: place, newest: newest, end: end, bytes: bytes)
    }

    private func firstIndex(after place: UInt64) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].number > place { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
