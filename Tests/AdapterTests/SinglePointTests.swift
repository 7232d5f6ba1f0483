import FlightMath
import FlightStore
import Gateway
import GatewayReports
import ReceiverProtocol
import ReceiverSimulator
import TestSupport
import Testing

/// A point that comes alone takes a shorter way into the store, where there is one; what is stored is the same.
@Suite(.timeLimit(.minutes(10))) struct SinglePointTests {
    /// Nearly always the next second of the same sonde; now and then the same one, late, after a gap, half a day away, of
    /// another sonde, without its type.
    private struct Walk {
        private static let steps: [Int64] = [0, 400, 1000, 1000, 1000, 1000, 1000, 1000, -3000, 9000, 15_000, -20_000]
        private let sondes: [SondeSerial]
        private var random: SeededGenerator
        private var time: Int64 = 1_767_268_800_000

        init(seed: UInt64) throws {
            sondes = try ["V4210150", "W1234567"].map { try #require(SondeSerial(name: $0, type: .rs41)) }
            random = SeededGenerator(seed: seed)
        }

        private mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

        mutating func next() -> (SondeSerial, SondeType, TrackPoint) {
            time += Self.steps[Int.random(in: 0..<Self.steps.count, using: &random)]
            if isOne(in: 20) { time += Int64.random(in: -100_000_000...120_000_000, using: &random) }
            let point = TrackPoint(
                time: WallTime(millisecondsSince1970: time), coordinate: Coordinate(latitude: 47.1, longitude: 8.6),
                altitudeMetres: Double.random(in: 0...30_000, using: &random),
                source: isOne(in: 3) ? .sondehub : .ble)
            return (sondes[isOne(in: 10) ? 1 : 0], isOne(in: 3) ? .other("") : .rs41, point)
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func asOneOfSeveral(_ seed: UInt64) async throws {
        let (alone, together) = (try StoreFolder(), try StoreFolder())
        let (first, second) = (alone.store(), together.store())
        var walk = try Walk(seed: seed)
        for _ in 0..<200 {
            let (serial, type, point) = walk.next()
            try await first.record([.points(serial, type, [point])])
            // Of one source the first stays: the second one changes nothing.
            try await second.record([.points(serial, type, [point, point])])
        }
        #expect(try await first.memory() == second.memory())
        let (reader, other) = (FlightReader(path: alone.path), FlightReader(path: together.path))
        let flights = try await reader.flights(of: nil, limit: 99)
        #expect(flights.count > 2)
        #expect(try await other.flights(of: nil, limit: 99) == flights)
        for flight in flights {
            let points = try await reader.points(ofFlight: flight.id, skipping: 0, limit: 999)
            #expect(try await other.points(ofFlight: flight.id, skipping: 0, limit: 999) == points)
        }
    }
}
