import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

@testable import GatewayRuntime

@Suite(.timeLimit(.minutes(10))) struct RawLogWriterTests {
    private func record(_ number: Int64, bytes: Int = 10) -> RawLogRecord {
        RawLogRecord(
            monotonic: MonotonicTime(nanoseconds: number), wall: "2026-11-21T13:09:26.00\(number)Z", session: 1,
            bytes: Array(repeating: 65, count: bytes))
    }

    private func lines(_ folder: URL) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .map { try String(contentsOfFile: folder.appendingPathComponent($0).path, encoding: .utf8) }
            .joined().count { $0 == "\n" }
    }

    /// The writer continues in a new file.
    @Test(arguments: [true, false]) func aDeletedRawLogBeginsAnew(_ withItsFolder: Bool) throws {
        let folder = try temporaryDirectory().appendingPathComponent("raw")
        var writer = RawLogWriter(files: RawLogFiles(directory: folder.path, totalSize: 100_000_000, retentionDays: 9))
        try writer.write(record(1))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        if withItsFolder { try FileManager.default.removeItem(at: folder) }
        try writer.write(record(2))
        try writer.write(record(3))
        #expect(try lines(folder) == 2)
    }

    /// A folder that can't be made says why, not that a file in it is missing.
    @Test func theCauseOfAMissingFolderIsTold() async throws {
        let disk = try await SmallDisk(megabytes: 1)
        try await disk.makeReadOnly()
        let folder = disk.folder.appendingPathComponent("state/raw")
        var writer = RawLogWriter(files: RawLogFiles(directory: folder.path, totalSize: 100_000_000, retentionDays: 9))
        do throws(RawLogError) {
            try writer.write(record(1))
            Issue.record("written")
        } catch {
            #expect(error.description == "\(folder.path): Read-only file system")
        }
        let store = StoreFolder(folder: disk.folder.appendingPathComponent("other")).store()
        let failure = await #expect(throws: StoreError.self) { try await store.open() }
        #expect(failure?.detail.hasSuffix("Read-only file system") == true, "\(failure?.detail ?? "")")
    }

    /// The files tell where the user was, so nobody else may read them.
    @Test func onlyTheOwnerCanReadRawLogs() throws {
        let folder = try temporaryDirectory().appendingPathComponent("raw")
        var writer = RawLogWriter(files: RawLogFiles(directory: folder.path, totalSize: 100_000_000, retentionDays: 9))
        try writer.write(record(1))
        let rights = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try rights(folder.path) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 1)
        for name in names { #expect(try rights(folder.appendingPathComponent(name).path) == 0o600) }
    }

    /// A partly written line has no `errno` of its own; the error is "disk full" and not an older one.
    @Test(.enabled(if: geteuid() == 0, "mounts a small disk")) func aFullDiskIsReportedAsFull() async throws {
        let disk = try await SmallDisk(megabytes: 1)
        let files = RawLogFiles(directory: disk.folder.path + "/raw", totalSize: 100_000_000, retentionDays: 9)
        var writer = RawLogWriter(files: files)
        var told: RawLogError?
        for number in 1...9 where told == nil {
            errno = ETIMEDOUT
            do throws(RawLogError) { try writer.write(record(Int64(number), bytes: 100_000)) } catch { told = error }
        }
        #expect(told?.description.hasSuffix("No space left on device") == true, "\(told?.description ?? "-")")
    }
}
