import RealModule
import ReceiverProtocol

/// The sonde's motion, computed from its track. The speeds that the sonde itself reports are not used.
public struct Motion: Equatable, Sendable {
    /// m/s over ground.
    public var horizontalSpeed: Double
    /// Degrees clockwise from true north; nil at rest.
    public var courseDegrees: Double?
    /// m/s, positive up.
    public var verticalSpeed: Double

    static let atRest = Motion(horizontalSpeed: 0, courseDegrees: nil, verticalSpeed: 0)
}

extension Motion {
    /// The motion between two points; nil if they are too far apart in time, or `later` is not the later one.
    public init?(from earlier: TrackPoint, to later: TrackPoint) {
        let step = later.time.seconds(since: earlier.time)
        guard step > 0, step <= MotionFilter.longestStep else { return nil }
        self.init(
            horizontalSpeed: earlier.coordinate.distanceMetres(to: later.coordinate) / step,
            courseDegrees: earlier.coordinate.bearingDegrees(to: later.coordinate),
            verticalSpeed: (later.altitudeMetres - earlier.altitudeMetres) / step)
    }
}

/// Computes the motion from consecutive filtered points: removes outliers, sets noise around zero to zero, then
/// averages.
struct MotionFilter: Equatable, Sendable {
    /// Points further apart than this give no motion, seconds.
    static let longestStep = 60.0
    private static let timeConstant = 10.0
    private static let descentWindow = 60.0
    private static let descentMedians = 20

    private var last: TrackPoint?
    private var horizontal = AxisFilter(deadBand: 0.2)
    private var vertical = AxisFilter(deadBand: 0.05)
    private var course: Double?
    /// The vertical speeds between the points of the last ``descentWindow`` seconds.
    private var rates: [TimedValue] = []
    private var medians: [Double] = []

    /// The unfiltered motion between the last two points; nil if they are too far apart in time.
    private(set) var raw: Motion?

    /// Nil before the first usable pair of points.
    var smoothed: Motion? {
        guard let horizontalSpeed = horizontal.value, let verticalSpeed = vertical.value else { return nil }
        return Motion(
            horizontalSpeed: horizontalSpeed, courseDegrees: horizontalSpeed > 0 ? course : nil,
            verticalSpeed: verticalSpeed)
    }

    /// The descent rate that a landing prediction should use, m/s, negative; nil while the sonde doesn't descend.
    var adjustedDescentRate: Double? {
        guard !medians.isEmpty else { return nil }
        let mean = medians.reduce(0, +) / Double(medians.count)
        return mean < 0 ? mean : nil
    }

    init() {}

    /// Starts again from the newest points of a track, for example after a gap was filled.
    init(_ points: some Sequence<TrackPoint>) {
        for point in points { add(point) }
    }

    /// Adds the track's next point.
    mutating func add(_ point: TrackPoint) {
        defer { last = point }
        raw = nil
        guard let last, let motion = Motion(from: last, to: point) else { return }
        raw = motion
        if motion.horizontalSpeed > 0 { course = motion.courseDegrees }
        let weight = 1 - Double.exp(-point.time.seconds(since: last.time) / Self.timeConstant)
        horizontal.add(TimedValue(time: point.time, value: motion.horizontalSpeed), weight: weight)
        vertical.add(TimedValue(time: point.time, value: motion.verticalSpeed), weight: weight)
        observeDescent(TimedValue(time: point.time, value: motion.verticalSpeed))
    }

    private mutating func observeDescent(_ rate: TimedValue) {
        let outdated = rates.prefix { rate.time.seconds(since: $0.time) > Self.descentWindow }.count
        rates.removeFirst(outdated)
        rates.append(rate)
        guard let smoothed = vertical.value, smoothed < 0 else { return medians = [] }
        medians.append(rates.map(\.value).median)
        if medians.count > Self.descentMedians { medians.removeFirst() }
    }
}

/// A measured value and when it was measured.
struct TimedValue: Equatable, Sendable {
    var time: WallTime
    var value: Double
}

/// One component of the motion: Hampel filter, dead band, exponential average.
private struct AxisFilter: Equatable, Sendable {
    /// The fewest values that can show an outlier, and the most that the window holds.
    private static let window = 5...10
    /// Values older than this are not compared with the newest. With a point every 30 s they would say nothing about
    /// it.
    private static let windowSeconds = 30.0
    /// A value further from the median than this many standard deviations is an outlier.
    private static let deviations = 3.0
    /// The standard deviation of a normal distribution, divided by its median absolute deviation.
    private static let normalMAD = 1.4826

    let deadBand: Double
    private var values: [TimedValue] = []
    private(set) var value: Double?

    init(deadBand: Double) {
        self.deadBand = deadBand
    }

    mutating func add(_ raw: TimedValue, weight: Double) {
        values.append(raw)
        let outdated = values.prefix { raw.time.seconds(since: $0.time) > Self.windowSeconds }.count
        values.removeFirst(max(outdated, values.count - Self.window.upperBound))
        let plausible = values.count < Self.window.lowerBound ? raw.value : Self.hampel(values.map(\.value), raw.value)
        let calm = abs(plausible) < deadBand ? 0 : plausible
        value = value.map { $0 + weight * (calm - $0) } ?? calm
    }

    private static func hampel(_ values: [Double], _ raw: Double) -> Double {
        let median = values.median
        let spread = values.map { abs($0 - median) }.median * normalMAD
        return abs(raw - median) > deviations * spread ? median : raw
    }
}

extension [Double] {
    /// The middle value, or the mean of the two middle ones; 0 if empty.
    public var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
