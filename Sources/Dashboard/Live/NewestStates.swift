/// The newest value of each key in the order of the last changes, for streams that read at different speeds.
///
///     position 1, event a, position 2, event b   ->   event a, position 2, event b
///
/// A stream has only a ``Position`` in this order. So a slow stream gets each state later, once, and in its newest form.
///
/// A passing value is kept only for the streams that have not been sent it: an event, or that a thing is gone. Beyond
/// ``mostPassing`` the oldest of them are dropped. A stream that has not been sent those is late.
struct NewestStates<Key: Hashable, Value> {
    /// A stream's place in the order.
    struct Position {
        /// The number of the last change that the stream has been sent.
        var sent: UInt64
        /// The newest change when the stream began. It needs no earlier passing value.
        fileprivate var begin: UInt64
        /// The stream needs no passing value up to this number.
        fileprivate var passingSent: UInt64 { max(sent, begin) }
    }

    /// A change that no later one has replaced.
    struct Change {
        var number: UInt64
        var key: Key
        var value: Value
    }

    private struct Stored {
        var number: UInt64
        var value: Value
        var isPassing: Bool
    }

    private struct Entry {
        var number: UInt64
        var key: Key
    }

    /// As many outdated entries stay in any case, so that a few keys that change often need no tidying each time.
    private static var leastOutdated: Int { 1000 }

    private let mostPassing: Int
    /// How many passing values are dropped at once. Each time costs a look at all entries.
    private let batch: Int
    private var values: [Key: Stored] = [:]
    private var passing = 0
    /// Sorted by number. An entry is outdated if its value has a later number.
    private var order: [Entry] = []
    /// The number of the newest change.
    private(set) var newest: UInt64 = 0
    /// Passing values up to this number have been dropped before all streams were sent them.
    private var forgotten: UInt64 = 0

    init(mostPassing: Int, batch: Int) {
        self.mostPassing = mostPassing
        self.batch = batch
    }

    /// The number of values that are not passing.
    var count: Int { values.count - passing }
    /// The number of entries, with passing values and outdated ones. Only a test reads it: what it bounds can be seen in no
    /// other way.
    var kept: Int { order.count }

    /// Whether there is a value for the key that is not passing.
    func has(_ key: Key) -> Bool { values[key]?.isPassing == false }

    /// The place of a stream that begins now.
    /// - Parameter hasSnapshot: the stream has all values already.
    func begin(hasSnapshot: Bool) -> Position { Position(sent: hasSnapshot ? newest : 0, begin: newest) }

    /// Whether the stream has missed a passing value, so that it must begin anew.
    func isLate(_ position: Position) -> Bool { position.passingSent < forgotten }

    /// - Parameter streams: the places of all streams.
    mutating func add(_ value: Value, for key: Key, isPassing: Bool, streams: @autoclosure () -> [Position]) {
        newest &+= 1
        if values[key]?.isPassing == true { passing -= 1 }
        if isPassing { passing += 1 }
        values[key] = Stored(number: newest, value: value, isPassing: isPassing)
        order.append(Entry(number: newest, key: key))
        guard passing > mostPassing || order.count > 2 * values.count + Self.leastOutdated else { return }
        tidy(sentToAll: streams().map(\.passingSent).min() ?? newest)
    }

    /// Drops outdated entries, and passing values that all streams have been sent.
    private mutating func tidy(sentToAll: UInt64) {
        order = order.filter { values[$0.key]?.number == $0.number }
        let passed = order.filter { values[$0.key]?.isPassing == true }
        let waiting = passed.drop { $0.number <= sentToAll }
        var end = sentToAll
        if waiting.count > mostPassing {
            end = waiting.dropLast(max(0, mostPassing - batch)).last?.number ?? end
            forgotten = end
        }
        for entry in passed where entry.number <= end {
            values[entry.key] = nil
            passing -= 1
        }
        order = order.filter { values[$0.key] != nil }
    }

    /// The first change after this number; nil if there is none.
    func next(after number: UInt64) -> Change? {
        for entry in order[firstIndex(after: number)...] {
            guard let stored = values[entry.key], stored.number == entry.number else { continue }
            return Change(number: entry.number, key: entry.key, value: stored.value)
        }
        return nil
    }

    private func firstIndex(after number: UInt64) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
