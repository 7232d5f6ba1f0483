/// The line from a car's antenna to a sonde: whether hills or the Earth's curve are in the way.
public struct SightLine: Equatable, Sendable {
    /// The heights of a model with 3 arc seconds are 90 m apart.
    private static let stepMetres = 90.0
    private static let mostPlaces = 2048.0
    /// A hole of the height model up to this length counts as high as its higher edge, metres.
    private static let longestHole = 1000.0

    private let car, sonde: Coordinate
    /// Above sea level; the car's is nil if it is unknown.
    private let carMetres: Double?
    private let sondeMetres: Double
    private let metres: Double
    /// The line from the car to the place beyond which no ground can be in the way.
    public let ground: GroundLine

    public init(from car: Coordinate, carMetres: Double?, to sonde: Coordinate, sondeMetres: Double) {
        (self.car, self.sonde, self.carMetres, self.sondeMetres) = (car, sonde, carMetres, sondeMetres)
        let way = Geodesic(from: car, to: sonde)
        let whole = max(1, way.metres)
        metres = whole
        // From `high` on the line is above all mountains.
        let parts = 64
        let low = carMetres ?? 0
        let high = (0...parts).first { part in
            let share = Double(part) / Double(parts)
            return low + (sondeMetres - low) * share - RadioWave.bulge(at: whole * share, of: whole)
                > RadioWave.highestGroundMetres
        }
        let reach = whole * Double(high ?? parts) / Double(parts)
        ground = GroundLine(
            from: car, bearingDegrees: way.bearingDegrees, metres: max(1, reach),
            count: reach.isFinite ? Int(min(Self.mostPlaces, reach / Self.stepMetres)) + 2 : 2)
    }

    /// Whether the car or the sonde is so far from its place in `other` that an answer for `other` is outdated.
    public func isFar(from other: SightLine) -> Bool {
        car.distanceMetres(to: other.car) >= 50 || sonde.distanceMetres(to: other.sonde) >= 100
            || abs(sondeMetres - other.sondeMetres) >= 50
    }

    /// - Parameter heights: of the ground at the places of ``ground``, above sea level; nil where it is unknown.
    /// - Returns: nil if the ground is unknown where it may be in the way.
    public func isClear(over heights: [Double?]) -> Bool? {
        guard heights.count == ground.count, heights.contains(where: { $0 != nil }) else { return nil }
        let heights = Self.filled(heights, mostPlaces: Int(Self.longestHole / ground.stepMetres))
        guard let low = heights[0].map({ $0 + RadioWave.antennaMetres }) ?? carMetres else { return nil }
        // The altitude of a landed sonde is unreliable, so take at least the ground there.
        let reachesSonde = ground.metres >= metres
        let high = max(
            sondeMetres, reachesSonde ? heights.last.flatMap { $0 }.map { $0 + 1 } ?? sondeMetres : sondeMetres)
        var isKnown = true
        for index in heights.indices.dropFirst().dropLast(reachesSonde ? 1 : 0) {
            let distance = ground.stepMetres * Double(index)
            let line = low + (high - low) * distance / metres - RadioWave.bulge(at: distance, of: metres)
            if let height = heights[index] {
                if height > line { return false }
            } else if line < RadioWave.highestGroundMetres {
                isKnown = false
            }
        }
        return isKnown ? true : nil
    }

    /// Short holes filled with the height of their higher edge.
    private static func filled(_ heights: [Double?], mostPlaces: Int) -> [Double?] {
        var filled = heights
        var edge: (index: Int, height: Double)?
        for (index, height) in heights.enumerated() {
            guard let height else { continue }
            if let edge, index - edge.index > 1, index - edge.index - 1 <= mostPlaces {
                for hole in edge.index + 1..<index { filled[hole] = max(edge.height, height) }
            }
            edge = (index, height)
        }
        return filled
    }
}
