import Foundation
import GatewayCore

/// What a point costs, and a whole track.
struct SpeedFigures {
    private static let count = 10_000

    let tracks: [RecordedTrack]

    func report() {
        guard let longest = tracks.max(by: { $0.points.count < $1.points.count }) else { return }
        let points = Array(longest.resampled(everySeconds: 1).prefix(Self.count))
        var slowest = Duration.zero
        var flight = Flight()
        let began = ContinuousClock.now
        for point in points {
            let start = ContinuousClock.now
            _ = flight.insert(point)
            slowest = max(slowest, ContinuousClock.now - start)
        }
        let each = (ContinuousClock.now - began) / .microseconds(1) / Double(points.count)
        print(
            "A point of \(longest.name): mean \(decimal(each)) µs, slowest "
                + "\(decimal(slowest / .microseconds(1), 0)) µs (limit 50 µs)")
        var whole = Flight()
        _ = whole.insert(contentsOf: points)
        var best = Double.infinity
        for _ in 0..<20 {
            let start = ContinuousClock.now
            _ = whole.judgeAnew()
            best = min(best, (ContinuousClock.now - start) / .milliseconds(1))
        }
        let scaled = best * Double(Self.count) / Double(max(1, whole.track.points.count))
        print(
            "\(whole.track.points.count) points judged anew: \(decimal(best)) ms, for 10 000 \(decimal(scaled)) ms (limit 5 ms)"
        )
    }
}
