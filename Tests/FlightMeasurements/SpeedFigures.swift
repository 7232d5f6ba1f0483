import FlightMath
import Foundation
import ReceiverProtocol

/// Measures the cost of a point, of a whole track, and of a prediction that uses another flight's winds and the heights
/// of the ground.
struct SpeedFigures {
    private static let count = 10_000

    let tracks: [RecordedTrack]

    func report() {
        guard let longest = tracks.max(by: { $0.points.count < $1.points.count }) else { return }
        let points = Array(longest.resampled(everySeconds: 1).prefix(Self.count))
        var slowest = 0.0
        var flight = Flight()
        let began = cpuMicroseconds()
        for point in points {
            let start = cpuMicroseconds()
            _ = flight.insert(point)
            slowest = max(slowest, cpuMicroseconds() - start)
        }
        let each = (cpuMicroseconds() - began) / Double(points.count)
        print(
            "A point of \(longest.name): mean \(decimal(each)) µs, slowest "
                + "\(decimal(slowest, 0)) µs (limit 50 µs)")
        var whole = Flight()
        _ = whole.insert(contentsOf: points)
        var best = Double.infinity
        for _ in 0..<20 {
            let start = cpuMicroseconds()
            _ = whole.judgeAnew()
            best = min(best, (cpuMicroseconds() - start) / 1000)
        }
        let scaled = best * Double(Self.count) / Double(max(1, whole.track.points.count))
        print(
            "\(whole.track.points.count) points judged anew: \(decimal(best)) ms, for 10 000 \(decimal(scaled)) ms (limit 5 ms)"
        )
    }

    /// Predictions in the ascent and the descent, with and without other winds and terrain.
    func reportPredictions() {
        guard let track = tracks.filter(\.isRadiosonde).max(by: { $0.points.count < $1.points.count }),
            let serial = SondeSerial(name: track.name, type: .other("x"))
        else { return }
        for isAscent in [true, false] {
            var flight = Flight()
            for point in track.points
            where track.isAscent(point)
                ? !isAscent || point.altitudeMetres < 5000 : !isAscent && point.altitudeMetres > 5000
            {
                _ = flight.insert(point)
            }
            var whole = Flight()
            _ = whole.insert(contentsOf: track.points)
            var options = OwnWindsOptions()
            guard let alone = OwnWindsPredictor(options: options).prediction(for: flight) else { continue }
            let few = Self.microseconds { _ = OwnWindsPredictor(options: options).prediction(for: flight) }
            options.otherWinds = whole.winds(of: serial)
            let patch = terrain(around: alone.landing.coordinate)
            options.terrain = patch
            let all = Self.microseconds { _ = OwnWindsPredictor(options: options).prediction(for: flight) }
            print(
                "A prediction in the \(isAscent ? "ascent" : "descent"): median \(decimal(few.percentile(50), 0)) µs, "
                    + "with other winds and terrain \(decimal(all.percentile(50), 0)) µs, longest "
                    + "\(decimal(all.max() ?? .nan, 0)) µs (limit 5000 µs)")
        }
    }

    private static func microseconds(_ work: () -> Void) -> [Double] {
        (0..<500).map { _ in
            let start = cpuMicroseconds()
            work()
            return cpuMicroseconds() - start
        }
    }

    /// A quarter of a degree of hills, a height each arc second.
    private func terrain(around place: Coordinate) -> TerrainPatch? {
        let side = 901
        let heights = (0..<side * side).map { Int16(150 + 100 * sin(Double($0 % side) / 40) + Double($0 / side) / 10) }
        return TerrainPatch(
            southWest: Coordinate(latitude: place.latitude - 0.125, longitude: place.longitude - 0.125),
            stepDegrees: 1.0 / 3600, columns: side, heights: heights)
    }
}
