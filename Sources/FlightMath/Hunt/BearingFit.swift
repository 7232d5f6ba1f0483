/// The least squares of the bearings' misses: Levenberg's and Marquardt's method in two unknowns.
enum BearingFit {
    private static let mostSteps = 50
    /// A shorter step changes nothing that a crew could see, metres.
    private static let smallestStep = 0.1
    /// The lines do not close in on a place nearer than this, metres.
    private static let farthest = 200_000.0

    /// - Parameter weights: of the lines.
    /// - Returns: nil if the lines are parallel.
    static func leastSquares(
        _ plane: BearingPlane, from start: BearingPlane.Point, _ weights: [Double]
    ) -> BearingPlane.Point? {
        var (point, cost) = (start, plane.cost(of: start, weights))
        var damping = 1e-3
        for _ in 0..<mostSteps {
            guard let step = step(plane, from: point, weights, damping) else { return nil }
            let next = point + step
            guard next.squared < farthest * farthest else { return nil }
            let nextCost = plane.cost(of: next, weights)
            guard nextCost < cost else {
                damping *= 10
                if step.squared < smallestStep * smallestStep { return point }
                continue
            }
            (point, cost, damping) = (next, nextCost, damping / 10)
            if step.squared < smallestStep * smallestStep { return point }
        }
        return point
    }

    private static func step(
        _ plane: BearingPlane, from point: BearingPlane.Point, _ weights: [Double], _ damping: Double
    ) -> BearingPlane.Point? {
        var (eastEast, eastNorth, northNorth, towardsEast, towardsNorth) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (line, weight) in zip(plane.lines, weights) where weight > 0 {
            let (east, north) = (point.east - line.start.east, point.north - line.start.north)
            // At the observer's own place the direction is undefined.
            let squared = max(1, east * east + north * north)
            let (slopeEast, slopeNorth) = (north / squared / line.error, -east / squared / line.error)
            let miss = line.miss(point)
            eastEast += weight * slopeEast * slopeEast
            eastNorth += weight * slopeEast * slopeNorth
            northNorth += weight * slopeNorth * slopeNorth
            towardsEast -= weight * slopeEast * miss
            towardsNorth -= weight * slopeNorth * miss
        }
        let added = damping * (eastEast + northNorth)
        (eastEast, northNorth) = (eastEast + added, northNorth + added)
        let determinant = eastEast * northNorth - eastNorth * eastNorth
        guard determinant > 0 else { return nil }
        return BearingPlane.Point(
            east: (northNorth * towardsEast - eastNorth * towardsNorth) / determinant,
            north: (eastEast * towardsNorth - eastNorth * towardsEast) / determinant)
    }
}
