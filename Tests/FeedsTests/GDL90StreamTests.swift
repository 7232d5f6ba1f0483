import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

@testable import Feeds
@testable import FlightMath

/// Reads the ownship reports of other devices.
@Suite struct GDL90StreamTests {
    /// As Stratux packs it: 46.82 N 6.94 E, 30 kt, true track 90°, NIC 8, NACp 10.
    private static let ownship = [UInt8](
        hex: "7e 0a 01 f0 00 00 21 4b 52 04 ef 63 0f f9 8a 01 e0 00 40 01 53 74 72 61 74 75 78 00 00 73 2e 7e")
    /// 1480 ft.
    private static let altitude = [UInt8](hex: "7e 0b 01 28 00 0a a0 66 7e")
    /// The heartbeats of the ICD and of Stratux.
    private static let heartbeats = [UInt8](hex: "7e 00 91 01 db d0 00 00 bb 85 7e 7e cc 06 06 cc 7e")

    private func messages(_ bytes: [UInt8], step: Int = .max) -> [CarMessage] {
        var stream = GDL90Stream()
        var rest = bytes[...]
        var found: [CarMessage] = []
        while !rest.isEmpty {
            found += stream.messages(in: Array(rest.prefix(step)))
            rest = rest.dropFirst(step)
        }
        return found
    }

    private func fixes(_ bytes: [UInt8]) -> [CarFix] {
        messages(bytes).compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    }

    /// A report with other bytes.
    private func report(_ changes: [Int: UInt8]) -> [UInt8] {
        var message = Array(GDL90Frame.message(in: Array(Self.ownship.dropFirst().dropLast())) ?? [])
        for (index, byte) in changes { message[index] = byte }
        return GDL90Frame.framed(message)
    }

    private func identity(_ capabilities: UInt8) -> [UInt8] {
        var message: [UInt8] = [0x65, 0, 1] + [UInt8](repeating: 0xFF, count: 8) + Array("Stratux\0Stratux\0".utf8)
        message += [UInt8](repeating: 0, count: 11) + [capabilities]
        return GDL90Frame.framed(message)
    }

    @Test func anOwnshipReport() throws {
        let fix = try #require(fixes(Self.ownship).first)
        #expect(abs(fix.coordinate.latitude - 46.82) < 3e-5 && abs(fix.coordinate.longitude - 6.94) < 3e-5)
        #expect(abs((fix.speed ?? 0) - 30 * 1852 / 3600) < 1e-9)
        #expect(fix.courseDegrees == 90 && fix.accuracyMetres == 10)
        #expect(fix.source == .gdl90 && fix.time == nil && fix.altitudeMetres == nil)
        #expect(messages(Self.heartbeats) == [.other, .other])
        // South and west.
        let other = fixes(report([5: 0xDE, 6: 0xB4, 7: 0xAE, 8: 0xFB, 9: 0x10, 10: 0x9D]))
        #expect(other.map { $0.coordinate.latitude < -46.8 && $0.coordinate.longitude < -6.9 } == [true])
    }

    /// Changed bytes -> speed, course and accuracy.
    @Test(
        arguments: [
            ([14: 0xFF, 15: 0xF0], nil, 90, 10),  // No speed.
            ([12: 0xF8], 30, nil, 10), ([12: 0xFA], 30, nil, 10), ([12: 0xFB], 30, nil, 10),  // No track, headings.
            ([17: 0xFF], 30, 358.59375, 10),
            // NIC and NACp.
            ([13: 0x8B], 30, 90, 3), ([13: 0x89], 30, 90, 30), ([13: 0x88], 30, 90, 92.6), ([13: 0x87], 30, 90, 185.2),
            ([13: 0x81], 30, 90, 18_520), ([13: 0x80], 30, 90, nil), ([13: 0x8C], 30, 90, nil),
            ([13: 0xB0], 30, 90, 7.5), ([13: 0xA0], 30, 90, 25), ([13: 0x90], 30, 90, 75), ([13: 0x0A], 30, 90, 10),
        ] as [([Int: UInt8], Double?, Double?, Double?)])
    func values(_ changes: [Int: UInt8], _ knots: Double?, _ course: Double?, _ accuracy: Double?) throws {
        let fix = try #require(fixes(report(changes)).first)
        #expect(fix.speed.map { ($0 * 3600 / 1852).rounded() } == knots)
        #expect(fix.courseDegrees == course && fix.accuracyMetres == accuracy)
    }

