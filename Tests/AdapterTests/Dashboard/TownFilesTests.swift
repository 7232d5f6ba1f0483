import FlightMath
import Foundation
import Gateway
import GatewayReports
import GatewayRuntime
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing

@testable import Dashboard

/// The towns in the base map's own files.
@Suite(.timeLimit(.minutes(10))) struct TownFilesTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../deploy/page").standardized.path
    private let files = TownFiles(pageDirectory: page)

    /// A place, a town there, and whether more than so many are within 20 km.
    @Test(
        arguments: [
            (Coordinate(latitude: 47.21, longitude: 7.39), "Grenchen", 80),
            // Where four boxes meet.
            (Coordinate(latitude: 45.0, longitude: 10.0), "Cremona", 40),
            (Coordinate(latitude: -16.8, longitude: 179.9), "", -1), (Coordinate(latitude: 0, longitude: -30), "", -1),
            (Coordinate(latitude: 69.65, longitude: 18.95), "Tromsø", 1),
            (Coordinate(latitude: -33.45, longitude: -70.65), "Santiago", 10),
        ] as [(Coordinate, String, Int)])
    func aPlaceHasItsTowns(_ place: Coordinate, _ name: String, _ least: Int) {
        let towns = files.towns(around: place, metres: 20_000)
        #expect(towns.count > least)
        #expect(name.isEmpty || towns.contains { $0.name == name }, "\(towns.map(\.name))")
        #expect(towns.allSatisfy { $0.people >= 500 && $0.coordinate.distanceMetres(to: place) < 29_000 })
        #expect(towns.map(\.people) == towns.map(\.people).sorted(by: >))
    }

    @Test func theFilesHaveTheirCornersNames() {
        let names = [(5, 45), (-5, -5), (175, 0), (-180, 60)].map { TownFiles.name(west: $0.0, south: $0.1) }
        #expect(names == ["N45E005", "S05W005", "N00E175", "N60W180"])
    }

    /// Missing, cut and damaged files have no towns, and harm nobody.
    @Test func damagedFilesHaveNoTowns() throws {
        let folder = try temporaryDirectory()
        let boxes = folder.appendingPathComponent("base/boxes")
        try FileManager.default.createDirectory(at: boxes, withIntermediateDirectories: true)
        let file = boxes.appendingPathComponent("N45E005.bin.gz")
        let place = Coordinate(latitude: 47.2, longitude: 7.4)
        let damaged = TownFiles(pageDirectory: folder.path)
        #expect(damaged.towns(around: place, metres: 20_000).isEmpty)
        let real = Array(try Data(contentsOf: URL(fileURLWithPath: Self.page + "/base/boxes/N45E005.bin.gz")))
        let odd: [[UInt8]] = [
            [], Array("no file".utf8), Array(real.prefix(real.count / 2)),
            Gzip.compressed([255, 255, 255, 255, 255]) ?? [], Gzip.compressed([3, 200, 1, 65]) ?? [],
            Gzip.compressed([UInt8](repeating: 0, count: 5_000_000)) ?? [],
        ]
        for bytes in odd {
            try Data(bytes).write(to: file)
            #expect(damaged.towns(around: place, metres: 20_000).isEmpty)
        }
    }

    /// The towns are told once the landing point is known, and again when it has moved far.
    @Test func theGatewayLearnsTheTowns() async throws {
        let told = Mutex<[TownsAround]>([])
        let executor = ThreadExecutor(named: "towns")
        executor.start()
        let feed = TownFeed(files, executor: executor) { towns in told.withLock { $0.append(towns) } }
        let moment = Moment(
            monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(millisecondsSince1970: 0), isClockSynced: true)
        let report = { (latitude: Double) in
            let place = Coordinate(latitude: latitude, longitude: 7.4)
            return Report.landing(
                LandingReport(point: LandingPoint(coordinate: place, source: .predicted, at: moment), history: []))
        }
        feed.handle(.landing(nil), at: moment)
        feed.handle(report(47.2), at: moment)
        try await eventually("the towns") { told.withLock { $0.count == 1 }.orNil }
        feed.handle(report(47.25), at: moment)
        feed.handle(report(46.9), at: moment)
        try await eventually("other towns") { told.withLock { $0.count == 2 }.orNil }
        var (first, second) = told.withLock { ($0[0], $0[1]) }
        #expect(first.town(near: Coordinate(latitude: 47.21, longitude: 7.396))?.name == "Grenchen")
        #expect(second.town(near: Coordinate(latitude: 46.95, longitude: 7.44))?.name == "Bern")
    }
}
