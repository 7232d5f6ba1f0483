import RealModule

/// A route's course, thinned to what a map needs.
public struct RouteLine: Equatable, Sendable {
    /// In order; at least one, at most ``limit``.
    public let points: [Coordinate]

    /// A longer one is thinned.
    public static let limit = 2000
    /// A server's line of more points than this is none.
    public static let longest = 100_000
    /// How far a thinned line may lie beside the road, metres; doubled until the line is short enough.
    private static let tolerance = 1.0

    /// - Returns: nil for no points, too many, or one that is not of this Earth.
    public init?(_ points: [Coordinate]) {
        guard let first = points.first, points.count <= Self.longest,
            points.allSatisfy({ abs($0.latitude) <= 90 && abs($0.longitude) <= 180 })
        else { return nil }
        var tolerance = Self.tolerance
        var kept = Self.thinned(points, from: first, tolerance: tolerance)
        while kept.count > Self.limit {
            tolerance *= 2
            kept = Self.thinned(kept, from: first, tolerance: tolerance)
        }
        self.points = kept
    }

    /// One pass: from a point that is kept, the next is the last one from which all between lie within `tolerance` of
    /// the straight line. That holds while there is a direction that passes each of them at that distance.
    private static func thinned(_ points: [Coordinate], from first: Coordinate, tolerance: Double) -> [Coordinate] {
        var kept = [first]
        var anchor = first
        var sector: Sector?
        var last = first
        for point in points.dropFirst() {
            let (east, north) = anchor.offsetMetres(to: point)
            let metres = (east * east + north * north).squareRoot()
            let isNear = metres <= tolerance
            let direction = Double.atan2(y: east, x: north)
            if let open = sector, !isNear, !open.contains(direction) || metres < open.metres {
                kept.append(last)
                anchor = last
                let (east, north) = anchor.offsetMetres(to: point)
                sector = Sector(east: east, north: north, tolerance: tolerance)
            } else if !isNear {
                let next = Sector(east: east, north: north, tolerance: tolerance)
                sector = sector.map { $0.narrowed(by: next) } ?? next
            }
            last = point
        }
        // A line that ends where it began has two points all the same.
        if points.count > 1 { kept.append(last) }
        return kept
    }

    /// The directions from a point that pass all that follow closely.
    private struct Sector {
        var middle: Double
        var left, right: Double
        /// How far the farthest of them is: a line that turns back leaves the sector, too.
        var metres: Double

        init?(east: Double, north: Double, tolerance: Double) {
            metres = (east * east + north * north).squareRoot()
            guard metres > tolerance else { return nil }
            middle = Double.atan2(y: east, x: north)
            right = Double.asin(tolerance / metres)
            left = -right
        }

        func contains(_ direction: Double) -> Bool {
            let turn = (direction - middle).remainder(dividingBy: 2 * .pi)
            return turn >= left && turn <= right
        }

        func narrowed(by other: Sector?) -> Sector {
            guard let other else { return self }
            let turn = (other.middle - middle).remainder(dividingBy: 2 * .pi)
            var sector = self
            sector.left = max(left, turn + other.left)
            sector.right = min(right, turn + other.right)
            sector.metres = max(metres, other.metres)
            return sector
        }
    }

    /// How far a place is from the line, metres; right to 1 % within some 100 km.
    /// - Parameter start: where the way to the line's first point began.
    public func distanceMetres(to place: Coordinate, from start: Coordinate) -> Double {
        var nearest = Double.infinity
        var (fromEast, fromNorth) = place.offsetMetres(to: start)
        for point in points {
            let (toEast, toNorth) = place.offsetMetres(to: point)
            let (east, north) = (toEast - fromEast, toNorth - fromNorth)
            let square = east * east + north * north
            // Where on the piece the nearest point lies, 0 at its beginning and 1 at its end.
            let along = square > 0 ? min(1, max(0, -(fromEast * east + fromNorth * north) / square)) : 0
            let (besideEast, besideNorth) = (fromEast + along * east, fromNorth + along * north)
            nearest = min(nearest, besideEast * besideEast + besideNorth * besideNorth)
            (fromEast, fromNorth) = (toEast, toNorth)
        }
        return nearest.squareRoot()
    }
}
