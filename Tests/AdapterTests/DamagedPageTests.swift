import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// A page of the store that can't be read costs its rows. All else is shown, and one flag tells that something is
/// missing.
@Suite(.timeLimit(.minutes(10))) struct DamagedPageTests {
    private static let noon: Int64 = 1_767_268_800_000
    private static let page = 4096
    private static let flights = 6
    private static let points = 400

    private static func serial(_ flight: Int) throws -> SondeSerial {
        try #require(SondeSerial(name: "V421015\(flight)", type: .rs41))
    }

    /// A store of six flights of two hours, with the car's way and samples.
    private func filled() async throws -> Data {
        let bench = try StoreFolder()
        let store = bench.store()
        let place = Coordinate(latitude: 47, longitude: 8)
        for flight in 0..<Self.flights {
            let serial = try Self.serial(flight)
            let times = (0..<Self.points).map { index in
                WallTime(millisecondsSince1970: Self.noon + Int64(flight) * 86_400_000 + Int64(index) * 18_000)
            }
            let points = times.enumerated().map { index, time in
                TrackPoint(
                    time: time, coordinate: place, altitudeMetres: 500 + Double(index), source: .ble)
            }
            try await store.record([.points(serial, .rs41, points)])
            try await store.record(
                times.flatMap { time -> [FlightLogEntry] in
                    var sample = HeardSample(time: time, source: .ble)
                    sample.rssiDBm = -90
                    sample.view = HeardSample.View(azimuthDegrees: 90, distanceMetres: 20_000)
                    return [
                        .carPoint(serial, CarPoint(time: time, coordinate: place, altitudeMetres: 430)),
                        .sample(serial, sample),
                    ]
                })
        }
        await store.close()
        return try Data(contentsOf: URL(fileURLWithPath: bench.path))
    }

    /// The store with other bytes in a page.
    private func reader(of store: Data, damagedAt page: Int?) throws -> FlightReader {
        let bench = try StoreFolder()
        var damaged = store
        if let page {
            damaged.replaceSubrange(
                page * Self.page..<(page + 1) * Self.page, with: Data(repeating: 0xA5, count: Self.page))
        }
        try damaged.write(to: URL(fileURLWithPath: bench.path))
        return FlightReader(path: bench.path)
    }

    @Test func aPageHidesNoOtherFlight() async throws {
        let store = try await filled()
        let pages = store.count / Self.page
        var (unreadable, partly) = (0, 0)
        for page in 1..<pages {
            let reader = try reader(of: store, damagedAt: page)
            guard let flights = try? await reader.flights(of: nil, limit: 10) else {
                unreadable += 1
                continue
            }
            // A page may hold the end of one flight and the begin of the next.
            let whole = flights.filter { $0.points == Self.points }
            #expect(whole.count >= Self.flights - 2, "page \(page)")
            for flight in flights {
                var bytes: [UInt8] = []
                try await reader.write(flight, as: .csv) { bytes += $0 }
                #expect(bytes.count { $0 == UInt8(ascii: "\n") } - 1 == flight.points, "page \(page)")
                #expect(try await reader.log(of: flight).flight == flight)
                let rest = try await reader.points(ofFlight: flight.id, skipping: 10, limit: 1000)
                #expect(rest.count == max(0, flight.points - 10) && rest.last == flight.last, "page \(page)")
                #expect(try await reader.newestPoints(ofFlight: flight.id, limit: 10).last == flight.last)
            }
            _ = try await reader.coverage()
            _ = try await reader.lessons()
            if whole.count < Self.flights { #expect(reader.isDamaged, "page \(page)") }
            if reader.isDamaged { partly += 1 }
        }
        // The pages of the schema, of the flights' heads and the root of the points.
        #expect(unreadable < 8, "\(unreadable)")
        #expect(partly > pages / 2, "\(partly) of \(pages)")
        let healthy = try reader(of: store, damagedAt: nil)
        let samples = try await healthy.coverage().samples
        #expect(samples == Self.flights * Self.points && !healthy.isDamaged)
    }

    /// Another file has the name now: its flights are whole.
    @Test func anotherFileIsNotDamaged() async throws {
        let store = try await filled()
        let bench = try StoreFolder()
        let reader = FlightReader(path: bench.path)
        var damaged = store
        damaged.replaceSubrange(
            damaged.count / 2..<damaged.count, with: Data(repeating: 0xA5, count: damaged.count - damaged.count / 2))
        try damaged.write(to: URL(fileURLWithPath: bench.path))
        _ = try? await reader.flights(of: nil, limit: 10)
        #expect(reader.isDamaged)
        try store.write(to: URL(fileURLWithPath: bench.path + "-new"))
        #expect(rename(bench.path + "-new", bench.path) == 0)
        #expect(try await reader.flights(of: nil, limit: 10).count == Self.flights && !reader.isDamaged)
    }

    /// A flight of which nothing can be read is not one that was never recorded.
    @Test func anUnreadableFlightIsNoMissingOne() async throws {
        let store = try await filled()
        let serial = try Self.serial(0)
        for page in 1..<store.count / Self.page {
            let reader = try reader(of: store, damagedAt: page)
            guard let flights = try? await reader.flights(of: serial, limit: 1) else { continue }
            #expect(flights.map(\.serial) == [serial], "page \(page)")
            let other = try #require(SondeSerial(name: "T1234567", type: .rs41))
            #expect(try await reader.flights(of: other, limit: 1).isEmpty, "page \(page)")
        }
    }
}
