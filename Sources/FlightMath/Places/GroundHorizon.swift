import RealModule

/// How high the ground's horizon stands around an antenna, by direction. A sonde below it is behind a hill.
public struct GroundHorizon: Equatable, Sendable {
    /// Hills beyond this distance are not looked at, metres: at 100 km the highest of the Alps rise by 2°.
    private static let farMetres = 100_000.0
    private static let places = 512

    /// The lines to all directions, clockwise from north.
    public let lines: [GroundLine]

    /// - Parameter directions: their number.
    public init(around place: Coordinate, directions: Int) {
        lines = (0..<directions).map { direction in
            GroundLine(
                from: place, bearingDegrees: 360 * Double(direction) / Double(directions), metres: Self.farMetres,
                count: Self.places)
        }
    }

    /// The elevation angle of the horizon for each line, degrees. It is negative where the ground falls away.
    ///
    /// Nil where the ground at the antenna, or more than half of the ground along the line, is unknown.
    /// - Parameter heights: of the ground at the places of ``lines``, above sea level; nil where it is unknown.
    public func degrees(over heights: [[Double?]]) -> [Double?] {
        guard heights.count == lines.count else { return lines.map { _ in nil } }
        return zip(lines, heights).map { line, heights in
            guard let ground = heights.first.flatMap({ $0 }), 2 * heights.count(where: { $0 != nil }) >= line.count
            else { return nil }
            let eye = ground + RadioWave.antennaMetres
            let slopes = heights.enumerated().dropFirst().compactMap { index, height in
                height.map { height in
                    let distance = line.stepMetres * Double(index)
                    return (height - eye) / distance - distance / (2 * RadioWave.earthMetres)
                }
            }
            return slopes.max().map { Double.atan($0) / Coordinate.radians }
        }
    }
}
