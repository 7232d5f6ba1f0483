import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import Synchronization
import TestSupport
import Testing

/// A store in a folder of its own, and its messages.
struct StoreFolder {
    let folder: URL
    private let texts = Texts()
    var told: [String] { texts.all.withLock { $0 } }
    /// What was said of rows that can't be read.
    var leftOut: [String] { texts.leftOut.withLock { $0 } }

    private final class Texts: Sendable {
        let all = Mutex<[String]>([])
        let leftOut = Mutex<[String]>([])
    }

    init() throws { self.init(folder: try temporaryDirectory()) }

    init(folder: URL) { self.folder = folder }

    var path: String { folder.path + "/gateway.sqlite" }

    func store(messages: Int = 1000, hours: Int = 48, days: Int = 90, megabytes: Int = 500) -> FlightStore {
        let bounds = StoreBounds(messages: messages, messageHours: hours, flightDays: days, megabytes: megabytes)
        return FlightStore(
            path: path, bounds: bounds,
            onLeftOut: { [texts] text in texts.leftOut.withLock { $0.append(text) } },
            onReplaced: { [texts] text in texts.all.withLock { $0.append(text) } })
    }

    /// Changes the file over another connection.
    func tamper(_ sql: String) async throws {
        let program = "import sqlite3; s = sqlite3.connect('\(path)'); s.execute(\"\(sql)\"); s.commit()"
        let child = try Child("python3", ["-c", program])
        #expect(try await child.exitCode() == 0, "\(child.text)")
    }
}

func message(_ key: UInt64, at: Int64? = nil) -> SpooledMessage {
    SpooledMessage(
        key: key, topic: "p/history/event", payload: Array("message \(key)".utf8),
        at: at.map(WallTime.init(millisecondsSince1970:)))
}

// Single operations, for tests.
extension FlightStore {
    @discardableResult
    func append(_ messages: [SpooledMessage], now: WallTime? = nil) async throws(StoreError) -> Int {
        try await save(StoreBatch(messages: messages), now: now).dropped
    }

    func messages(after key: UInt64, limit: Int) async throws(StoreError) -> [SpooledMessage] {
        try await messages(after: key, limit: limit, now: nil).messages
    }

    func remove(_ keys: [UInt64]) async throws(StoreError) { _ = try await save(StoreBatch(removals: keys), now: nil) }

    func record(_ entries: [FlightLogEntry], now: WallTime? = nil) async throws(StoreError) {
        _ = try await save(StoreBatch(entries: entries), now: now)
    }

    /// Opens the store with a clock that was never set, so no flight counts as in the future.
    func open() async throws(StoreError) -> StoredState { try await open(at: WallTime(millisecondsSince1970: 0)) }
    func memory() async throws(StoreError) -> GatewayMemory { try await open().memory }
    func lastKey() async throws(StoreError) -> UInt64 { try await open().lastKey }
    func count() async throws(StoreError) -> Int { try await open().spooled }
}
