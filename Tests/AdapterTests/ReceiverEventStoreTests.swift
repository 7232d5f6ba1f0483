import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// What happened to the receiver, on disk.
@Suite(.timeLimit(.minutes(10))) struct ReceiverEventStoreTests {
    private static let noon: Int64 = 1_767_268_800_000

    private func time(_ second: Int64) -> WallTime { WallTime(millisecondsSince1970: Self.noon + second * 1000) }

    private func points(_ serial: SondeSerial) -> FlightLogEntry {
        .points(
            serial, .rs41,
            [
                TrackPoint(
                    time: time(0), coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 500,
                    source: .ble)
            ])
    }

    private func events(_ bench: StoreFolder) async throws -> [ReceiverEvent] {
        let reader = FlightReader(path: bench.path)
        let flight = try #require(try await reader.flights(of: nil, limit: 1).first)
        return try await reader.receiverEvents(ofFlight: flight.id)
    }

    @Test func eachEventComesBack() async throws {
        let bench = try StoreFolder()
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let connected = ReceiverEvent(.connected, at: time(1), firmware: "2.30", millivolts: 4180)
        let lost = ReceiverEvent(.lost, at: time(9))
        let store = bench.store()
        // Without a flight nothing is stored.
        try await store.record([.receiver(serial, connected)])
        try await store.record([points(serial), .receiver(serial, connected), .receiver(serial, lost)])
        #expect(try await events(bench) == [connected, lost])
        #expect(try await FlightReader(path: bench.path).newestFirmware() == "2.30")
        #expect(ReceiverSummary([connected, lost])?.firmware == "2.30")
        #expect(ReceiverSummary([connected, lost])?.losses == 1 && ReceiverSummary([]) == nil)
    }

    @Test func aSetClockMovesThem() async throws {
        let bench = try StoreFolder()
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        try await bench.store().record([
            points(serial), .receiver(serial, ReceiverEvent(.restarted, at: time(5))),
            .clockSet(ClockStep(byMilliseconds: 7_200_000, since: time(0))),
        ])
        #expect(try await events(bench).map(\.time) == [time(7205)])
    }

    @Test func theyAreBounded() async throws {
        let bench = try StoreFolder()
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        try await bench.store().record(
            [points(serial)] + (1...1005).map { .receiver(serial, ReceiverEvent(.restarted, at: time($0))) })
        let events = try await events(bench)
        #expect(events.count == 1000 && events.last?.time == time(1000))
        #expect(try await FlightReader(path: bench.path).newestFirmware() == nil)
    }

    /// A store of the version before gets the table.
    @Test func anOldStoreIsOpened() async throws {
        let bench = try StoreFolder()
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let store = bench.store()
        try await store.record([points(serial)])
        await store.close()
        try await bench.tamper("DROP TABLE receiver_event")
        try await bench.tamper("DELETE FROM grdb_migrations WHERE identifier = '11'")
        try await bench.store().record([.receiver(serial, ReceiverEvent(.lost, at: time(5)))])
        #expect(try await events(bench).map(\.kind) == [.lost])
        #expect(bench.told.isEmpty)
    }
}
