import Foundation
import TestSupport
import Testing

/// The simulated power cut itself: it removes data that was not synced, and no other.
@Suite(.timeLimit(.minutes(10))) struct PowerCutSelfTests {
    private static let seeds = 0..<200 as Range<UInt64>

    /// Runs a Python program in a recorded folder.
    /// - Returns: the distinct contents of the folder after many cuts at the end.
    private func outcomes(_ program: String) async throws -> Set<[String: Data]> {
        let cut = try await PowerCut()
        let child = try Child(
            "python3", ["-c", "import os\nos.chdir('\(cut.folder.path)')\n" + program],
            environment: cut.environment)
        #expect(try await child.exitCode() == 0, "\(child.text)")
        let disk = try cut.recorded()
        return try Set(
            Self.seeds.map { seed in
                let folder = try temporaryDirectory()
                var random = SeededRandom(seed: seed)
                try disk.restore(before: disk.count, into: folder, using: &random)
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                return try Dictionary(
                    uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appendingPathComponent($0))) })
            })
    }

    private static let begin = """
        p = os.getcwd() + '/'
        def names():
            d = os.open(p[:-1], os.O_RDONLY); os.fsync(d); os.close(d)
        f = os.open(p + 'a', os.O_RDWR | os.O_CREAT, 0o600)
        os.write(f, b'x' * 1500)

        """

    @Test func syncedDataStays() async throws {
        let found = try await outcomes(Self.begin + "os.fsync(f); names()")
        #expect(found == [["a": Data(repeating: UInt8(ascii: "x"), count: 1500)]])
    }

    @Test func unsyncedDataMayBeThereOrMissingOrTorn() async throws {
        let found = try await outcomes(Self.begin + "names()")
        let whole = Data(repeating: UInt8(ascii: "x"), count: 1500)
        #expect(found.isSuperset(of: [["a": whole], ["a": Data()], ["a": whole.prefix(512)]]))
        // A later sector without an earlier one.
        #expect(found.contains(["a": Data(count: 512) + whole.prefix(512)]))
        #expect(found.allSatisfy { Set($0.keys) == ["a"] })
    }

    @Test func aNameNeedsItsFoldersSync() async throws {
        #expect(try await outcomes(Self.begin + "os.fsync(f)").map(\.count).min() == 0)
        let renamed = try await outcomes(Self.begin + "os.fdatasync(f); names(); os.rename(p + 'a', p + 'b')")
        #expect(Set(renamed.flatMap(\.keys)) == ["a", "b"] && renamed.allSatisfy { $0.count == 1 })
        let deleted = try await outcomes(Self.begin + "os.fsync(f); names(); os.unlink(p + 'a')")
        #expect(Set(deleted.map(\.count)) == [0, 1])
    }

    /// Appended, overwritten and cut files: each call is one change.
    @Test func everyKindOfWriteIsRecorded() async throws {
        let program = """
            os.fsync(f); names()
            os.pwrite(f, b'y' * 10, 20)
            os.ftruncate(f, 1000)
            g = os.open(p + 'a', os.O_WRONLY | os.O_APPEND)
            os.write(g, b'z')
            """
        let all = try await outcomes(Self.begin + program + "\nos.fsync(g)")
        let x = Data(repeating: UInt8(ascii: "x"), count: 1000)
        let whole = x.prefix(20) + Data(repeating: UInt8(ascii: "y"), count: 10) + x.prefix(970)
        #expect(all == [["a": whole + Data("z".utf8)]])
        let some = try await outcomes(Self.begin + program)
        #expect(Set(some.compactMap { $0["a"]?.count }) == [1000, 1001, 1500])
    }

    /// SQLite keeps what it has committed with `synchronous=FULL` (a WAL) or `EXTRA`, whenever the cut comes, and loses
    /// it without. If the cut took too much or too little, one of these results would differ.
    @Test(arguments: [
        ("WAL", "FULL", true), ("DELETE", "EXTRA", true), ("WAL", "NORMAL", false), ("DELETE", "OFF", false),
    ])
    func sqliteKeepsWhatItPromises(_ journal: String, _ synchronous: String, _ keeps: Bool) async throws {
        let cut = try await PowerCut()
        let program = """
            import os, sqlite3, time
            s = sqlite3.connect('\(cut.folder.path)/db', isolation_level=None)
            s.execute('PRAGMA journal_mode=\(journal)'); s.execute('PRAGMA synchronous=\(synchronous)')
            s.execute('CREATE TABLE t(n INTEGER, text)')
            d = os.open('\(cut.folder.path)', os.O_RDONLY); os.fsync(d)
            for n in range(1, 60):
                s.execute('INSERT INTO t VALUES(?, ?)', (n, 'x' * 3000)); print(n, time.time(), flush=True)
            os._exit(0)
            """
        let child = try Child("python3", ["-c", program], environment: cut.environment)
        #expect(try await child.exitCode() == 0)
        let committed = child.lines.compactMap { line -> (Int, Double)? in
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int(words[0]), let time = Double(words[1]) else { return nil }
            return (number, time)
        }
        #expect(committed.count == 59)
        let disk = try cut.recorded()
        var losses = 0
        for (number, time) in committed where number % 3 == 0 {
            let folder = try temporaryDirectory()
            var random = SeededRandom(seed: UInt64(number))
            let index = disk.times.firstIndex { $0.timeIntervalSince1970 > time } ?? disk.count
            try disk.restore(before: index, into: folder, using: &random)
            let check = """
                import sqlite3
                s = sqlite3.connect('\(folder.path)/db')
                print(s.execute('PRAGMA integrity_check').fetchone()[0], s.execute('SELECT max(n) FROM t').fetchone()[0])
                """
            let reader = try Child("python3", ["-c", check])
            _ = try await reader.exitCode()
            if reader.text != "ok \(number)\n" { losses += 1 }
        }
        #expect((losses == 0) == keeps, "\(losses)")
    }
}
