import FlightMath
import Gateway
import GatewayReports
import NIOHTTP1

/// The flights and drives of the crew. A flight's points are read once: after a day it does not change any more.
actor Logbook {
    static let mostFlights = 200
    /// The most points that one answer takes into account. Older flights are left out.
    static let mostPoints = 2_000_000
    /// After this time nobody drives to a sonde any more, milliseconds.
    private static let settled: Int64 = 86_400_000

    private let archive: any FlightArchive
    private let clock: any GatewayClock
    private var known: [ArchivedFlight.ID: FlightLogbook.Entry] = [:]

    init(_ archive: any FlightArchive, clock: any GatewayClock) {
        (self.archive, self.clock) = (archive, clock)
    }

    /// The newest first.
    func entries() async throws(StoreError) -> [FlightLogbook.Entry] {
        var entries: [FlightLogbook.Entry] = []
        var points = 0
        for flight in try await archive.flights(of: nil, limit: Self.mostFlights) {
            points += flight.points
            guard entries.isEmpty || points <= Self.mostPoints else { break }
            entries.append(try await entry(of: flight))
        }
        let now = clock.now.wall
        let settled = entries.filter {
            now.millisecondsSince1970 - $0.flight.last.time.millisecondsSince1970 > Self.settled
        }
        known = Dictionary(settled.map { ($0.flight.id, $0) }) { first, _ in first }
        return entries
    }

    private func entry(of flight: ArchivedFlight) async throws(StoreError) -> FlightLogbook.Entry {
        if let known = known[flight.id], known.flight == flight { return known }
        return try await archive.log(of: flight)
    }
}
