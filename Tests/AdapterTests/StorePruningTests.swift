import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing

/// The flights and messages that the store deletes at its bounds, and those that a wrong clock can't make it delete.
@Suite(.timeLimit(.minutes(10))) struct StorePruningTests {
    private static let day: Int64 = 86_400_000
    private static let noon: Int64 = 1_767_268_800_000

    /// A store whose flights are deleted after 10 days.
    private struct Bench {
        let folder: StoreFolder
        var store: FlightStore

        init(megabytes: Int = 1) throws {
            folder = try StoreFolder()
            store = folder.store(days: 10, megabytes: megabytes)
        }

        /// Records a flight on this day after noon.
        /// - Parameter isSynced: whether the clock counts as right.
        func fly(_ name: String, day: Double, points count: Int = 10, isSynced: Bool = true) async throws {
            let serial = try #require(SondeSerial(name: name, type: .rs41))
            let start = noon + Int64(day * Double(StorePruningTests.day))
            let points = (0..<count).map { second in
                TrackPoint(
                    time: WallTime(millisecondsSince1970: start + Int64(second) * 1000),
                    coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 500, source: .ble)
            }
            try await store.record(
                [.points(serial, .rs41, points)], now: isSynced ? WallTime(millisecondsSince1970: start) : nil)
        }

        func flights() async throws -> [String] {
            try await store.memory().lastHeard.keys.map(\.canonical).sorted()
        }
    }

    /// Age counts only with a right clock. At most one flight an hour is deleted, also after a restart.
    @Test func oneOldFlightAnHourIsDeleted() async throws {
        var bench = try Bench()
        for number in 0..<5 { try await bench.fly("S\(number)", day: Double(number), isSynced: false) }
        try await bench.fly("T1", day: 20, isSynced: false)
        #expect(try await bench.flights().count == 6)
        try await bench.fly("T2", day: 20.1)
        #expect(try await bench.flights() == ["S1", "S2", "S3", "S4", "T1", "T2"])
        bench.store = bench.folder.store(days: 10, megabytes: 1)
        try await bench.fly("T3", day: 20.13)
        #expect(try await bench.flights() == ["S1", "S2", "S3", "S4", "T1", "T2", "T3"])
        try await bench.fly("T4", day: 20.15)
        #expect(try await bench.flights() == ["S2", "S3", "S4", "T1", "T2", "T3", "T4"])
        // Also without a new flight.
        try await bench.fly("T4", day: 20.2)
        #expect(try await bench.flights() == ["S3", "S4", "T1", "T2", "T3", "T4"])
    }

    /// A clock a year ahead that counts as right deletes neither flights nor messages, whether it jumps before a start or
    /// later, and also not in the runs after it.
    @Test(arguments: [false, true]) func aClockAYearAheadDeletesNothing(_ isRestarted: Bool) async throws {
        let jumps = Mutex<[Int64]>([])
        var bench = try Bench()
        let path = bench.folder.path
        func open() -> FlightStore {
            FlightStore(
                path: path, bounds: StoreBounds(messages: 100, messageHours: 48, flightDays: 10, megabytes: 50),
                onClockJump: { days in jumps.withLock { $0.append(days) } }, onReplaced: { _ in })
        }
        bench.store = open()
        for number in 0..<20 { try await bench.fly("S\(number)", day: Double(number) / 3) }
        let kept = Self.noon + 6 * Self.day
        try await bench.store.append([message(1, at: kept)], now: WallTime(millisecondsSince1970: kept))
        for frame in 0..<14 {
            if isRestarted, frame % 3 == 0 { bench.store = open() }
            try await bench.fly("W\(frame % 4)", day: 371 + Double(frame) / 10)
            let now = Self.noon + 371 * Self.day + Int64(frame) * Self.day / 10
            try await bench.store.append(
                [message(UInt64(frame) + 2, at: now)], now: WallTime(millisecondsSince1970: now))
        }
        #expect(try await bench.flights().count == 24)
        #expect(try await bench.store.count() == 15)
        // The jump is reported once.
        #expect(jumps.withLock { $0 } == [isRestarted ? 364 : 365])
        // The clock is right again: flights that are too old by it are deleted, one an hour.
        bench.store = open()
        try await bench.fly("R1", day: 13.5)
        try await bench.fly("R2", day: 13.6)
        #expect(Set(try await bench.flights()).isDisjoint(with: ["S0", "S1"]))
    }

    /// A box that was off for months deletes old flights again 30 days later.
    @Test func aLongPauseDelaysTheDeleting() async throws {
        let bench = try Bench()
        try await bench.fly("OLD", day: 0)
        try await bench.fly("NEXT", day: 100)
        try await bench.fly("THIRD", day: 129.9)
        #expect(try await bench.flights() == ["NEXT", "OLD", "THIRD"])
        try await bench.fly("LAST", day: 130.1)
        #expect(try await bench.flights() == ["LAST", "NEXT", "THIRD"])
    }

    /// The size is a hard limit. Only the newest flight stays, whatever its size and age.
    @Test func theOldestFlightsAreDeletedFirst() async throws {
        let bench = try Bench()
        for number in 0..<5 { try await bench.fly("S\(number)", day: Double(number)) }
        // 30 000 points are more than a megabyte.
        try await bench.fly("BIG", day: 5, points: 30_000)
        #expect(try await bench.store.memory().flight?.points.count == 30_000)
        #expect(try await bench.flights() == ["BIG"])
        try await bench.fly("NEXT", day: 6, isSynced: false)
        #expect(try await bench.flights() == ["NEXT"])
    }

    /// Of answers to commands the newest 100 are kept. Other messages stay.
    @Test func aHundredAnswersAreKept() async throws {
        let store = try StoreFolder().store(messages: 10_000)
        for start in stride(from: UInt64(0), to: 1000, by: 50) {
            let messages = (start + 1...start + 50).map { key in
                var message = message(key)
                if key % 5 != 0 { message.topic = "sondygo/test/history/command/response" }
                return message
            }
            let dropped = try await store.append(messages, now: nil)
            #expect(dropped == (start < 100 ? 0 : start == 100 ? 20 : 40))
        }
        let left = try await store.messages(after: 0, limit: 10_000)
        #expect(left.count { $0.topic == "p/history/event" } == 200)
        #expect(left.filter { $0.topic != "p/history/event" }.map(\.key) == (876...1000).filter { $0 % 5 != 0 })
    }

    /// No message that is too old is read, also if none came since. It is deleted, unless the clock may have jumped: then
    /// it waits until that is known. Without a right clock nobody knows its age.
    @Test(arguments: [(nil, 3, 3), (47, 3, 3), (49, 2, 2), (24.0 * 40, 1, 3)] as [(Double?, Int, Int)])
    func anOldMessageIsNotRead(_ hour: Double?, _ read: Int, _ left: Int) async throws {
        let bench = try StoreFolder()
        let noon: Int64 = 1_767_268_800_000
        let store = bench.store(hours: 48)
        try await store.append([message(1, at: noon), message(2, at: noon + 7_200_000), message(3)])
        let now = hour.map { WallTime(millisecondsSince1970: noon + Int64($0 * 3_600_000)) }
        let page = try await store.messages(after: 0, limit: 10, now: now)
        #expect(page.messages.map(\.key) == (4 - UInt64(read)...3).map { $0 })
        #expect(page.oldest == now?.advanced(byMilliseconds: -172_800_000))
        #expect(page.dropped == 3 - left)
        #expect(try await store.messages(after: 0, limit: 10).count == left)
        #expect(store.messageAge == .seconds(172_800))
    }

    /// Times in the store that no gateway writes.
    @Test func impossibleTimesOfPruningAreIgnored() async throws {
        let bench = try Bench()
        try await bench.fly("S1", day: 0)
        await bench.store.close()
        try await bench.folder.tamper(
            "INSERT INTO setting VALUES('clock_jump', '9223372036854775807'), ('flight_purged', '-9223372036854775808')"
        )
        try await bench.fly("S2", day: 20)
        #expect(try await bench.flights() == ["S2"])
    }
}
