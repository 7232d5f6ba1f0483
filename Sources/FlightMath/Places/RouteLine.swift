import RealModule

/// The line of a route, with as many points as a map needs.
public struct RouteLine: Equatable, Sendable {
    /// The points in order: at least one, at most ``limit``.
    public let points: [Coordinate]

    /// The most points of the thinned line.
    public static let limit = 2000
    /// A server's line of more points is rejected.
    public static let longest = 100_000
    /// How far the thinned line may be from the server's line, metres. It is doubled until the line has at most
    /// ``limit`` points.
    private static let tolerance = 1.0

    /// - Returns: nil if there is no point, if there are too many, or if one is out of range.
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

    /// Thins the line in one pass. After a kept point, the next kept point is the last one for which all points between
    /// lie within `tolerance` of the straight line. The sector holds the directions for which this is true.
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
        // Also keep the end of a line that returns to its start.
        if points.count > 1 { kept.append(last) }
        return kept
    }

    /// The directions from a kept point that pass all following points within the tolerance.
    private struct Sector {
        var middle: Double
        var left, right: Double
        /// The distance of the farthest of these points. A line that turns back leaves the sector, too.
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

    /// The distance of a place from the line, metres; exact to 1 % within some 100 km.
    /// - Parameter start: where the drive to the line's first point began. This piece belongs to the line.
    public func distanceMetres(to place: Coordinate, from start: Coordinate) -> Double {
        var nearest = Double.infinity
        var (fromEast, fromNorth) = place.offsetMetres(to: start)
        for point in points {
            let (toEast, toNorth) = place.offsetMetres(to: point)
            let (east, north) = (toEast - fromEast, toNorth - fromNorth)
            let square = east * east + north * north
            // The position of the nearest point on this piece: 0 at its beginning, 1 at its end.
            let along = square > 0 ? min(1, max(0, -(fromEast * east + fromNorth * north) / square)) : 0
            let (besideEast, besideNorth) = (fromEast + along * east, fromNorth + along * north)
            nearest = min(nearest, besideEast * besideEast + besideNorth * besideNorth)
            (fromEast, fromNorth) = (toEast, toNorth)
        }
        return nearest.squareRoot()
    }
}
