import FlightMath
import GatewayReports
import ReceiverProtocol

/// How strong a sonde is heard: now, over the last seconds and minutes, and while the car drives. Values of one second are
/// kept together, so a flood of frames needs no more room.
struct SignalMeter: Sendable {
    private static let meanSeconds = 5
    private static let peakSeconds = 180
    private static let trendSeconds = 30.0
    /// Less driving shows no trend.
    private static let shortestDrive = 15.0
    /// A longer pause between two frames is no driving that anybody has heard.
    private static let longestStep = Duration.seconds(5)
    /// A smaller change is steady, dB.
    private static let leastChange = 2.0

    /// All frames of one second.
    private struct Second: Sendable {
        var number: Int64
        var sum = 0.0
        var count = 0
        var peak = -Double.infinity
        /// For how many seconds the car had driven then; nil if it stood.
        var driven: Double?

        var mean: Double { sum / Double(count) }
    }

    private var seconds: [Second] = []
    private var driven = 0.0
    private(set) var heardAt: MonotonicTime?

    /// - Parameter isDriving: whether the car is known to drive.
    mutating func add(_ dBm: Double, isDriving: Bool, at now: MonotonicTime) {
        let step = heardAt.map { now.duration(since: $0) } ?? .zero
        heardAt = now
        if isDriving { driven += min(max(.zero, step), Self.longestStep).inSeconds }
        let number = now.nanoseconds / 1_000_000_000
        if seconds.last?.number != number { seconds.append(Second(number: number)) }
        let last = seconds.count - 1
        seconds[last].sum += dBm
        seconds[last].count += 1
        seconds[last].peak = max(seconds[last].peak, dBm)
        if isDriving { seconds[last].driven = driven }
        seconds.removeAll { number - $0.number >= Self.peakSeconds }
    }

    /// dBm; nil before the first frame.
    var mean: Double? {
        guard let newest = seconds.last?.number else { return nil }
        let recent = seconds.filter { newest - $0.number < Self.meanSeconds }
        return recent.reduce(0) { $0 + $1.sum } / Double(recent.reduce(0) { $0 + $1.count })
    }

    /// dBm; nil before the first frame.
    var peak: Double? { seconds.map(\.peak).max() }

    /// Nil before the car has driven long enough. The signal fades by several dB from one second to the next, so a change
    /// counts only if it is twice its own error.
    var trend: SignalReport.Trend? {
        let points = seconds.compactMap { second in
            second.driven.flatMap { $0 > driven - Self.trendSeconds ? (x: $0, y: second.mean) : nil }
        }
        guard let first = points.first, let last = points.last, last.x - first.x >= Self.shortestDrive,
            points.count >= 3
        else { return nil }
        let count = Double(points.count)
        let (x, y) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
        let spread = points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
        let slope = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) } / spread
        let rest = points.reduce(0) { sum, point in
            let miss = point.y - y - slope * (point.x - x)
            return sum + miss * miss
        }
        let error = (rest / (count - 2) / spread).squareRoot()
        let change = slope * (last.x - first.x)
        guard abs(change) >= Self.leastChange, abs(slope) > 2 * error else { return .steady }
        return change > 0 ? .rising : .falling
    }
}
