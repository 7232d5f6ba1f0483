/// A town or village.
public struct NamedPlace: Equatable, Sendable {
    public var name: String
    public var coordinate: Coordinate
    public var people: Int

    public init(name: String, coordinate: Coordinate, people: Int) {
        self.name = name
        self.coordinate = coordinate
        self.people = people
    }
}

/// A town, and how a place lies from it: "2 km north of Grenchen".
public struct NearbyTown: Equatable, Sendable {
    public var name: String
    /// From the town's middle to the place.
    public var metres: Double
    /// From the town to the place, degrees clockwise from true north.
    public var bearingDegrees: Double

    public init(name: String, metres: Double, bearingDegrees: Double) {
        self.name = name
        self.metres = metres
        self.bearingDegrees = bearingDegrees
    }
}
