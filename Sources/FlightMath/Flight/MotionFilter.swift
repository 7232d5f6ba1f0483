import RealModule
import ReceiverProtocol

/// How the sonde moves, from its track and not from what it reports.
public struct Motion: Equatable, Sendable {
    /// m/s over ground.
    public var horizontalSpeed: Double
    /// Degrees clockwise from true north; nil while it stands still.
    public var courseDegrees: Double?
    /// m/s, positive up.
    public var verticalSpeed: Double

    static let atRest = Motion(horizontalSpeed: 0, courseDegrees: nil, verticalSpeed: 0)
}

extension Motion {
    /// Between two points; nil when they are too far apart in time, or the later is none.
    public init?(from earlier: TrackPoint, to later: TrackPoint) {
        let step = later.time.seconds(since: earlier.time)
        guard step > 0, step <= MotionFilter.longestStep else { return nil }
        self.init(
            horizontalSpeed: earlier.coordinate.distanceMetres(to: later.coordinate) / step,
            courseDegrees: earlier.coordinate.bearingDegrees(to: later.coordinate),
            verticalSpeed: (later.altitudeMetres - earlier.altitudeMetres) / step)
    }
}

/// Motion out of consecutive gated points: outliers removed, noise around zero cut, then averaged.
struct MotionFilter: Equatable, Sendable {
    /// Points further apart than this say nothing of the motion between them, seconds.
    static let longestStep = 60.0
    private static let timeConstant = 10.0
    private static let descentWindow = 60.0
    private static let descentMedians = 20

    private var last: TrackPoint?
    private var horizontal = AxisFilter(deadBand: 0.2)
    private var vertical = AxisFilter(deadBand: 0.05)
    private var course: Double?
    /// Vertical rates between the points of the last ``descentWindow`` seconds.
    private var rates: [TimedValue] = []
    private var medians: [Double] = []

    /// Between the last two points, unfiltered; nil when they say nothing.
    private(set) var raw: Motion?

    /// Nil before the first usable pair of points.
    var smoothed: Motion? {
        guard let horizontalSpeed = horizontal.value, let verticalSpeed = vertical.value else { return nil }
        return Motion(
            horizontalSpeed: horizontalSpeed, courseDegrees: horizontalSpeed > 0 ? course : nil,
            verticalSpeed: verticalSpeed)
    }

    /// The descent rate that a landing prediction should use, m/s, negative; nil while it doesn't descend.
    var adjustedDescentRate: Double? {
        guard !medians.isEmpty else { return nil }
        let mean = medians.reduce(0, +) / Double(medians.count)
        return mean < 0 ? mean : nil
    }

    init() {}

    /// Takes the newest points of a track, as after a gap was filled.
    init(_ points: some Sequence<TrackPoint>) {
        for point in points { add(point) }
    }

    /// Takes the track's next point.
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
    /// Values that a window takes at most, and needs at least to call one of them an outlier.
    private static let window = 5...10
    /// At a point every half minute older values are no measure of this one.
    private static let windowSeconds = 30.0
    /// An outlier is further from the median than this many standard deviations.
    private static let deviations = 3.0
    /// The median absolute deviation of a normal distribution, as its standard deviation.
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
    /// The middle value, or the mean of the two in the middle; zero of nothing.
    public var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
