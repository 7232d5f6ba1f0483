import RealModule

/// The bearings on a plane around the last one's place, and how well a point agrees with them.
struct BearingPlane {
    /// A place or an offset, metres.
    struct Point: Equatable {
        var east: Double
        var north: Double

        static func + (left: Point, right: Point) -> Point {
            Point(east: left.east + right.east, north: left.north + right.north)
        }

        var squared: Double { east * east + north * north }

        func squaredWay(to other: Point) -> Double {
            Point(east: other.east - east, north: other.north - north).squared
        }
    }

    /// A bearing on the plane.
    struct Line {
        var start: Point
        /// Radians, clockwise from north.
        var direction: Double
        /// The standard deviation, radians.
        var error: Double
        /// The number of the place from which it was taken. Those of one place have the same.
        var place: Int

        /// The point at this distance along the line.
        func point(at metres: Double) -> Point {
            start + Point(east: metres * Double.sin(direction), north: metres * Double.cos(direction))
        }

        /// By how many standard deviations the bearing misses the point.
        func miss(_ point: Point) -> Double {
            let way = Point(east: point.east - start.east, north: point.north - start.north)
            return (Double.atan2(y: way.east, x: way.north) - direction).remainder(dividingBy: 2 * .pi) / error
        }
    }

    let origin: Coordinate
    let lines: [Line]
    /// The way from the last place but one to the last, metres.
    private let stepMetres: Double
    /// The way from the farthest place to the last, metres.
    private let wayMetres: Double
    private static let shortestStep = 100.0
    /// The step of a crew that has not moved.
    private static let unknownStep = 1000.0
    /// Bearings taken within this distance of the first of them, metres, are from one place.
    private static let samePlace = 50.0
    private let placeCount: Int

    init(_ bearings: [Bearing], around origin: Coordinate) {
        self.origin = origin
        var places: [Point] = []
        lines = bearings.map { bearing in
            let offset = origin.offsetMetres(to: bearing.place)
            let start = Point(east: offset.east, north: offset.north)
            let place = places.firstIndex { start.squaredWay(to: $0) <= Self.samePlace * Self.samePlace }
            if place == nil { places.append(start) }
            return Line(
                start: start, direction: bearing.degrees * Coordinate.radians,
                error: bearing.errorDegrees * Coordinate.radians, place: place ?? places.count - 1)
        }
        placeCount = places.count
        let ways = lines.reversed().lazy.map { $0.start.squared.squareRoot() }
        stepMetres = max(Self.shortestStep, ways.first { $0 >= Self.samePlace } ?? Self.unknownStep)
        wayMetres = max(stepMetres, ways.max() ?? 0)
    }

    /// How likely a place is before the bearings are looked at, by its distance from the last observer.
    /// - Parameter doubt: 0 ... 1: how likely it is that the crew's last step says nothing of the distance. Then its whole
    ///   way is the measure.
    func expectation(of point: Point, doubt: Double) -> Double {
        (1 - doubt) * Self.density(of: point, scale: stepMetres) + doubt * Self.density(of: point, scale: wayMetres)
    }

    private static func density(of point: Point, scale: Double) -> Double {
        let far = 1 + point.squared / (scale * scale)
        return 1 / (far * far.squareRoot() * scale * scale)
    }

    func coordinate(of point: Point) -> Coordinate { origin.moved(east: point.east, north: point.north) }

    /// Chooses the lines that may count.
    /// - Parameters:
    ///   - order: the lines, the most important first.
    ///   - most: the most lines from one place, and in all.
    func chosen(in order: [Int], most: (perPlace: Int, inAll: Int)) -> [Bool] {
        var chosen = [Bool](repeating: false, count: lines.count)
        var (counts, count) = ([Int](repeating: 0, count: placeCount), 0)
        for index in order where count < most.inAll && counts[lines[index].place] < most.perPlace {
            chosen[index] = true
            counts[lines[index].place] += 1
            count += 1
        }
        return chosen
    }

    /// The weight of each line, 0 if it does not count. What bends the signal on its way to a place bends all bearings
    /// from there, so they weigh together as the most exact of them: repeats make nothing surer.
    func weights(_ counts: [Bool]) -> [Double] {
        var best = [Double](repeating: 0, count: placeCount)
        var sum = best
        for (line, isCounted) in zip(lines, counts) where isCounted {
            let precision = 1 / (line.error * line.error)
            best[line.place] = max(best[line.place], precision)
            sum[line.place] += precision
        }
        return zip(lines, counts).map { line, isCounted in isCounted ? best[line.place] / sum[line.place] : 0 }
    }

    /// Half the sum of the squared misses by their weights.
    func cost(of point: Point, _ weights: [Double]) -> Double {
        var sum = 0.0
        for (line, weight) in zip(lines, weights) where weight > 0 {
            let miss = line.miss(point)
            sum += weight * miss * miss
        }
        return sum / 2
    }

    /// The same, in which no line counts for more than an outlier at its limit. So one wrong bearing can't hide the
    /// place where all others cross.
    func robustCost(of point: Point, _ weights: [Double], limit: Double) -> Double {
        var sum = 0.0
        for (line, weight) in zip(lines, weights) where weight > 0 {
            let miss = line.miss(point)
            sum += weight * min(miss * miss, limit * limit)
        }
        return sum / 2
    }

    /// Where two lines cross in front of both observers; nil if they do not.
    static func crossing(_ first: Line, _ second: Line) -> Point? {
        let sine = Double.sin(second.direction - first.direction)
        guard abs(sine) > 1e-6 else { return nil }
        let (east, north) = (second.start.east - first.start.east, second.start.north - first.start.north)
        let along = (east * Double.cos(second.direction) - north * Double.sin(second.direction)) / -sine
        let alongSecond = (east * Double.cos(first.direction) - north * Double.sin(first.direction)) / -sine
        guard along > 0, alongSecond > 0 else { return nil }
        return first.point(at: along)
    }
}
