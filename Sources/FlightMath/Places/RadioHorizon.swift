import RealModule

/// From how far a car hears a sonde, in each direction. Behind a hill there may be places with sight again: the distance
/// that parts the places with sight best from those without counts.
public struct RadioHorizon: Equatable, Sendable {
    private static let directions = 72
    private static let places = 256
    /// Hills beyond this distance hide little of a sonde that is so high that it is heard there, metres.
    private static let farMetres = 200_000.0

    public let sonde: Coordinate
    /// Above sea level.
    public let sondeMetres: Double
    /// The lines to all directions, clockwise from north.
    public let lines: [GroundLine]
    /// Over the sea, metres.
    private let rangeMetres: Double

    public init(of sonde: Coordinate, at sondeMetres: Double) {
        (self.sonde, self.sondeMetres) = (sonde, sondeMetres)
        let range = (2 * RadioWave.earthMetres * max(1, sondeMetres)).squareRoot()
        rangeMetres = range
        lines = (0..<Self.directions).map { direction in
            GroundLine(
                from: sonde, bearingDegrees: 360 * Double(direction) / Double(Self.directions),
                metres: min(Self.farMetres, range), count: Self.places)
        }
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
        // The ground is as high as it was last known; the sea until then.
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
