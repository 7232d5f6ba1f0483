import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FlightStoreTests {
    @Test func keepsMessagesInOrderAcrossRestarts() async throws {
        let bench = try StoreFolder()
        var store = bench.store()
        #expect(try await store.lastKey() == 0)
        #expect(try await store.append([message(3), message(1), message(2, at: 5)], now: nil) == 0)
        #expect(try await store.messages(after: 0, limit: 10) == [message(1), message(2, at: 5), message(3)])
        #expect(try await store.messages(after: 1, limit: 1) == [message(2, at: 5)])
        try await store.remove([3])
        store = bench.store()
        #expect(try await store.count() == 2)
        // The highest key ever, though its message is deleted: a key is never used twice.
        #expect(try await store.lastKey() == 3)
    }

    @Test func remembersTheLastReceiver() async throws {
        let bench = try StoreFolder()
        #expect(await bench.store().recall() == nil)
        for receiver in [
            RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: true, name: "MySondyGo of mine"),
            RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: false, name: nil),
        ] {
            await bench.store().remember(receiver)
            #expect(await bench.store().recall() == receiver)
        }
        // A message that can't be kept does no harm.
        let bounds = StoreBounds(messages: 1, messageHours: 1, flightDays: 1, megabytes: 1)
        let nowhere = FlightStore(path: "/proc/nowhere/x", bounds: bounds) { _ in }
        await nowhere.remember(RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: true, name: nil))
        #expect(await nowhere.recall() == nil)
    }

    @Test func theSpoolKeepsItsBounds() async throws {
        let bench = try StoreFolder()
        let store = bench.store(messages: 5, hours: 1)
        #expect(try await store.append((1...5).map { message($0) }, now: nil) == 0)
        #expect(try await store.append([message(6), message(7)], now: nil) == 2)
        #expect(try await store.messages(after: 0, limit: 10).map(\.key) == [3, 4, 5, 6, 7])
        // Age counts only if both clocks were right.
        let hour: Int64 = 3_600_000
        try await store.remove([3, 4, 5])
        _ = try await store.append([message(8, at: 1000), message(9, at: hour)], now: nil)
        let now = WallTime(millisecondsSince1970: hour + 1001)
        #expect(try await store.append([message(10)], now: now) == 1)
        #expect(try await store.messages(after: 0, limit: 10).map(\.key) == [6, 7, 9, 10])
    }

    @Test(arguments: ["not a database at all, but long enough to be looked at", ""])
    func aDamagedFileIsMovedAside(_ garbage: String) async throws {
        let bench = try StoreFolder()
        try Data((garbage + String(repeating: "x", count: garbage.isEmpty ? 0 : 5000)).utf8).write(
            to: URL(fileURLWithPath: bench.path))
        let store = bench.store()
        _ = try await store.append([message(1)], now: nil)
        #expect(try await store.count() == 1)
        let told = bench.told
        // An empty file is a new database.
        #expect(told.count == (garbage.isEmpty ? 0 : 1))
        #expect(FileManager.default.fileExists(atPath: bench.path + ".damaged") == !garbage.isEmpty)
    }

    /// An earlier damaged file may be the only copy of a flight, so the next one gets another name.
    @Test func earlierDamagedFilesAreKept() async throws {
        let bench = try StoreFolder()
        for number in 1...4 {
            try Data((String(repeating: "x", count: 5000) + "\(number)").utf8).write(
                to: URL(fileURLWithPath: bench.path))
            _ = try await bench.store().append([message(1)], now: nil)
        }
        let left = ["", "-2", "-3", "-4"].map { suffix in
            (try? String(contentsOfFile: bench.path + ".damaged" + suffix, encoding: .utf8))?.last
        }
        // But their number is limited.
        #expect(left == ["1", "2", "4", nil])
    }

    /// The file is overwritten while it is open.
    @Test func aFileDamagedWhileOpenIsReplaced() async throws {
        let bench = try StoreFolder()
        let store = bench.store(messages: 100_000)
        for start in stride(from: UInt64(1), to: 2000, by: 100) {
            _ = try await store.append((start..<start + 100).map { message($0) }, now: nil)
        }
        for suffix in ["", "-wal"] {
            let size = (try? FileManager.default.attributesOfItem(atPath: bench.path + suffix)[.size] as? Int) ?? 0
            guard let file = FileHandle(forWritingAtPath: bench.path + suffix), size > 0 else { continue }
            try file.write(contentsOf: Data(repeating: 0x5A, count: size))
            try file.close()
        }
        // SQLite's cache may hide the damage for a while. The next start finds it at the latest.
        for key in UInt64(5000)..<5010 { _ = try? await store.append([message(key)], now: nil) }
        let next = bench.store()
        _ = try await next.append([message(6000)], now: nil)
        #expect(try await next.messages(after: 5999, limit: 10) == [message(6000)])
        #expect(bench.told.count >= 1)
    }

    @Test func aFileInPlaceOfTheDirectoryFailsUntilItIsGone() async throws {
        let bench = try StoreFolder()
        try FileManager.default.removeItem(at: bench.folder)
        try Data().write(to: bench.folder)
        let store = bench.store()
        let error = await #expect(throws: StoreError.self) { try await store.append([message(1)]) }
        #expect(error == StoreError(.readOnly, "\(bench.path): Not a directory"))
        try FileManager.default.removeItem(at: bench.folder)
        try await store.append([message(1)])
        #expect(try await store.count() == 1)
        #expect(bench.told == [])
    }

    /// A full disk of 2 MB: calls fail with `full`, and work again when there is room.
    @Test(.enabled(if: geteuid() == 0, "mounts a small disk"))
    func aFullDiskFailsUntilThereIsRoom() async throws {
        let disk = try await SmallDisk(megabytes: 2)
        let store = StoreFolder(folder: disk.folder).store(messages: 100_000)
        _ = try await store.append([message(1)], now: nil)
        try disk.fill()
        let big = (2..<500).map {
            SpooledMessage(key: $0, topic: "t", payload: [UInt8](repeating: 7, count: 2000), at: nil)
        }
        let error = await #expect(throws: StoreError.self) { try await store.append(big, now: nil) }
        #expect(error?.code == .full)
        #expect(try await store.messages(after: 0, limit: 10) == [message(1)])
        try disk.free()
        _ = try await store.append([message(2)], now: nil)
        #expect(try await store.count() == 2)
    }

    // MARK: - Flights

    private static let day: Int64 = 86_400_000
    private static let noon: Int64 = 1_767_268_800_000

    private func serial(_ name: String) throws -> SondeSerial { try #require(SondeSerial(name: name, type: .rs41)) }

    private func points(
        _ seconds: Range<Int64>, from start: Int64 = noon, source: TelemetrySource = .ble, altitude: Double = 500
    ) -> [TrackPoint] {
        seconds.map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: start + second * 1000 + 7),
                coordinate: Coordinate(latitude: 47.123456, longitude: 8.654321), altitudeMetres: altitude,
                source: source)
        }
    }

    @Test func aFlightIsReadAsItWasWritten() async throws {
        let bench = try StoreFolder()
        let serial = try serial("V4210150")
        #expect(try await bench.store().memory() == GatewayMemory())
        let recorded = points(0..<100)
        var random = SeededRandom.ofThisRun
        try await bench.store().record(
            [
                .points(serial, .other(""), Array(recorded[..<50].shuffled(using: &random))),
                .points(serial, .rs41, Array(recorded[50...])),
            ],
            now: nil)
        let memory = try await bench.store().memory()
        #expect(memory.flight == RecordedFlight(serial: serial, sondeType: .rs41, points: recorded))
        #expect(memory.lastHeard == [serial: recorded[99].time])
    }

    /// The newest flight of each sonde that was heard within three hours, the newest first.
    @Test func theStoreGivesTheLastSondes() async throws {
        let store = try StoreFolder().store()
        let names = ["V1", "V2", "V3", "V4", "V5", "V6"]
        for (index, name) in names.enumerated() {
            // V1 four hours before V6, the others minutes apart.
            let begun = Int64(index) * 600 + (index == 0 ? 0 : 4 * 3600)
            try await store.record([.points(try serial(name), .rs41, points(begun..<(begun + 20)))], now: nil)
        }
        let memory = try await store.memory()
        #expect(memory.flight?.serial == (try serial("V6")))
        #expect(memory.others.map(\.serial.canonical) == ["V5", "V4", "V3"])
        #expect(memory.others.first?.points.count == 20)
    }

    /// As in the track: one point a second; the receiver's replaces SondeHub's; of one source the first stays.
    @Test func onePointASecondAndTheReceiverWins() async throws {
        let store = try StoreFolder().store()
        let serial = try serial("V4210150")
        for (source, altitude) in [(TelemetrySource.sondehub, 1.0), (.ble, 2), (.ble, 3), (.sondehub, 4)] {
            try await store.record(
                [.points(serial, .rs41, points(0..<1, source: source, altitude: altitude))], now: nil)
        }
        #expect(try await store.memory().flight?.points == points(0..<1, altitude: 2))
    }

    @Test func pointsHalfADayApartAreTwoFlights() async throws {
        let store = try StoreFolder().store()
        let (first, second) = (try serial("V4210150"), try serial("011-2-13333"))
        let later = Self.noon + 13 * 3_600_000
        try await store.record(
            [
                .points(first, .rs41, points(0..<10)), .points(second, .m20, points(0..<10, from: later)),
                .points(first, .rs41, points(5..<20, from: later)),
                // Points that fill a gap belong to the flight after it, however late they come.
                .points(first, .rs41, points(0..<5, from: later, source: .sondehub)),
            ], now: nil)
        let memory = try await store.memory()
        #expect(memory.flight?.points.count == 20)
        #expect(memory.lastHeard.count == 2)
        #expect(memory.lastHeard[second] == points(9..<10, from: later)[0].time)
    }

    /// A flight that was recorded with a clock a day or 1024 weeks ahead is not resumed at each start. A clock that is
    /// a little behind after a power cut does resume the flight.
    @Test(
        arguments: [
            (0, 2, true), (11 * 3_600_000, 2, true), (day, 1, false), (1024 * 7 * day, 1, false),
        ] as [(Int64, Int, Bool)])
    func aFlightInTheFutureIsNotResumed(_ ahead: Int64, _ remembered: Int, _ isGoneOnWith: Bool) async throws {
        let store = try StoreFolder().store()
        let (real, other) = (try serial("V4210150"), try serial("W1234567"))
        try await store.record(
            [
                .points(real, .rs41, points(0..<10, from: Self.noon - 60_000)),
                .points(other, .rs41, points(0..<10, from: Self.noon + ahead)),
            ], now: nil)
        let memory = try await store.open(at: WallTime(millisecondsSince1970: Self.noon + 10_000)).memory
        #expect(memory.lastHeard.count == remembered)
        #expect(memory.flight?.serial == (isGoneOnWith ? other : real))
        // With a clock that was never set no flight counts as in the future.
        #expect(try await store.open(at: WallTime(millisecondsSince1970: 0)).memory.flight?.serial == other)
    }

    /// The sonde is launched again after its landing. Later points belong to the new flight, whenever they come.
    @Test func aNewFlightOfTheSameSondeIsSeparate() async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        let sonde = try serial("V4210150")
        let start = WallTime(millisecondsSince1970: Self.noon + 50_007)
        let place = EarlierLandingPoint(
            coordinate: Coordinate(latitude: 47, longitude: 8), time: WallTime(millisecondsSince1970: Self.noon))
        try await store.record(
            [
                .newFlight(sonde, since: start), .points(sonde, .rs41, points(0..<60)), .landingPoint(sonde, place),
                .newFlight(sonde, since: start), .points(sonde, .rs41, points(60..<70)),
            ], now: nil)
        let memory = try await store.memory()
        #expect(memory.flight?.points == points(50..<70))
        #expect(memory.flight?.landingPoints == [])
        // Later points of both flights, and the same boundary again.
        try await store.record(
            [
                .points(sonde, .rs41, points(70..<71)), .points(sonde, .rs41, points(40..<41, source: .sondehub)),
                .newFlight(sonde, since: start),
            ], now: nil)
        #expect(try await store.memory().flight?.points == points(50..<71))
        let flights = try await FlightReader(path: bench.path).flights(of: sonde, limit: 9)
        #expect(flights.map(\.points) == [21, 50])
    }

    /// A wrong first position appears neither in an export nor after a restart. A flight without other points is
    /// deleted.
    @Test func wrongPointsAreDeleted() async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        let sonde = try serial("V4210150")
        func time(_ second: Int64) -> WallTime { WallTime(millisecondsSince1970: Self.noon + second * 1000 + 7) }
        try await store.record([.points(sonde, .rs41, points(0..<2))], now: nil)
        try await store.record([.forgotten(sonde, from: time(0), through: time(1))], now: nil)
        let reader = FlightReader(path: bench.path)
        #expect(try await reader.flights(of: sonde, limit: 9).isEmpty)
        try await store.record(
            [
                .points(sonde, .rs41, points(0..<10)), .forgotten(sonde, from: time(0), through: time(1)),
                .points(sonde, .rs41, points(10..<12)), .forgotten(try serial("S1"), from: time(0), through: time(99)),
            ], now: nil)
        #expect(try await store.memory().flight?.points == points(2..<12))
        #expect(try await reader.flights(of: sonde, limit: 9).map(\.points) == [10])
    }

    @Test func predictionsAreReadAsWritten() async throws {
        let bench = try StoreFolder()
        let sonde = try serial("V4210150")
        let made = [PredictionMethod.ownWinds, .tawhiri].map { method in
            StoredPrediction(
                method: method, at: WallTime(millisecondsSince1970: Self.noon + (method == .tawhiri ? 2000 : 1000)),
                isDescending: true, minutesToGo: 5, kilometresToGo: 3.5,
                landing: Coordinate(latitude: 47.1, longitude: 8.1), radius90: 900)
        }
        try await bench.store().record(
            [.points(sonde, .rs41, points(0..<3))] + made.map { .prediction(sonde, $0) }, now: nil)
        #expect(try await bench.store().memory().flight?.predictions == made)
    }

    /// The points of this run get their right times. Those of an earlier run and of SondeHub stay.
    @Test func aClockChangeMovesThisRunsPoints() async throws {
        let store = try StoreFolder().store()
        let serial = try serial("V4210150")
        let before = points(0..<10)
        let wrong = points(10..<20)
        let told = points(3600..<3610, source: .sondehub)
        try await store.record(
            [
                .points(serial, .rs41, before + wrong + told),
                .clockSet(ClockStep(byMilliseconds: 3_595_000, since: wrong[0].time)),
            ], now: nil)
        let moved = points(3605..<3615)
        #expect(try await store.memory().flight?.points == before + told[..<5] + moved)
        // A change by years makes a new flight and empties the old one.
        let other = try self.serial("W1")
        try await store.record([.points(other, .rs41, points(0..<5, from: 0))], now: nil)
        try await store.record(
            [.clockSet(ClockStep(byMilliseconds: Self.noon + Self.day, since: WallTime(millisecondsSince1970: 0)))],
            now: nil)
        let memory = try await store.memory()
        #expect(memory.lastHeard[other] == points(4..<5, from: Self.noon + Self.day)[0].time)
    }

    /// Landing points and predictions move with the points, also into a new flight. Those of an earlier run stay.
    @Test(arguments: [3_595_000, 400 * day])
    func aClockChangeMovesLandingPointsAndPredictions(_ change: Int64) async throws {
        let store = try StoreFolder().store()
        let serial = try serial("V4210150")
        let wrong = points(10..<20)
        let place = Coordinate(latitude: 46.9, longitude: 7.1)
        func prediction(at time: WallTime) -> StoredPrediction {
            StoredPrediction(
                method: .ownWinds, at: time, isDescending: true, minutesToGo: 20, kilometresToGo: 10, landing: place,
                radius90: 900)
        }
        let early = WallTime(millisecondsSince1970: wrong[0].time.millisecondsSince1970 - 60_000)
        try await store.record(
            [
                .points(serial, .rs41, points(0..<1, from: early.millisecondsSince1970) + wrong),
                .prediction(serial, prediction(at: early)), .prediction(serial, prediction(at: wrong[3].time)),
                .landingPoint(serial, EarlierLandingPoint(coordinate: place, time: wrong[3].time)),
                .clockSet(ClockStep(byMilliseconds: change, since: wrong[0].time)),
            ], now: nil)
        let flight = try #require(try await store.memory().flight)
        let moved = wrong[3].time.advanced(byMilliseconds: change)
        #expect(flight.landingPoints.map(\.time) == [moved])
        let isOneFlight = change < Self.day / 2
        #expect(flight.predictions.map(\.at) == (isOneFlight ? [early, moved] : [moved]))
    }

    @Test func settingsAreKeptAndDeleted() async throws {
        let bench = try StoreFolder()
        try await bench.store().record([.setting(.hunt, "V4210150 5"), .setting(.frequencySync, "auto")], now: nil)
        #expect(try await bench.store().memory().settings == [.hunt: "V4210150 5", .frequencySync: "auto"])
        try await bench.store().record([.setting(.hunt, nil)], now: nil)
        #expect(try await bench.store().memory().settings == [.frequencySync: "auto"])
    }
}
