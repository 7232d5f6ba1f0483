/// The heights of the ground in an area, from a height model: a grid of equal steps in latitude and longitude.
public struct TerrainPatch: Equatable, Sendable {
    /// The height that means "unknown".
    public static let void = Int16.min

    /// A height with less weight is ignored: the place lies on the line between the other heights.
    private static let leastWeight = 1e-6

    /// The place of the first height.
    public let southWest: Coordinate
    /// The angle between two neighbouring heights.
    public let stepDegrees: Double
    /// The number of heights from west to east.
    public let columns: Int
    /// Metres above sea level, row by row from south to north.
    public let heights: [Int16]

    /// - Returns: nil unless there are at least two whole rows and two columns.
    public init?(southWest: Coordinate, stepDegrees: Double, columns: Int, heights: [Int16]) {
        guard columns >= 2, heights.count >= 2 * columns, heights.count.isMultiple(of: columns), stepDegrees > 0 else {
            return nil
        }
        self.southWest = southWest
        self.stepDegrees = stepDegrees
        self.columns = columns
        self.heights = heights
    }

    private var rows: Int { heights.count / columns }

    /// The height at a place, metres above sea level, interpolated between the four heights around it. Nil outside the
    /// area, if one of the four is unknown, and at sea, where all four are 0.
    public func heightMetres(at place: Coordinate) -> Double? {
        let (north, east) = self.place(of: place)
        guard north >= 0, east >= 0, north <= Double(rows - 1), east <= Double(columns - 1) else { return nil }
        let (row, column) = (min(rows - 2, Int(north)), min(columns - 2, Int(east)))
        let (up, right) = (north - Double(row), east - Double(column))
        let first = row * columns + column
        let corners = [
            (heights[first], (1 - up) * (1 - right)), (heights[first + 1], (1 - up) * right),
            (heights[first + columns], up * (1 - right)), (heights[first + columns + 1], up * right),
        ].filter { $0.1 > Self.leastWeight }
        guard corners.contains(where: { $0.0 != 0 }), !corners.contains(where: { $0.0 == Self.void }) else {
            return nil
        }
        return corners.reduce(0) { $0 + Double($1.0) * $1.1 }
    }

    /// Whether a place lies inside, at least this far from the edge.
    public func covers(_ place: Coordinate, marginDegrees: Double) -> Bool {
        let (north, east) = self.place(of: place)
        let margin = marginDegrees / stepDegrees
        return north >= margin && east >= margin && north <= Double(rows - 1) - margin
            && east <= Double(columns - 1) - margin
    }

    /// The position in steps from the south-western corner.
    private func place(of place: Coordinate) -> (north: Double, east: Double) {
        let turn = (place.longitude - southWest.longitude).remainder(dividingBy: 360)
        return ((place.latitude - southWest.latitude) / stepDegrees, turn / stepDegrees)
    }
}
