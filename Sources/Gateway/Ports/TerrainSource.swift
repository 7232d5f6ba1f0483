public import FlightMath

/// The heights of the ground from files that the crew brings.
public protocol TerrainSource: Sendable {
    /// The heights around a place, an eighth of a degree to each side: 14 km to the north and to the south.
    func terrain(around place: Coordinate) async -> TerrainAnswer
    /// The heights along lines.
    func heights(along lines: [GroundLine]) async -> TerrainAnswer
}

/// The heights around a place, or along lines.
public struct TerrainAnswer: Equatable, Sendable {
    /// Nil if no file has this place, and for lines.
    public var patch: TerrainPatch?
    /// The heights at the places of each line, metres above sea level; ``TerrainPatch/void`` where they are unknown.
    /// Empty without a folder of heights.
    public var lines: [[Int16]]
    /// A sentence for each file that was refused.
    public var problems: [String]

    public init(patch: TerrainPatch? = nil, lines: [[Int16]] = [], problems: [String] = []) {
        self.patch = patch
        self.lines = lines
        self.problems = problems
    }
}
