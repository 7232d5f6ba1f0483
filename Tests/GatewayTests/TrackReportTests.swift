import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import GatewayReports

/// The outline of the track so far.
@Suite struct TrackReportTests {
    private func tracks(_ outcome: Script.Outcome) -> [[[Double]]] {
        outcome.objects(on: "/test/track").map { $0["points"] as? [[Double]] ?? [] }
    }

    /// The outline is published at once with the first point, then once a minute while the sonde flies.
    @Test func theOutlineComesOnceAMinute() {
        var script = Script()
        script.connect()
        var counts: [Int: Int] = [:]
        for second in 0..<200 {
            for track in tracks(script.frame(Script.position("V4210150", altitude: 3000 + 5 * second))) {
                counts[second] = track.count
            }
            for track in tracks(script.wait(1)) { counts[second] = track.count }
        }
        #expect(counts.count >= 3 && counts.count <= 5, "\(counts)")
        #expect(counts.values.max().map { $0 > 100 } == true, "\(counts)")
    }

    /// The last points before a silence are in the outline a minute later.
    @Test func theLastPointsAreInTheNextOutline() {
        var script = Script()
        script.connect()
        for second in 0..<20 {
            _ = script.frame(Script.position("V4210150", altitude: 3000 + 5 * second))
            _ = script.wait(1)
        }
        let later = tracks((0..<70).map { _ in script.wait(1) }.last { !tracks($0).isEmpty } ?? script.wait(0))
        #expect((later.last?.count ?? 0) >= 15, "\(later)")
        #expect((0..<200).allSatisfy { _ in tracks(script.wait(1)).isEmpty })
    }

    /// The outline of twelve hours at the place with the longest numbers has 300 points and at most 16 kB.
    @Test func theOutlineIsSmall() throws {
        var random = SeededRandom.ofThisRun
        let track = (0..<43_200).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: 1_767_268_800_000 + Int64(second) * 1000),
                coordinate: Coordinate(
                    latitude: -60 - Double.random(in: 0..<1, using: &random),
                    longitude: -179 + Double.random(in: 0..<1, using: &random)),
                altitudeMetres: -Double.random(in: 10_000..<40_000, using: &random), source: .ble)
        }
        let report = TrackReport(serial: try #require(SondeSerial(name: "V4210150", type: .rs41)), track: track)
        #expect(report.points.count == 300)
        let payload = Report.track(report).payload(at: .zero)
        #expect(payload.count <= 16_384, "\(payload.count)")
    }
}
