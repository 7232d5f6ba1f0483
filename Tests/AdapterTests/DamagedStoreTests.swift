import FlightMath
import FlightStore
import Foundation
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway

/// A damaged file opens or is replaced by a new one, and the store then takes live data.
@Suite(.timeLimit(.minutes(10))) struct DamagedStoreTests {
    private static let noon: Int64 = 1_767_268_800_000

    private func points(_ count: Int64, from start: Int64 = noon) -> [TrackPoint] {
        (0..<count).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: start + second * 1000 + 7),
                coordinate: Coordinate(latitude: 47.123456, longitude: 8.654321), altitudeMetres: 500 + Double(second),
                source: second % 7 == 0 ? .sondehub : .ble)
        }
    }

    private func serial(_ name: String) throws -> SondeSerial { try #require(SondeSerial(name: name, type: .rs41)) }

    /// Two flights, messages, settings, in one file.
    private func filled() async throws -> Data {
        let bench = try StoreFolder()
        try await fill(bench.store())
        let file = URL(fileURLWithPath: bench.path)
        let wal = (try? Data(contentsOf: URL(fileURLWithPath: bench.path + "-wal"))) ?? Data()
        #expect(wal.isEmpty)
        return try Data(contentsOf: file)
    }

    private func fill(_ store: FlightStore) async throws {
        let batch = StoreBatch(
            messages: (1...100).map { message($0, at: Self.noon) },
            entries: [
                .points(try serial("V4210150"), .rs41, points(200, from: Self.noon - 86_400_000)),
                .points(try serial("V4210151"), .rs41, points(200)),
                .setting(.hunt, "V4210150 \(Self.noon)"), .setting(.frequencySync, "auto"),
            ])
        _ = try await store.save(batch, now: nil)
        await store.remember(RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: true, name: "MySondyGo"))
    }

    /// The places of all bytes that are not zero. SQLite does not read free or unused ones.
    private func usedBytes(_ data: Data) -> [Int] { data.indices.filter { data[$0] != 0 } }

    /// 3000 flips in eight parts, at full length.
    @Test(arguments: 0..<8) func aStoreWithAFlippedBitOpensOrIsReplaced(_ lot: Int) async throws {
        var random = SeededRandom(seed: UInt64(lot + 1))
        let healthy = try await filled()
        let used = usedBytes(healthy)
        #expect(used.count > 10_000)
        let folder = try temporaryDirectory()
        var (flips, noticed) = (0, 0)
        for number in 0..<375 {
            let place = try #require(used.randomElement(using: &random))
            let bit = UInt8(1) << Int.random(in: 0..<8, using: &random)
            guard TestLength.includes(number) else { continue }
            flips += 1
            let flip = Comment(rawValue: "byte \(place), bit \(bit)")
            let bench = StoreFolder(folder: folder.appendingPathComponent("\(place)-\(bit)"))
            try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
            var damaged = healthy
            damaged[place] ^= bit
            try damaged.write(to: URL(fileURLWithPath: bench.path))
            do {
                try await liveData(bench.store(), flip)
                // The written data stays.
                let state = try await bench.store().open()
                #expect(state.memory.lastHeard[try serial("LIVE")] != nil, flip)
                #expect(state.lastKey >= 1001, flip)
            } catch {
                Issue.record(error, flip)
            }
            if !bench.told.isEmpty || !bench.leftOut.isEmpty { noticed += 1 }
            try FileManager.default.removeItem(at: bench.folder)
        }
        // Some flips are harmless; most are found.
        #expect(noticed > flips / 12)
    }

    /// Opens, replays and records, like a gateway.
    private func liveData(_ store: FlightStore, _ flip: Comment) async throws {
        let state = try await store.open()
        #expect(state.lastKey <= 1 << 60, flip)
        for message in try await store.messages(after: 0, limit: 200) {
            #expect(String(decoding: message.payload, as: UTF8.self) == "message \(message.key)", flip)
        }
        _ = await store.recall()
        let batch = StoreBatch(
            messages: [message(1000), message(1001)], removals: [1, 2],
            entries: [.points(try serial("LIVE"), .rs41, points(3, from: Self.noon + 86_400_000))])
        _ = try await store.save(batch, now: nil)
        let messages = try await store.messages(after: 999, limit: 10)
        #expect(messages == [message(1000), message(1001)], flip)
    }

    /// Bytes that are missing at the end. SQLite would read zeros in their place, and flights would be gone without a
    /// report.
    @Test(arguments: [1, 777, 4095, 4096, 5000]) func aStoreThatIsCutOffIsReplaced(_ bytes: Int) async throws {
        let bench = try StoreFolder()
        try await filled().dropLast(bytes).write(to: URL(fileURLWithPath: bench.path))
        let error = await #expect(throws: StoreError.self) {
            try await FlightReader(path: bench.path).flights(of: nil, limit: 10)
        }
        #expect(error?.code == .corrupt)
        try await liveData(bench.store(), "\(bytes)")
        #expect(bench.told.count == 1 && bench.told.first?.contains("damaged") == true, "\(bench.told)")
    }

    /// A pipe or a folder with the store's name is not opened, because opening a pipe would last for ever.
    @Test(arguments: [true, false]) func onlyAPlainFileIsOpened(_ isPipe: Bool) async throws {
        let bench = try StoreFolder()
        if isPipe {
            #expect(mkfifo(bench.path, 0o600) == 0)
        } else {
            try FileManager.default.createDirectory(atPath: bench.path, withIntermediateDirectories: false)
        }
        let reading = await #expect(throws: StoreError.self) {
            try await FlightReader(path: bench.path).flights(of: nil, limit: 10)
        }
        let opening = await #expect(throws: StoreError.self) { try await bench.store().open() }
        for error in [reading, opening] { #expect(error?.detail.hasSuffix("is not a plain file") == true) }
    }

    /// Tables that are not ours.
    @Test(arguments: [
        "DROP TABLE spool", "DROP TABLE point", "DROP TABLE flight", "DROP TABLE setting", "DROP TABLE grdb_migrations",
        "ALTER TABLE point RENAME COLUMN source TO sauce",
    ])
    func aStoreWithForeignTablesIsReplaced(_ sql: String) async throws {
        let bench = try StoreFolder()
        try await fill(bench.store())
        try await bench.tamper(sql)
        try await liveData(bench.store(), "\(sql)")
        let told = bench.told
        #expect(told.count == 1 && told.first?.contains("damaged") == true, "\(told)")
        #expect(try await bench.store().memory().lastHeard[try serial("LIVE")] != nil)
    }

    /// One wrong value in a store of 40 flights: a card changes it, and SQLite says nothing. SQL, then how many flights
    /// and messages can still be read.
    @Test(
        arguments: [
            ("UPDATE point SET latitude = 1e300 WHERE flight = 40 AND second % 10 = 3", 40, 10),
            ("UPDATE point SET longitude = 9e999 WHERE flight = 40 AND second % 10 = 3", 40, 10),
            ("UPDATE point SET altitude_m = 9e9 WHERE flight = 40 AND second % 10 = 3", 40, 10),
            ("UPDATE point SET at = -1 WHERE flight = 40 AND second % 10 = 3", 40, 10),
            ("UPDATE point SET source = 'gps' WHERE flight = 40 AND second % 10 = 3", 40, 10),
            ("UPDATE flight SET serial = '---' WHERE id = 40", 39, 10),
            ("UPDATE flight SET last_at = 9223372036854775807 WHERE id = 40", 40, 10),
            ("UPDATE spool SET payload = x'00' WHERE key = 5", 40, 9),
            ("UPDATE spool SET checksum = -1 WHERE key = 5", 40, 9),
            ("UPDATE spool SET at = -1 WHERE key = 5", 40, 9),
            ("INSERT INTO spool VALUES (9223372036854775807, 't', x'00', NULL, 0)", 40, 10),
            ("UPDATE setting SET value = 'junk' WHERE name = 'spool_key'", 40, 10),
            ("UPDATE setting SET value = '18446744073709551615' WHERE name = 'spool_key'", 40, 10),
            ("INSERT INTO landing_point VALUES (40, 1767268800000, 200, 8)", 40, 10),
            ("INSERT INTO prediction VALUES (40, 'x', 1767268800000, 0, 1, 1, 47, 8, 100)", 40, 10),
            ("INSERT INTO lesson VALUES (40, 1767268800000, NULL, NULL, NULL, NULL, NULL, 9e9, NULL, NULL)", 40, 10),
            ("INSERT INTO winds VALUES (1, 'V4210150', 'x', 1767268800000, 47, 8, x'00')", 40, 10),
            ("INSERT INTO winds VALUES (1, 'V4210150', 'own', 1767268800000, 47, 8, x'00')", 40, 10),
        ])
    func oneWrongValueCostsItsRowOnly(_ sql: String, _ flights: Int, _ messages: Int) async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        // The last flights are of one hour, so that the start takes them all up.
        for number in 1...40 {
            let start = Self.noon - 60_000 * Int64(40 - number)
            _ = try await store.save(
                StoreBatch(
                    messages: number <= 10 ? [message(UInt64(number), at: Self.noon)] : [],
                    entries: [.points(try serial("V42101\(10 + number)"), .rs41, points(10, from: start))]), now: nil)
        }
        await store.close()
        try await bench.tamper(sql)
        let again = bench.store()
        let state = try await again.open()
        #expect(state.memory.lastHeard.count >= 39)
        #expect(try await again.messages(after: 0, limit: 100).count == messages)
        #expect(try await FlightReader(path: bench.path).flights(of: nil, limit: 100).count == flights)
        try await liveData(again, "\(sql)")
        #expect(bench.told == [], "the file stays")
        #expect(again.rowsLeftOut > 0 && !bench.leftOut.isEmpty, "it is counted and said")
    }

    /// A file that a newer version has made stays as it is; this run has a file of its own.
    @Test func aStoreOfANewerVersionIsLeftAlone() async throws {
        let bench = try StoreFolder()
        try await fill(bench.store())
        try await bench.tamper("INSERT INTO grdb_migrations VALUES ('99')")
        let before = try Data(contentsOf: URL(fileURLWithPath: bench.path))
        let store = bench.store()
        try await liveData(store, "newer")
        await store.close()
        let told = bench.told
        #expect(told.count == 1 && told.first?.contains("is of a newer version of this program") == true, "\(told)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == before)
        // Readers look into this run's file, and the next run goes on with it.
        let flights = try await FlightReader(path: bench.path).flights(of: nil, limit: 10)
        #expect(flights.map(\.serial) == [try serial("LIVE")])
        #expect(try await bench.store().memory().lastHeard[try serial("LIVE")] != nil)
        // After the upgrade all is there.
        try await bench.tamper("DELETE FROM grdb_migrations WHERE identifier = '99'")
        #expect(try await bench.store().memory().lastHeard[try serial("V4210151")] != nil)
    }

    /// Whatever page is damaged, the rest is copied; from a whole file everything is.
    @Test func whatCanBeReadIsCopied() async throws {
        let healthy = try await filled()
        let pages = healthy.count / 4096
        var copied: [Int] = []
        for page in 1..<pages {
            let bench = try StoreFolder()
            var damaged = healthy
            damaged.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xA5, count: 4096))
            try damaged.write(to: URL(fileURLWithPath: bench.path + ".damaged"))
            #expect(FlightSalvage.files(beside: bench.path) == [bench.path + ".damaged"])
            let summary = try? await FlightSalvage(from: bench.path + ".damaged", into: bench.store()).run()
            copied.append(summary?.points ?? 0)
            let kept = (try? await FlightReader(path: bench.path).flights(of: nil, limit: 10)) ?? []
            #expect(kept.map(\.points).reduce(0, +) == copied.last)
        }
        #expect(copied.contains { 0 < $0 && $0 < 400 }, "\(copied)")
        #expect(copied.contains(400), "\(copied)")
        let bench = try StoreFolder()
        try healthy.write(to: URL(fileURLWithPath: bench.path + ".damaged"))
        let store = bench.store()
        _ = try await store.save(StoreBatch(entries: [.points(try serial("LIVE"), .rs41, points(3))]), now: nil)
        let summary = try await FlightSalvage(from: bench.path + ".damaged", into: store).run()
        #expect(summary.flights == 2 && summary.points == 400 && summary.lost == 0)
        #expect(try await FlightReader(path: bench.path).flights(of: nil, limit: 10).count == 3)
    }

    /// The batch that finds the damage is not lost.
    @Test func aTableDroppedWhileOpenIsReplaced() async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        try await fill(store)
        try await bench.tamper("DROP TABLE spool")
        try await liveData(store, "dropped")
        #expect(bench.told.count == 1)
    }

    @Test(arguments: [true, false]) func aStoreDeletedWhileOpenIsNoticed(_ withItsFolder: Bool) async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        try await fill(store)
        for item in withItsFolder ? [bench.folder.path] : ["", "-wal", "-shm"].map({ bench.path + $0 }) {
            try FileManager.default.removeItem(atPath: item)
        }
        let result = try await store.save(StoreBatch(messages: [message(200)]), now: nil)
        #expect(result == SaveResult(spooled: 1, dropped: 0))
        try await liveData(store, "deleted")
        let told = bench.told
        #expect(told.count == 1 && told.first?.contains("deleted") == true, "\(told)")
        #expect(try await bench.store().count() == 3)
    }

    /// With any umask, also for SQLite's own files. Files of an older version get the right mode.
    @Test func onlyTheOwnerCanReadTheStore() async throws {
        let above = try temporaryDirectory()
        let bench = StoreFolder(folder: above.appendingPathComponent("state"))
        let store = bench.store()
        try await fill(store)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(bench.folder.path) == 0o700)
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(bench.path + suffix) == 0o600) }
        let older = try StoreFolder()
        try await filled().write(to: URL(fileURLWithPath: older.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: older.path)
        let next = older.store()
        _ = try await next.open()
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(older.path + suffix) == 0o600) }
    }

    /// Its flights, messages and settings are kept.
    @Test func aStoreOfTheFirstVersionIsMigrated() async throws {
        let bench = try StoreFolder()
        try FileManager.default.copyItem(
            at: Fixtures.url("Fixtures/store/version-1.sqlite"), to: URL(fileURLWithPath: bench.path))
        let state = try await bench.store().open()
        #expect(state.memory.flight?.serial == (try serial("V4210150")))
        #expect(state.memory.flight?.sondeType == .rs41)
        #expect(state.memory.flight?.points.count == 20)
        #expect(state.memory.flight?.points.first?.altitudeMetres == 500)
        #expect(state.memory.settings == [.hunt: "V4210150 1767268800000"])
        let hunt: StoredHunt? = state.memory.settings.value(of: .hunt)
        #expect(hunt?.serial == (try serial("V4210150")) && hunt?.at.millisecondsSince1970 == 1_767_268_800_000)
        #expect(state.lastKey == 26 && state.spooled == 26)
        let messages = try await bench.store().messages(after: 0, limit: 100)
        #expect(messages.map(\.key) == Array(1...26))
        #expect(messages.count { $0.topic == "sondygo/test/history/position" } == 20)
        let receiver = RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: true, name: "MySondyGo")
        #expect(await bench.store().recall() == receiver)
        #expect(bench.told == [])
    }
}
