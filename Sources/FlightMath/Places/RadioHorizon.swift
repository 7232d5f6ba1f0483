import RealModule

/// How far from a sonde a car can hear it, in each direction. Behind a hill there may be places with sight again. So
/// the distance is used that best separates the places with sight from those without.
public struct RadioHorizon: Equatable, Sendable {
    private static let directions = 72
    private static let places = 256
    /// Hills beyond this distance are not looked at, metres. A sonde that is heard so far away is so high that they
    /// hide little of it.
    private static let farMetres = 200_000.0

    public let sonde: Coordinate
    /// Above sea level.
    public let sondeMetres: Double
    /// The lines to all directions, clockwise from north.
    public let lines: [GroundLine]
    /// How far the sonde is heard over the sea, metres.
    private let rangeMetres: Double

    public init(of sonde: Coordinate, at sondeMetres: Double) {
        (self.sonde, self.sondeMetres) = (sonde, sondeMetres)
        let range = RadioWave.horizonMetres(from: sondeMetres)
        rangeMetres = range
        lines = (0..<Self.directions).map { direction in
            GroundLine(
                from: sonde, bearingDegrees: 360 * Double(direction) / Double(Self.directions),
                metres: min(Self.farMetres, range), count: Self.places)
        }
    }

    /// The largest distance at which a receiver can hear a sonde, with no hill between them, metres.
    /// - Parameter receiverMetres: of the receiver's ground, above sea level.
    public static func reachMetres(sondeMetres: Double, receiverMetres: Double) -> Double {
        RadioWave.horizonMetres(from: sondeMetres) + RadioWave.horizonMetres(from: receiverMetres)
    }

    /// The ring's corners, clockwise from north.
    /// - Parameter heights: of the ground at the places of ``lines``, above sea level; nil where it is unknown.
    /// - Returns: nil if no height is known.
    public func ring(over heights: [[Double?]]) -> [Coordinate]? {
        guard heights.count == lines.count, heights.contains(where: { $0.contains { $0 != nil } }) else { return nil }
        return zip(lines, heights).map { line, heights in
            let angle = line.bearingDegrees * Coordinate.radians
            let reach = reach(along: line, over: heights)
            return sonde.moved(east: reach * Double.sin(angle), north: reach * Double.cos(angle))
        }
    }

    private func reach(along line: GroundLine, over heights: [Double?]) -> Double {
        // Where the height is unknown, the last known height counts; before the first known one, sea level.
        var ground = heights.first.flatMap { $0 } ?? 0
        let eye = max(sondeMetres, ground + 1)
        var (highest, score, best, last) = (-Double.infinity, 0, 0, 0)
        for (index, height) in heights.enumerated().dropFirst() {
            ground = height ?? ground
            let distance = line.stepMetres * Double(index)
            let curve = distance / (2 * RadioWave.earthMetres)
            score += (ground + RadioWave.antennaMetres - eye) / distance - curve >= highest ? 1 : -1
            if score >= best { (best, last) = (score, index) }
            highest = max(highest, (ground - eye) / distance - curve)
        }
        return last == line.count - 1 ? rangeMetres : line.stepMetres * Double(last)
    }
}
