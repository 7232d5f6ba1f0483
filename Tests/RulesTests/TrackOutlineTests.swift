import Foundation
import TestSupport
import Testing

@testable import Dashboard
@testable import FlightMath

/// Thinned tracks.
struct TrackOutlineTests {
    private func point(_ second: Int, north: Double = 0, altitude: Double = 0) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: Int64(second) * 1000),
            coordinate: Coordinate(latitude: 47 + north / 111_195, longitude: 7.5), altitudeMetres: altitude,
            source: .ble)
    }

    @Test func aShortTrackStaysWhole() {
        let track = (0..<100).map { point($0) }
        #expect(TrackOutline(of: track, limit: 100).points == track)
        #expect(TrackOutline(of: [], limit: 100).points.isEmpty)
    }

    @Test func cornersStay() {
        // Ascent, burst, descent: three corners.
        let track = (0..<5000).map { point($0, altitude: $0 < 3000 ? Double($0) * 5 : 15_000 - Double($0 - 3000) * 7) }
        let outline = TrackOutline(of: track, limit: 200)
        #expect(outline.points.count <= 200)
        #expect(outline.points.contains { $0.altitudeMetres == 15_000 })
        #expect(outline.points.first == track.first && outline.points.last == track.last)
    }

    /// Each gap stays, and no new one appears.
    @Test func gapsStay() {
        let track = (0..<6000).filter { !(2000..<2300).contains($0) && !(4000..<4062).contains($0) }.map {
            point($0, north: Double($0) * 10)
        }
        let points = TrackOutline(of: track, limit: 300).points
        let gaps = zip(points, points.dropFirst()).filter {
            $1.time.millisecondsSince1970 - $0.time.millisecondsSince1970 > 60_000
        }
        #expect(gaps.map { $0.0.second } == [1999, 3999])
        #expect(gaps.map { $0.1.second } == [2300, 4062])
    }

    /// A flight of real length is thinned quickly, and the outline stays close to the track.
    @Test func aLongFlightIsThinnedQuicklyAndClosely() {
        let track = (0..<43_200).map {
            point($0, north: 3000 * sin(Double($0) / 500), altitude: Double($0 % 7))
        }
        let began = threadTime()
        let outline = TrackOutline(of: track, limit: 2000)
        #expect(outline.points.count == 2000)
        #expect(threadTime() - began < .seconds(20))
        let onlyGaps = (0..<20_000).map { point($0 * 100) }
        #expect(TrackOutline(of: onlyGaps, limit: 500).points.count == 500)
        #expect(TrackOutline(of: onlyGaps, limit: -1).points.count == 2)
    }
}