    /// The ICD's "no position": latitude, longitude and NIC are 0.
    @Test func noPosition() {
        let nowhere: [Int: UInt8] = [5: 0, 6: 0, 7: 0, 8: 0, 9: 0, 10: 0]
        #expect(messages(report(nowhere.merging([13: 0x00]) { $1 })) == [.noFix])
        #expect(messages(report(nowhere.merging([13: 0x0A]) { $1 })) == [.noFix])
        // With a NIC it is a place in the Atlantic, which the judge of all fixes refuses.
        #expect(fixes(report(nowhere)).map(\.coordinate) == [Coordinate(latitude: 0, longitude: 0)])
    }

    /// The altitude counts if an ID message says that it is above the sea.
    @Test func altitudes() {
        let both = Self.altitude + Self.ownship
        #expect(fixes(both).map(\.altitudeMetres) == [nil])
        #expect(fixes(identity(0) + both).map(\.altitudeMetres) == [nil])
        #expect(fixes(identity(1) + both).map { $0.altitudeMetres?.rounded() } == [451])
        #expect(fixes(identity(1) + both + identity(0) + both).map { $0.altitudeMetres?.rounded() } == [451, nil])
        // Below the sea, and with a warning that it is wrong.
        let low = GDL90Frame.framed([11, 0xFF, 0xFE, 0, 10])
        #expect(fixes(identity(1) + low + Self.ownship).map { $0.altitudeMetres?.rounded() } == [-3])
        let wrong = GDL90Frame.framed([11, 0x01, 0x28, 0x80, 10])
        #expect(fixes(identity(1) + both + wrong + Self.ownship).map { $0.altitudeMetres?.rounded() } == [451, nil])
        // It stays for ten reports.
        let many = (0..<12).flatMap { _ in Self.ownship }
        #expect(fixes(identity(1) + Self.altitude + many).count { $0.altitudeMetres != nil } == 10)
    }

    /// The gateway's own reports come back, for example by a broadcast. They are no position of the car, and their altitude
    /// and their ID message say nothing about another device's.
    @Test func aGatewaysReportsAreIgnored() throws {
        let car = try #require(try GoldenFeed.named("ascending").carPosition)
        let now = Moment(monotonic: .zero, wall: car.time, isClockSynced: true)
        let own = GDL90Message.datagram(nil, ownship: car, at: now, hasPosition: true, highestMetres: nil)
        #expect(car.altitudeMetres != nil && messages(own) == [.other, .other, .other, .other])
        #expect(fixes(own + Self.ownship + Self.altitude + own + Self.ownship).map(\.altitudeMetres) == [nil, nil])
        let known = identity(1) + Self.ownship + Self.altitude
        #expect(fixes(known + own + Self.ownship).map { $0.altitudeMetres?.rounded() } == [nil, 451])
        // Traffic is no position, either.
        let sonde = try #require(try GoldenFeed.named("ascending").feedSonde)
        let traffic = try #require(GDL90Message.traffic(sonde, highestMetres: nil))
        #expect(messages(GDL90Frame.framed(traffic)) == [.other])
    }

    @Test func piecesMakeNoDifference() {
        let bytes = Self.heartbeats + identity(1) + Self.ownship + Self.altitude + Self.ownship + [0x7E, 0x7E]
        let whole = messages(bytes)
        #expect(whole.count == 6)
        for step in [1, 2, 5, 33] { #expect(messages(bytes, step: step) == whole) }
        // One flag may end a message and begin the next.
        #expect(messages(Self.ownship + Self.altitude.dropFirst()).count == 2)
        // Every byte that needs an escape.
        for byte in [0x7D, 0x7E] as [UInt8] { #expect(fixes(report([19: byte, 26: byte])).count == 1) }
    }

    /// Bytes -> the number of messages that can't be read.
    @Test(
        arguments: [
            (Array("$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n".utf8), 0),
            ([UInt8](repeating: 1, count: 10_000), 9), ([0x7E] + [UInt8](repeating: 1, count: 10_000), 9),
            ([UInt8](repeating: 0x7E, count: 10_000), 0), ([0x7E, 0x7D, 0x7E], 1), ([0x7E, 1, 2, 0x7E], 1),
            (GDL90Frame.framed([10, 1, 2]), 1), (GDL90Frame.framed([11, 1]), 1), (GDL90Frame.framed([0x65]), 0),
            (Array(ownship.dropLast(3)) + [0, 0x7E], 1),
        ] as [([UInt8], Int)])
    func oddBytes(_ bytes: [UInt8], _ unreadable: Int) {
        #expect(messages(bytes).count { $0 == .unreadable } == unreadable)
        // The next message is read all the same.
        #expect(fixes(bytes + Self.ownship).count == 1)
    }

    @Test func theFixtureOfAStratux() throws {
        let bytes = Array(try Data(contentsOf: Fixtures.url("Fixtures/feeds/in/stratux.datagram")))
        #expect(messages(bytes) == messages(Self.heartbeats + identity(1) + Self.ownship + Self.altitude))
    }
}
