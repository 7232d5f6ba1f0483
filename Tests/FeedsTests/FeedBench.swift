import Feeds
import FlightStore
import Foundation
import Logging
import ReceiverProtocol
import TestSupport

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A feed service on loopback ports, with its own store.
final class FeedBench: Sendable {
    let service: FeedService
    let archive: FlightReader
    let folder: URL
    private let store: FlightStore
    private let running: Task<Void, any Error>
    private let cars = Inputs<CarFix>()
    private let bearings = Inputs<HeardBearing>()

    /// What the feeds passed on.
    final class Inputs<Input: Sendable>: Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var taken: [Input] = []

        var all: [Input] { lock.withLock { taken } }
        func add(_ input: Input) { lock.withLock { taken.append(input) } }
    }

    /// All feeds, switched off at first.
    struct Feeds {
        var rdz = RDZFeed()
        var horus = HorusFeed()
        var gdl90 = GDL90Feed()
        var rocket = RocketFeed()

        fileprivate var on: [any SocketFeed] {
            let all: [(any SocketFeed, Bool)] = [
                (rdz, rdz.isEnabled), (horus, horus.isEnabled), (gdl90, gdl90.isEnabled), (rocket, rocket.isEnabled),
            ]
            return all.filter(\.1).map(\.0)
        }
    }

    private struct Clock: GatewayClock {
        var now: Moment {
            let time = monotonicNanoseconds()
            return Moment(
                monotonic: MonotonicTime(nanoseconds: time),
                wall: WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)), isClockSynced: true)
        }

        func sleep(until deadline: MonotonicTime) async {}

        private func monotonicNanoseconds() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }

    /// - Parameter second: the time between two updates of the feeds.
    init(second: Duration = .seconds(1), _ change: (inout Feeds) -> Void) throws {
        var feeds = Feeds()
        change(&feeds)
        folder = try temporaryDirectory()
        let path = folder.path + "/gateway.sqlite"
        store = FlightStore(
            path: path, bounds: StoreBounds(messages: 10, messageHours: 1, flightDays: 3650, megabytes: 500)
        ) { _ in }
        archive = FlightReader(path: path)
        let (cars, bearings) = (self.cars, self.bearings)
        let service = FeedService(
            feeds.on, station: "car1", version: "1", second: second, archive: archive, clock: Clock(),
            onCar: { cars.add($0) }, onBearing: { bearings.add($0) },
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        self.service = service
        running = Task { try await service.run() }
    }

    /// The car's positions that the feeds passed on.
    var carFixes: [CarFix] { cars.all }
    /// The bearings that they passed on.
    var heardBearings: [HeardBearing] { bearings.all }

    func record(_ entries: [FlightLogEntry]) async throws {
        _ = try await store.save(StoreBatch(entries: entries), now: nil)
    }

    /// Reports the car's position as the gateway does.
    func drive(_ car: CarPosition) {
        let now = Clock().now
        service.handle(.chase(ChaseReport(car: car, isSignificantMove: false, at: now)), at: now)
    }

    func counts(_ name: String) -> FeedCounts? { service.counts.first { $0.name == name } }

    func stop() async {
        running.cancel()
        _ = try? await running.value
    }
}
