import FlightStore
import Foundation
import GatewayCore
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct FlightStoreTests {
    /// A store in a folder of its own, and what it told.
    private struct Bench {
        let folder: URL
        let told = Told()

        final class Told: Sendable {
            let texts = Mutex<[String]>([])
        }

        init() throws { folder = try temporaryDirectory() }

        var path: String { folder.path + "/gateway.sqlite" }

        func store(messages: Int = 1000, hours: Int = 48) -> FlightStore {
            FlightStore(path: path, bounds: SpoolBounds(messages: messages, ageHours: hours)) { [told] text in
                told.texts.withLock { $0.append(text) }
            }
        }
    }

    private func message(_ key: UInt64, at: Int64? = nil) -> SpooledMessage {
        SpooledMessage(
            key: key, topic: "p/history/event", payload: Array("message \(key)".utf8),
            at: at.map(WallTime.init(millisecondsSince1970:)))
    }

    @Test func keepsMessagesInOrderAcrossRestarts() async throws {
        let bench = try Bench()
        var store = bench.store()
        #expect(try await store.lastKey() == 0)
        #expect(try await store.append([message(3), message(1), message(2, at: 5)], now: nil) == 0)
        #expect(try await store.messages(after: 0, limit: 10) == [message(1), message(2, at: 5), message(3)])
        #expect(try await store.messages(after: 1, limit: 1) == [message(2, at: 5)])
        try await store.remove([3])
        store = bench.store()
        #expect(try await store.count() == 2)
        // The highest key that ever was, though its message has gone: keys never come twice.
        #expect(try await store.lastKey() == 3)
    }

    @Test func remembersTheLastReceiver() async throws {
        let bench = try Bench()
        #expect(await bench.store().recall() == nil)
        for receiver in [
            RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: true, name: "MySondyGo of mine"),
            RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: false, name: nil),
        ] {
            await bench.store().remember(receiver)
            #expect(await bench.store().recall() == receiver)
        }
        // What can't be kept harms nobody.
        let nowhere = FlightStore(path: "/proc/nowhere/x", bounds: SpoolBounds(messages: 1, ageHours: 1)) { _ in }
        await nowhere.remember(RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: true, name: nil))
        #expect(await nowhere.recall() == nil)
    }

    @Test func bounds() async throws {
        let bench = try Bench()
        let store = bench.store(messages: 5, hours: 1)
        #expect(try await store.append((1...5).map { message($0) }, now: nil) == 0)
        #expect(try await store.append([message(6), message(7)], now: nil) == 2)
        #expect(try await store.messages(after: 0, limit: 10).map(\.key) == [3, 4, 5, 6, 7])
        // By age only where both clocks were right.
        let hour: Int64 = 3_600_000
        try await store.remove([3, 4, 5])
        _ = try await store.append([message(8, at: 1000), message(9, at: hour)], now: nil)
        let now = WallTime(millisecondsSince1970: hour + 1001)
        #expect(try await store.append([], now: now) == 1)
        #expect(try await store.messages(after: 0, limit: 10).map(\.key) == [6, 7, 9])
    }

    @Test(arguments: ["not a database at all, but long enough to be looked at", ""])
    func aDamagedFileIsMovedAside(_ garbage: String) async throws {
        let bench = try Bench()
        try Data((garbage + String(repeating: "x", count: garbage.isEmpty ? 0 : 5000)).utf8).write(
            to: URL(fileURLWithPath: bench.path))
        let store = bench.store()
        _ = try await store.append([message(1)], now: nil)
        #expect(try await store.count() == 1)
        let told = bench.told.texts.withLock { $0 }
        // An empty file is a new database.
        #expect(told.count == (garbage.isEmpty ? 0 : 1))
        #expect(FileManager.default.fileExists(atPath: bench.path + ".damaged") == !garbage.isEmpty)
    }

    /// Overwritten while it is open.
    @Test func aFileThatIsDamagedUnderOurHandsIsReplaced() async throws {
        let bench = try Bench()
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
        // SQLite's own cache may hide it for a while; nothing crashes meanwhile, and at the next start at the latest it
        // is found.
        for key in UInt64(5000)..<5010 { _ = try? await store.append([message(key)], now: nil) }
        let next = bench.store()
        _ = try await next.append([message(6000)], now: nil)
        #expect(try await next.messages(after: 5999, limit: 10) == [message(6000)])
        #expect(bench.told.texts.withLock { $0.count } >= 1)
    }

    @Test func aDirectoryThatIsNotThereIsSaidAndRetried() async throws {
        let bench = try Bench()
        try FileManager.default.removeItem(at: bench.folder)
        let store = bench.store()
        let error = await #expect(throws: StoreError.self) { try await store.append([message(1)], now: nil) }
        #expect(error?.code == .readOnly)
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        _ = try await store.append([message(1)], now: nil)
        #expect(try await store.count() == 1)
    }

    /// A disk of 2 MB, filled to the brim: said as such; it works again when there is room.
    @Test(.enabled(if: geteuid() == 0, "mounts a small disk"))
    func aFullDiskIsSaidAndForgiven() async throws {
        let bench = try Bench()
        let mount = try Child("mount", ["-t", "tmpfs", "-o", "size=2m", "store", bench.folder.path])
        try #require(try await mount.exitCode() == 0)
        defer { umount2(bench.folder.path, Int32(MNT_DETACH)) }
        let store = bench.store(messages: 100_000)
        _ = try await store.append([message(1)], now: nil)
        let filler = bench.folder.appendingPathComponent("filler")
        _ = FileManager.default.createFile(atPath: filler.path, contents: nil)
        let handle = try FileHandle(forWritingTo: filler)
        while (try? handle.write(contentsOf: Data(repeating: 0, count: 4096))) != nil {}
        try handle.close()
        let big = (2..<500).map {
            SpooledMessage(key: $0, topic: "t", payload: [UInt8](repeating: 7, count: 2000), at: nil)
        }
        let error = await #expect(throws: StoreError.self) { try await store.append(big, now: nil) }
        #expect(error?.code == .full)
        #expect(try await store.messages(after: 0, limit: 10) == [message(1)])
        try FileManager.default.removeItem(at: filler)
        _ = try await store.append([message(2)], now: nil)
        #expect(try await store.count() == 2)
    }

}
