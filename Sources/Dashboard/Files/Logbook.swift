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
    /// The flights that do not change any more.
    private var known: [ArchivedFlight.ID: FlightLogbook.Entry] = [:]

    init(_ archive: any FlightArchive, clock: any GatewayClock) {
        (self.archive, self.clock) = (archive, clock)
    }

    /// The newest first.
    func entries() async throws(StoreError) -> [FlightLogbook.Entry] {
        let flights = try await archive.flights(of: nil, limit: Self.mostFlights)
        let present = Set(flights.map(\.id))
        known = known.filter { present.contains($0.key) }
        var entries: [FlightLogbook.Entry] = []
        var points = 0
        for flight in flights {
            points += flight.points
            guard entries.isEmpty || points <= Self.mostPoints else { break }
            entries.append(try await entry(of: flight))
        }
        return entries
    }

    /// Reads a flight, and remembers it at once: a later flight that can't be read costs no reading twice.
    private func entry(of flight: ArchivedFlight) async throws(StoreError) -> FlightLogbook.Entry {
        if let known = known[flight.id], known.flight == flight { return known }
        let entry = try await archive.log(of: flight)
        let age = clock.now.wall.millisecondsSince1970 - flight.last.time.millisecondsSince1970
        known[flight.id] = age > Self.settled ? entry : nil
        return entry
    }
}
