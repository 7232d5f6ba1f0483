import FlightMath
import GatewayReports
import ReceiverProtocol

/// The bearings that were taken, of the followed sonde and of those before.
struct BearingBook: Sendable {
    /// The most bearings. First those of a direction finder are dropped, which sends many; the oldest first.
    static let limit = 200

    private var bearings: [Dated<StoredBearing>] = []
    /// Grows with each change, so that an estimate is made once.
    private(set) var version = 0

    /// For the store; nil if there is no bearing.
    func stored(by clock: RunClock) -> StoredBearings? {
        bearings.isEmpty ? nil : StoredBearings(bearings: ReadableList(all(by: clock)))
    }

    /// Whether the bearings' times differ between two clocks.
    func isMoved(from last: RunClock, to present: RunClock) -> Bool { all(by: last) != all(by: present) }

    private func all(by clock: RunClock) -> [StoredBearing] { bearings.map { $0.value(by: clock) } }

    /// The bearings of a sonde, the oldest first.
    func bearings(of serial: SondeSerial?, by clock: RunClock) -> [StoredBearing] {
        all(by: clock).filter { $0.serial == serial }
    }

    /// - Parameter bearing: its number is given here.
    /// - Returns: the number.
    mutating func add(_ bearing: StoredBearing, by clock: RunClock) -> Int {
        var bearing = bearing
        bearing.number = (bearings.map(\.original.number).max() ?? 0) + 1
        append([Dated(bearing, by: clock)])
        return bearing.number
    }

    private mutating func append(_ new: [Dated<StoredBearing>]) {
        bearings += new
        while bearings.count > Self.limit {
            bearings.remove(at: bearings.firstIndex { $0.original.source == .horus } ?? 0)
        }
        version += 1
    }

    /// - Returns: whether there was such a bearing.
    mutating func remove(_ number: Int, of serial: SondeSerial?) -> Bool {
        let count = bearings.count
        bearings.removeAll { $0.original.serial == serial && $0.original.number == number }
        version += 1
        return bearings.count < count
    }

    /// - Returns: the number of bearings that were removed.
    mutating func removeAll(of serial: SondeSerial?) -> Int {
        let count = bearings.count
        bearings.removeAll { $0.original.serial == serial }
        if bearings.count < count { version += 1 }
        return count - bearings.count
    }

    /// The signal without a name turns out to be this sonde's.
    /// - Parameter oldest: earlier bearings stay without a name.
    /// - Returns: whether there were any.
    mutating func name(_ serial: SondeSerial, since oldest: WallTime, by clock: RunClock) -> Bool {
        let unnamed = bearings.indices.filter {
            bearings[$0].original.serial == nil && bearings[$0].time(\.at, by: clock) >= oldest
        }
        guard !unnamed.isEmpty else { return false }
        for index in unnamed { bearings[index].original.serial = serial }
        version += 1
        return true
    }

    /// Adds the bearings that an earlier run has stored, before those of this run.
    /// - Parameter oldest: earlier ones are of flights that are long over.
    mutating func join(_ stored: StoredBearings, since oldest: WallTime) {
        var known = bearings
        bearings = stored.bearings.elements.filter { $0.isPlausible && $0.at >= oldest }
            .map { Dated(fromElsewhere: $0) }
        let last = bearings.map(\.original.number).max() ?? 0
        for index in known.indices { known[index].original.number += last }
        append(known)
    }
}
