import Foundation
import TestSupport
import Testing

/// The real program on a disk that takes 300 or 1500 ms for each write. No frame waits for the disk.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SlowDiskTests {
    /// A debug build on a busy machine starts slowly.
    #if DEBUG
        private static let startLimit = 3.0
    #else
        private static let startLimit = 1.0
    #endif

    /// The store is created while the first frames come.
    @Test(arguments: [300, 1500]) func aSlowNewStoreDelaysNoFrame(_ milliseconds: Int) async throws {
        let disk = try await SlowDisk()
        let bench = try await FrameBench(
            state: disk.folder, isLetIn: false, environment: disk.environment(milliseconds: milliseconds))
        let linkedAt = Date()
        try await eventually("a live position: \(bench.gateway.text)") {
            try await bench.feed(1)
            return bench.altitudes("position").first
        }
        #expect(Date().timeIntervalSince(linkedAt) < Self.startLimit)
        // These frames come before and after the store has opened.
        try await bench.feed(20, every: .milliseconds(100))
        try await bench.end(within: 5)
    }

    /// Frames are published at once while the store and the raw log are written.
    @Test(arguments: [300, 1500]) func aSlowDiskDelaysNoFrame(_ milliseconds: Int) async throws {
        let disk = try await SlowDisk()
        let before = try await FrameBench(state: disk.folder)
        try await before.feed(20)
        try await before.waitUntilRecorded()
        try await before.end()
        let environment = disk.environment(milliseconds: milliseconds).merging(["SONDYGO_RECORDER_RAW": "true"]) { $1 }
        let bench = try await FrameBench(state: disk.folder, environment: environment)
        try await bench.feed(60, every: .milliseconds(100))
        let delays = try await bench.delays()
        // A busy machine delays some frames; waiting for the disk would delay all.
        #expect(delays[delays.count / 2] < 0.02, "\(delays)")
        #expect(delays[delays.count * 9 / 10] < 0.2, "\(delays)")
        // The messages have the time at which the frame was read.
        let times = bench.subscriber.messages(on: "sondygo/test/position").compactMap { $0.json["time"] as? String }
        #expect(Set(times).count == 60)
        try await bench.end(within: 5)
    }
}
