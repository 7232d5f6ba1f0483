import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol
import Synchronization
import TransportIO

/// A store with one flight, whose file is much larger than a connection's buffers.
struct LongFlight: FlightArchive {
    var isDamaged = false
    private static let start: Int64 = 1_795_314_600
    private static let count: Int64 = 20_000

    private static func point(_ index: Int64) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: (start + index) * 1000),
            coordinate: Coordinate(latitude: 46.8 + Double(index) * 1e-5, longitude: 6.9),
            altitudeMetres: 500 + Double(index), source: .ble)
    }

    func flights(of serial: SondeSerial?, limit: Int) async throws(StoreError) -> [ArchivedFlight] {
        guard let serial = SondeSerial(name: "V4210150", type: .rs41) else { return [] }
        let last = Self.point(Self.count - 1)
        return [
            ArchivedFlight(
                id: 1, serial: serial, sondeType: .rs41, firstAt: Self.point(0).time, last: last,
                points: Int(Self.count), highestMetres: last.altitudeMetres)
        ]
    }

    func points(ofFlight id: Int64, after second: Int64, limit: Int) async throws(StoreError) -> [TrackPoint] {
        let first = max(0, max(second, Self.start - 1) - Self.start + 1)
        return (first..<min(Self.count, first + Int64(limit))).map(Self.point)
    }

    func points(ofFlight id: Int64, skipping count: Int, limit: Int) async throws(StoreError) -> [TrackPoint] { [] }
    func newestPoints(ofFlight id: Int64, limit: Int) async throws(StoreError) -> [TrackPoint] { [] }
    func samples(ofFlight id: Int64, seconds: ClosedRange<Int64>) async throws(StoreError) -> [HeardSample] { [] }
    func samples(ofFlight id: Int64, after time: Int64, limit: Int) async throws(StoreError) -> [HeardSample] { [] }
    /// A car that stands for 100 s beside the place of the launch.
    func carPoints(ofFlight id: Int64, after time: Int64, limit: Int) async throws(StoreError) -> [CarPoint] {
        let all = (0..<100).map { second in
            CarPoint(
                time: WallTime(millisecondsSince1970: (Self.start + second) * 1000),
                coordinate: Coordinate(latitude: 46.8, longitude: 6.9), altitudeMetres: second < 99 ? 430 : nil)
        }
        return Array(all.filter { $0.time.millisecondsSince1970 > time }.prefix(limit))
    }

    func receiverEvents(ofFlight id: Int64) async throws(StoreError) -> [ReceiverEvent] { [] }
    func coverage() async throws(StoreError) -> HeardCoverage {
        HeardCoverage(cells: [
            HeardCoverage.Cell(direction: 4, band: 1, samples: 3, meanRSSIDBm: -97.25, farthestMetres: 12_345),
            HeardCoverage.Cell(direction: 4, band: 5, samples: 1, meanRSSIDBm: -120, farthestMetres: 250_000),
        ])
    }

    func score(ofFlight flight: ArchivedFlight) async throws(StoreError) -> LandingScore? { nil }
}

/// Counts the reads of its flights.
final class CountingArchive: FlightArchive {
    private let flight = LongFlight()
    private let flightCount: Int64
    /// The flight whose points can't be read now.
    let unreadable = Mutex<Int64?>(nil)
    private let count = Mutex(0)
    private let pieceCount = Mutex(0)
    var reads: Int { count.withLock { $0 } }
    /// The reads of points.
    var pieces: Int { pieceCount.withLock { $0 } }

    init(flights: Int64 = 1) { flightCount = flights }

    func flights(of serial: SondeSerial?, limit: Int) async throws(StoreError) -> [ArchivedFlight] {
        count.withLock { $0 += 1 }
        return try await flight.flights(of: serial, limit: limit).flatMap { flight in
            (1...flightCount).map { id in
                var flight = flight
                flight.id = id
                return flight
            }
        }
    }

    func points(ofFlight id: Int64, after second: Int64, limit: Int) async throws(StoreError) -> [TrackPoint] {
        if id == unreadable.withLock({ $0 }) { throw StoreError(.corrupt, "a page is damaged") }
        pieceCount.withLock { $0 += 1 }
        return try await flight.points(ofFlight: id, after: second, limit: limit)
    }

    func points(ofFlight id: Int64, skipping count: Int, limit: Int) async throws(StoreError) -> [TrackPoint] { [] }
    func newestPoints(ofFlight id: Int64, limit: Int) async throws(StoreError) -> [TrackPoint] { [] }
    func samples(ofFlight id: Int64, seconds: ClosedRange<Int64>) async throws(StoreError) -> [HeardSample] { [] }
    func samples(ofFlight id: Int64, after time: Int64, limit: Int) async throws(StoreError) -> [HeardSample] { [] }
    func carPoints(ofFlight id: Int64, after time: Int64, limit: Int) async throws(StoreError) -> [CarPoint] { [] }
    func receiverEvents(ofFlight id: Int64) async throws(StoreError) -> [ReceiverEvent] { [] }
    func coverage() async throws(StoreError) -> HeardCoverage { try await flight.coverage() }
    func score(ofFlight flight: ArchivedFlight) async throws(StoreError) -> LandingScore? { nil }
}

/// A crater: from its ground all around it rises by 45°, as far as anybody looks. It keeps where it was asked.
final class AskedGround: TerrainSource {
    private let asked = Mutex<[Coordinate]>([])
    var places: [Coordinate] { asked.withLock { $0 } }

    func terrain(around place: Coordinate) async -> TerrainAnswer { TerrainAnswer() }

    func heights(along lines: [GroundLine]) async -> TerrainAnswer {
        asked.withLock { $0 += lines.prefix(1).map(\.start) }
        return TerrainAnswer(
            lines: lines.map { line in
                (0..<line.count).map { index in
                    Int16(clamping: Int(line.start.distanceMetres(to: line.place(index)).rounded()))
                }
            })
    }
}

/// A clock that stands still.
struct StoppedClock: GatewayClock {
    let now: Moment

    init(_ time: WallTime) { now = Moment(monotonic: .now, wall: time, isClockSynced: true) }

    func sleep(until deadline: MonotonicTime) async {}
}
