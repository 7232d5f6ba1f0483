import RealModule

/// The towns and villages around the landing point. It finds the words for a place: its town, and the town to drive
/// towards.
public struct TownsAround: Equatable, Sendable {
    /// Farther from any town, a place has none.
    static let farthestMetres = 30_000.0
    /// How much a larger town counts as nearer. With 0.15, one of 16 000 people counts like a village of 500 at six
    /// tenths of its distance.
    private static let weight = 0.15
    /// The town to drive towards is at a distance of the landing point's times these.
    private static let reach = 0.6...1.3
    /// Whoever is nearer than this to the landing point needs no town on the way.
    private static let nearMetres = 5000.0

    private struct Found: Equatable, Sendable {
        var place: Coordinate
        var town: NearbyTown?
    }

    /// The largest first.
    private let towns: [NamedPlace]
    /// The last answer of ``town(near:)``: the landing point is asked for each second, and moves seldom.
    private var lastFound: Found?

    public init(_ towns: [NamedPlace] = []) {
        self.towns = towns.sorted { $0.people > $1.people }
    }

    /// The town whose name tells best where a place is; nil far from any.
    public mutating func town(near place: Coordinate) -> NearbyTown? {
        if let lastFound, lastFound.place == place { return lastFound.town }
        let ways = towns.map { (town: $0, way: Geodesic(from: $0.coordinate, to: place)) }
        let best = ways.filter { $0.way.metres <= Self.farthestMetres }
            .min { Self.rank($0.town, $0.way.metres) < Self.rank($1.town, $1.way.metres) }
        let found = best.map {
            NearbyTown(name: $0.town.name, metres: $0.way.metres, bearingDegrees: $0.way.bearingDegrees)
        }
        lastFound = Found(place: place, town: found)
        return found
    }

    private static func rank(_ town: NamedPlace, _ metres: Double) -> Double {
        metres / .pow(Double(max(1, town.people)), weight)
    }

    /// The largest town in the sector in which a circle around the landing point is seen from the car; nil if there is
    /// none, and if the car is near or inside the circle.
    /// - Parameter radiusMetres: of the circle that holds half of the real landings.
    public func town(towards landing: Coordinate, radiusMetres: Double, from car: Coordinate) -> String? {
        let way = Geodesic(from: car, to: landing)
        guard way.metres > max(radiusMetres, Self.nearMetres) else { return nil }
        let half = Double.asin(radiusMetres / way.metres) / Coordinate.radians
        let town = towns.first { town in
            let there = Geodesic(from: car, to: town.coordinate)
            let turned = abs((there.bearingDegrees - way.bearingDegrees).remainder(dividingBy: 360))
            return turned <= half && Self.reach.contains(there.metres / way.metres)
        }
        return town?.name
    }
}
