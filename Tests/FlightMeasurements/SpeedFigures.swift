import FlightMath
import Foundation

/// Measures the cost of a point, and of a whole track.
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
}
