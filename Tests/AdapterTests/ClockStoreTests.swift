import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// After the clock was set, all times of this run are corrected, and no time of an earlier run.
@Suite(.timeLimit(.minutes(10))) struct ClockStoreTests {
    private static let noon: Int64 = 1_767_268_800_000
    private static let place = Coordinate(latitude: 47, longitude: 8)

    private func time(_ second: Int64) -> WallTime { WallTime(millisecondsSince1970: Self.noon + second * 1000) }

    private func points(_ seconds: ClosedRange<Int64>, _ source: TelemetrySource = .ble) -> [TrackPoint] {
        seconds.map {
            TrackPoint(time: time($0), coordinate: Self.place, altitudeMetres: 500, source: source)
        }
    }

    private func car(_ second: Int64) -> CarPoint {
        CarPoint(time: time(second), coordinate: Self.place, altitudeMetres: 430)
    }

    private func serial() throws -> SondeSerial { try #require(SondeSerial(name: "V1", type: .rs41)) }

    /// What the gateway records beside the points, all at one time.
    private func sideRecords(_ second: Int64) throws -> [FlightLogEntry] {
        let serial = try serial()
        return [
            .landingPoint(serial, EarlierLandingPoint(coordinate: Self.place, time: time(second))),
            .prediction(
                serial,
                StoredPrediction(
                    method: .ownWinds, at: time(second), isDescending: true, minutesToGo: 20, kilometresToGo: 10,
                    landing: Self.place, radius90: 900)),
            .lesson(
                serial,
                FlightLesson(
                    serial: serial, sondeType: .rs41, at: time(second), launch: nil, burstMetres: 30_000,
                    descentRate: nil)),
            .carPoint(serial, car(second)), .sample(serial, HeardSample(time: time(second), source: .ble)),
            .receiver(serial, ReceiverEvent(.restarted, at: time(second))),
        ]
    }

    /// After a restart the flight has points of the earlier run only, and this run's records go to it.
    @Test(arguments: [-1800, 7200] as [Int64]) func recordsOfAnEarlierFlightAreCorrected(_ step: Int64) async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let store = bench.store()
        try await store.record([.points(serial, .rs41, points(0...9)), .carPoint(serial, car(20))])
        try await store.record(
            try sideRecords(3700) + [
                .clockSet(ClockStep(byMilliseconds: step * 1000, since: time(3600)))
            ])
        let right = time(3700 + step)
        let memory = try await store.memory()
        let flight = try #require(memory.flight)
        #expect(flight.points == points(0...9))
        #expect(flight.landingPoints.map(\.time) == [right] && flight.predictions.map(\.at) == [right])
        #expect(memory.lessons.map(\.at) == [right] && memory.newestSideRecord == right)
        let reader = FlightReader(path: bench.path)
        let id = try #require(try await reader.flights(of: nil, limit: 1).first).id
        let way = try await reader.carPoints(ofFlight: id, after: .min, limit: 100)
        #expect(way.map(\.time) == [car(20).time, right])
        #expect(try await reader.samples(ofFlight: id, seconds: .min ... .max).map(\.time) == [right])
        #expect(try await reader.receiverEvents(ofFlight: id).map(\.time) == [right])
    }

    /// A sonde that was launched twice in this run: the points of the first flight meet the second one, and each record
    /// moves once.
    @Test func eachRecordMovesOnce() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        try await bench.store().record([
            .points(serial, .rs41, points(0...9) + points(100...109)), .carPoint(serial, car(5)),
            .carPoint(serial, car(105)), .newFlight(serial, since: time(100)),
            .clockSet(ClockStep(byMilliseconds: 50_000, since: time(0))),
        ])
        let reader = FlightReader(path: bench.path)
        var (track, way): ([TrackPoint], [CarPoint]) = ([], [])
        for flight in try await reader.flights(of: nil, limit: 9) {
            track += try await reader.newestPoints(ofFlight: flight.id, limit: 100)
            way += try await reader.carPoints(ofFlight: flight.id, after: .min, limit: 100)
        }
        #expect(track.map(\.time).sorted() == (points(50...59) + points(150...159)).map(\.time))
        #expect(way.map(\.time).sorted() == [time(55), time(155)])
    }

    /// The sonde's flight becomes another one, which has what was reported of its recovery.
    @Test func aReportOfRecoveryStaysWithItsFlight() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let report = Recovery(
            serial, .recovered, by: "OE1XYZ", note: "in a tree", at: time(900), coordinate: nil, altitudeMetres: 0)
        try await bench.store().record([
            .points(serial, .rs41, points(0...9)), .recovery(serial, report),
            .clockSet(ClockStep(byMilliseconds: 400 * 86_400_000, since: time(0))),
        ])
        let flights = try await FlightReader(path: bench.path).flights(of: nil, limit: 9)
        #expect(flights.map(\.recovery) == ["recovered OE1XYZ"] && flights.map(\.recoveryNote) == ["in a tree"])
    }

    /// A day's records, one a second: each corrected one has the time of the next wrong one. The receiver's move,
    /// SondeHub's stay.
    @Test(arguments: [1000, -1000, 3_600_000, 400 * 86_400_000] as [Int64])
    func aDayOfRecordsMoves(_ milliseconds: Int64) async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let store = bench.store()
        try await store.record([.points(serial, .rs41, points(0...9))])
        await store.close()
        let seconds = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < "
        try await bench.tamper(
            seconds + "86399) INSERT INTO sample (flight, at, source) SELECT flight.id, \(Self.noon) + i * 1000 + "
                + "iif(i % 10 = 3, 500, 0), iif(i % 10 = 3, 'sondehub', 'ble') FROM n, flight")
        try await bench.tamper(
            seconds + "19999) INSERT INTO car_point SELECT flight.id, \(Self.noon) + i * 1000, 47, 8, NULL "
                + "FROM n, flight")
        try await bench.store().record([.clockSet(ClockStep(byMilliseconds: milliseconds, since: time(0)))])
        let reader = FlightReader(path: bench.path)
        let id = try #require(try await reader.flights(of: nil, limit: 1).first).id
        func moved(_ seconds: some Sequence<Int64>) -> [WallTime] {
            seconds.map { time($0).advanced(byMilliseconds: milliseconds) }
        }
        let samples = try await reader.samples(ofFlight: id, seconds: .min ... .max)
        let day = 0..<Int64(86_400)
        #expect(samples.filter { $0.source == .ble }.map(\.time) == moved(day.filter { $0 % 10 != 3 }))
        #expect(
            samples.filter { $0.source == .sondehub }.map(\.time)
                == day.filter { $0 % 10 == 3 }.map { time($0).advanced(byMilliseconds: 500) })
        let way = try await reader.carPoints(ofFlight: id, after: .min, limit: 30_000)
        #expect(way.map(\.time) == moved(0..<20_000))
    }
}
