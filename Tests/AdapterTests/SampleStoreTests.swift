import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// How sondes were heard, on disk.
@Suite(.timeLimit(.minutes(10))) struct SampleStoreTests {
    private static let noon: Int64 = 1_767_268_800_000

    private func point(_ second: Int64) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: Self.noon + second * 1000),
            coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 500, source: .ble)
    }

    private func sample(_ second: Int64, azimuth: Double? = nil, metres: Double = 0, rssi: Double = -90) -> HeardSample
    {
        var sample = HeardSample(
            time: WallTime(millisecondsSince1970: Self.noon + second * 1000 + 250), source: .ble)
        sample.rssiDBm = rssi
        sample.view = azimuth.map { HeardSample.View(azimuthDegrees: $0, distanceMetres: metres) }
        return sample
    }

    private func serial() throws -> SondeSerial { try #require(SondeSerial(name: "V1", type: .rs41)) }

    private func samples(_ bench: StoreFolder, _ seconds: ClosedRange<Int64>) async throws -> [HeardSample] {
        let reader = FlightReader(path: bench.path)
        let flight = try #require(try await reader.flights(of: nil, limit: 1).first)
        let first = Self.noon / 1000
        return try await reader.samples(
            ofFlight: flight.id, seconds: first + seconds.lowerBound...first + seconds.upperBound)
    }

    @Test func eachValueComesBack() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        var full = sample(5, azimuth: 271.3, metres: 45_321, rssi: -91.5)
        (full.afcHz, full.frequencyMHz, full.receiverMillivolts) = (-1200, 403.512, 4180)
        (full.temperatureCelsius, full.humidityPercent, full.pressureHectopascal) = (-56.5, 12.5, 101.3)
        let empty = HeardSample(time: full.time.advanced(byMilliseconds: 1000), source: .sondehub)
        try await bench.store().record([
            .points(serial, .rs41, [point(0)]), .sample(serial, full), .sample(serial, empty),
            // Of one instant the first stays.
            .sample(serial, sample(5, rssi: -10)),
        ])
        #expect(try await samples(bench, 0...100) == [full, empty])
        #expect(try await samples(bench, 5...5) == [full])
        #expect(try await samples(bench, 7...100).isEmpty)
        #expect(try await samples(bench, 0...(.max / 4)) == [full, empty])
    }

    /// Also before the first position, hours after the last one, and where a frame said no place.
    @Test func eachSampleIsInItsFile() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        var weather = sample(2000)
        (weather.source, weather.rssiDBm, weather.temperatureCelsius) = (.sondehub, nil, -56.5)
        try await bench.store().record([
            .points(serial, .rs41, [point(0), point(5)]), .sample(serial, sample(0)),
            .sample(serial, sample(5, azimuth: 90)),
            .sample(serial, weather), .sample(serial, sample(40_000)),
        ])
        let reader = FlightReader(path: bench.path)
        let flight = try #require(try await reader.flights(of: serial, limit: 1).first)
        var bytes: [UInt8] = []
        try await reader.writeTelemetry(of: flight) { bytes += $0 }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
        let columns =
            "time,source,latitude,longitude,altitude_m,rssi_dbm,afc_hz,frequency_mhz,receiver_battery_v,azimuth_deg,"
            + "distance_m,temperature_c,humidity_pct,pressure_hpa"
        #expect(
            lines == [
                columns,
                "2026-01-01T12:00:00.250Z,ble,47.000000,8.000000,500.0,-90.0,,,,,,,,",
                "2026-01-01T12:00:05.250Z,ble,47.000000,8.000000,500.0,-90.0,,,,90.0,0,,,",
                "2026-01-01T12:33:20.250Z,sondehub,,,,,,,,,,-56.5,,",
                "2026-01-01T23:06:40.250Z,ble,,,,-90.0,,,,,,,,",
            ])
    }

    @Test func aDamagedStoreGivesThemBack() async throws {
        let (old, new, serial) = (try StoreFolder(), try StoreFolder(), try serial())
        let event = ReceiverEvent(.connected, at: point(1).time, firmware: "2.30", millivolts: 4180)
        let store = old.store()
        try await store.record([
            .points(serial, .rs41, [point(0)]), .sample(serial, sample(5)), .receiver(serial, event),
        ])
        await store.close()
        _ = try await FlightSalvage(from: old.path, into: new.store()).run()
        #expect(try await samples(new, 0...100) == [sample(5)])
        let reader = FlightReader(path: new.path)
        let flight = try #require(try await reader.flights(of: nil, limit: 1).first)
        #expect(try await reader.receiverEvents(ofFlight: flight.id) == [event])
    }

    @Test func aSetClockMovesThem() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        var right = sample(7210)
        right.source = .sondehub
        try await bench.store().record([
            .points(serial, .rs41, [point(0)]), .sample(serial, sample(5)), .sample(serial, right),
            .clockSet(ClockStep(byMilliseconds: 7_200_000, since: point(0).time)),
        ])
        #expect(try await samples(bench, 0...20_000).map(\.time) == [sample(7205).time, right.time])
    }

    /// A value that no receiver sends costs its row only.
    @Test func aWrongValueCostsItsRow() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let store = bench.store()
        try await store.record([
            .points(serial, .rs41, [point(0)]), .sample(serial, sample(1)), .sample(serial, sample(2)),
        ])
        await store.close()
        try await bench.tamper("UPDATE sample SET azimuth_tenths = 99999, distance_m = 1 WHERE at % 10000 = 1250")
        #expect(try await samples(bench, 0...100).map(\.time) == [sample(2).time])
    }

    @Test func theCoverageOfAllFlights() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let other = try #require(SondeSerial(name: "V2", type: .rs41))
        var cold = sample(9, azimuth: 10, metres: 500_000)
        cold.source = .sondehub
        try await bench.store().record([
            .points(serial, .rs41, [point(0)]), .points(other, .rs41, [point(0)]),
            .sample(serial, sample(1, azimuth: 348.8, metres: 5000, rssi: -60)),
            .sample(other, sample(2, azimuth: 11.2, metres: 9999, rssi: -70)),
            .sample(serial, sample(3, azimuth: 11.3, metres: 10_000, rssi: -80)),
            .sample(serial, sample(4, azimuth: 180, metres: 250_000, rssi: -120)),
            // Beside the sonde.
            .sample(serial, sample(5, azimuth: 90, metres: 999, rssi: -40)),
            // Without a direction, and not heard here.
            .sample(serial, sample(5)), .sample(serial, cold),
        ])
        let coverage = try await FlightReader(path: bench.path).coverage()
        #expect(coverage.samples == 4)
        #expect(
            coverage.cells == [
                HeardCoverage.Cell(direction: 0, band: 0, samples: 2, meanRSSIDBm: -65, farthestMetres: 9999),
                HeardCoverage.Cell(direction: 1, band: 1, samples: 1, meanRSSIDBm: -80, farthestMetres: 10_000),
                HeardCoverage.Cell(direction: 8, band: 5, samples: 1, meanRSSIDBm: -120, farthestMetres: 250_000),
            ])
        #expect(coverage.farthestMetres(0) == 9999 && coverage.farthestMetres(4) == nil)
    }
}
