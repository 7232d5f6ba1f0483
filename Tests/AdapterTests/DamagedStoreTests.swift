import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

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

    /// 3000 flips in eight parts.
    @Test(arguments: 0..<8) func aStoreWithAFlippedBitOpensOrIsReplaced(_ lot: Int) async throws {
        var random = SeededRandom(seed: UInt64(lot + 1))
        let healthy = try await filled()
        let used = usedBytes(healthy)
        #expect(used.count > 10_000)
        let folder = try temporaryDirectory()
        var replaced = 0
        for _ in 0..<375 {
            let place = try #require(used.randomElement(using: &random))
            let bit = UInt8(1) << Int.random(in: 0..<8, using: &random)
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
            if !bench.told.isEmpty { replaced += 1 }
            try FileManager.default.removeItem(at: bench.folder)
        }
        // Some flips are harmless; most are found.
        #expect(replaced > 50)
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

    /// Changes by foreign SQL, or a file of another program.
    @Test(arguments: [
        "DROP TABLE spool", "DROP TABLE point", "DROP TABLE flight", "DROP TABLE setting", "DROP TABLE grdb_migrations",
        "ALTER TABLE point RENAME COLUMN source TO sauce", "UPDATE setting SET value = 'junk' WHERE name = 'spool_key'",
        "UPDATE setting SET value = '18446744073709551615' WHERE name = 'spool_key'",
        "UPDATE point SET latitude = 1e300", "UPDATE point SET latitude = 9e999", "UPDATE point SET at = -1",
        "UPDATE point SET source = 'gps'", "UPDATE flight SET last_at = 9223372036854775807",
        "UPDATE flight SET serial = '---'", "UPDATE spool SET payload = x'00' WHERE key = 50",
        "INSERT INTO spool VALUES (9223372036854775807, 't', x'00', NULL, 0)",
    ])
    func aStoreWithForeignContentIsReplaced(_ sql: String) async throws {
        let bench = try StoreFolder()
        try await fill(bench.store())
        try await bench.tamper(sql)
        try await liveData(bench.store(), "\(sql)")
        let told = bench.told
        #expect(told.count == 1 && told.first?.contains("damaged") == true, "\(told)")
        #expect(try await bench.store().memory().lastHeard[try serial("LIVE")] != nil)
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
        #expect(state.lastKey == 26 && state.spooled == 26)
        let messages = try await bench.store().messages(after: 0, limit: 100)
        #expect(messages.map(\.key) == Array(1...26))
        #expect(messages.count { $0.topic == "sondygo/test/history/position" } == 20)
        let receiver = RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: true, name: "MySondyGo")
        #expect(await bench.store().recall() == receiver)
        #expect(bench.told == [])
    }
}
