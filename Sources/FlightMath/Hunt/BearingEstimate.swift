import RealModule

/// Where a signal comes from, by the bearings that a crew took of it: the weighted least squares of their misses on a
/// plane. A bearing that misses the place by more than three standard deviations does not count. Those from one place
/// weigh together as one.
///
/// The radii are not those of a linear fit, which is too sure of itself when the lines hardly cross: they hold 50 % and
/// 90 % of the likelihood of all places around. They hold these parts of sondes that lie as the likelihood supposes,
/// somewhere around the last bearing. Of hunts that end close to the sonde they hold more, because nobody knows
/// beforehand that it is close.
public struct BearingEstimate: Equatable, Sendable {
    /// The area that holds 90 % of the likelihood. It is longer along the direction that most bearings have.
    public struct Ellipse: Equatable, Sendable {
        public var semiMajorMetres: Double
        public var semiMinorMetres: Double
        /// The direction of the longer axis, clockwise from true north, 0 ..< 180.
        public var bearingDegrees: Double
    }

    public var coordinate: Coordinate
    public var radius50Metres: Double
    public var radius90Metres: Double
    public var ellipse: Ellipse
    /// For each bearing whether it counts.
    public var isUsed: [Bool]

    /// The number of bearings that count.
    public var count: Int { isUsed.count { $0 } }

    /// Fewer bearings give no estimate.
    static let fewest = 3
    /// Lines that cross at a smaller angle show a direction, but no distance.
    static let smallestCrossingDegrees = 20.0
    /// A bearing that misses by more standard deviations does not count.
    static let outlier = 3.0
    /// A plane is exact enough up to this distance from the last bearing; bearings from farther away do not count.
    private static let farthestMetres = 100_000.0
    /// More bearings do not count, so that an estimate takes a few milliseconds: the newest of each place, a person's
    /// before those of a direction finder, which also sends them while it stands.
    static let most = (perPlace: 5, inAll: 60)
    private static let mostRounds = 4
    private static let refinements = 2

    /// - Parameter bearings: in the order in which they were taken.
    /// - Returns: nil if fewer than three bearings agree, or if their lines hardly cross.
    public init?(_ bearings: [Bearing]) {
        guard let last = bearings.last else { return nil }
        let isNear = bearings.map { $0.place.distanceMetres(to: last.place) <= Self.farthestMetres }
        let near = zip(bearings, isNear).filter(\.1).map(\.0)
        let plane = BearingPlane(near, around: last.place)
        let newest = Array(near.indices.reversed())
        let order = newest.filter { !near[$0].isByFinder } + newest.filter { near[$0].isByFinder }
        let chosen = plane.chosen(in: order, most: Self.most)
        guard Self.agree(plane.lines, chosen), let found = Self.place(on: plane, chosen),
            Self.agree(plane.lines, found.counts)
        else { return nil }
        let weights = plane.weights(found.counts)
        let likelihood = BearingLikelihood(plane, around: found.point, weights, doubt: BearingLikelihood.doubt)
        coordinate = plane.coordinate(of: found.point)
        radius90Metres = likelihood.radius(of: 0.9)
        // The doubt is about places far away, which the smaller radius does not reach.
        let undoubted = BearingLikelihood(plane, around: found.point, weights)
        radius50Metres = min(undoubted.radius(of: 0.5), radius90Metres)
        ellipse = likelihood.ellipse(of: 0.9)
        var next = found.counts.makeIterator()
        isUsed = isNear.map { $0 ? next.next() ?? false : false }
    }

    /// The place, and which lines count: first by least squares, then by the likelihood around. At an observer's own place
    /// any bearing fits, so the least squares alone often end there.
    private static func place(
        on plane: BearingPlane, _ chosen: [Bool]
    ) -> (point: BearingPlane.Point, counts: [Bool])? {
        guard var point = start(on: plane, chosen) else { return nil }
        func judge() -> [Bool] { zip(plane.lines, chosen).map { $1 && abs($0.miss(point)) <= outlier } }
        var counts = judge()
        for _ in 0..<mostRounds {
            guard counts.count(where: { $0 }) >= fewest else { return nil }
            let weights = plane.weights(counts)
            point = BearingFit.leastSquares(plane, from: point, weights) ?? point
            for _ in 0..<refinements { point = point + BearingLikelihood(plane, around: point, weights).median }
            let judged = judge()
            if judged == counts { break }
            counts = judged
        }
        return (point, counts)
    }

    /// Whether enough lines count, and two of them from different places cross at a wide enough angle.
    private static func agree(_ all: [BearingPlane.Line], _ counts: [Bool]) -> Bool {
        let lines = zip(all, counts).filter(\.1).map(\.0)
        guard lines.count >= fewest else { return false }
        let smallest = smallestCrossingDegrees * Coordinate.radians
        for (index, first) in lines.enumerated() {
            for second in lines.dropFirst(index + 1) {
                let angle = abs((second.direction - first.direction).remainder(dividingBy: .pi))
                if angle >= smallest, first.place != second.place { return true }
            }
        }
        return false
    }

    /// The best of the places where two lines cross and of places along each line: the sum has several minima.
    private static func start(on plane: BearingPlane, _ chosen: [Bool]) -> BearingPlane.Point? {
        let all = zip(plane.lines, chosen).filter(\.1).map(\.0)
        // More lines find no better start.
        let step = max(1, all.count / 30)
        let lines = all.indices.reversed().filter { (all.count - 1 - $0) % step == 0 }.map { all[$0] }
        let weights = plane.weights(chosen)
        var candidates: [BearingPlane.Point] = []
        for (index, first) in lines.enumerated() {
            candidates += stride(from: 5.0, through: 15.0, by: 1).map { first.point(at: Double.exp2($0)) }
            candidates += lines.dropFirst(index + 1).compactMap { BearingPlane.crossing(first, $0) }
        }
        let farthest = farthestMetres * farthestMetres
        return candidates.filter { $0.squared <= farthest }
            .map { (point: $0, cost: plane.robustCost(of: $0, weights, limit: outlier)) }
            .min { $0.cost < $1.cost }?.point
    }
}
