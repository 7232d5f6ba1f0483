import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Dashboard
@testable import GatewayRuntime

/// A debug build ends if a file is used on the loop's thread.
@Suite struct LoopThreadTests {
    @Test func otherThreadsMayBlock() {
        LoopThread.assertMayBlock()
        #expect(!LoopThread.isCurrent)
    }

    #if DEBUG
        @Test func theRawLogIsNotWrittenOnTheLoop() async {
            await #expect(processExitsWith: .failure) {
                LoopThread.begin()
                let files = RawLogFiles(directory: "/nonexistent", totalSize: 1, retentionDays: 1)
                var writer = RawLogWriter(files: files)
                try? writer.write(RawLogRecord(monotonic: .zero, wall: "", session: 1, bytes: []))
            }
        }

        @Test func theStoreIsNotOpenedOnTheLoop() async {
            await #expect(processExitsWith: .failure) {
                let bounds = StoreBounds(messages: 1, messageHours: 1, flightDays: 1, megabytes: 1)
                await onALoop {
                    let store = FlightStore(path: "/nonexistent/x", bounds: bounds) { _ in }
                    _ = try? await store.open(at: WallTime(millisecondsSince1970: 0))
                }
            }
        }

        @Test func aFlightFileIsNotReadOnTheLoop() async {
            await #expect(processExitsWith: .failure) {
                await onALoop { _ = try? await FlightReader(path: "/nonexistent/x").flights(of: nil, limit: 1) }
            }
        }

        @Test func mapsAreNotReadOnTheLoop() async {
            await #expect(processExitsWith: .failure) {
                LoopThread.begin()
                _ = MapShelf(folder: "/nonexistent")
            }
        }
    #endif

    /// The store's executor is another thread.
    @Test func aStoreWithAnExecutorMayBeCalledFromTheLoop() async throws {
        let bench = try StoreFolder()
        let own = ThreadExecutor(named: "test")
        own.start()
        let bounds = StoreBounds(messages: 1, messageHours: 1, flightDays: 1, megabytes: 1)
        let store = FlightStore(path: bench.path, bounds: bounds, executor: own) { _ in }
        let settings = await onALoop { try? await store.open(at: WallTime(millisecondsSince1970: 0)).lastKey }
        #expect(settings == 0)
        let receiver = RememberedReceiver(address: "AA:BB:CC:DD:EE:FF", isRandom: true, name: "MySondyGo")
        let recalled = await onALoop {
            await store.remember(receiver)
            return await store.recall()
        }
        #expect(recalled == receiver)
    }
}

/// Runs `body` on a loop's thread.
private func onALoop<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    let loop = ThreadExecutor(named: "test")
    runOnThread(named: "test") { loop.run() }
    return await Task(executorPreference: loop) { await body() }.value
}
