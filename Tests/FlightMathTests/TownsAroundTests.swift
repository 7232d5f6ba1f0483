import Testing

@testable import FlightMath

/// The words for a place: its town, and the town to drive towards.
@Suite struct TownsAroundTests {
    private static let grenchen = NamedPlace(
        name: "Grenchen", coordinate: Coordinate(latitude: 47.192, longitude: 7.396), people: 16_000)
    private static let bettlach = NamedPlace(
        name: "Bettlach", coordinate: Coordinate(latitude: 47.201, longitude: 7.424), people: 4900)
    private static let romont = NamedPlace(
        name: "Romont", coordinate: Coordinate(latitude: 47.187, longitude: 7.343), people: 500)
    private static let bern = NamedPlace(
        name: "Bern", coordinate: Coordinate(latitude: 46.948, longitude: 7.447), people: 134_000)
    private static let solothurn = NamedPlace(
        name: "Solothurn", coordinate: Coordinate(latitude: 47.209, longitude: 7.532), people: 16_800)
    private static let all = [romont, bettlach, grenchen, bern]

    /// The place, its town's name, how far, in which direction.
    @Test(
        arguments: [
            (Coordinate(latitude: 47.210, longitude: 7.396), "Grenchen", 2000, 0),
            // A large town counts as nearer than a village.
            (Coordinate(latitude: 47.190, longitude: 7.366), "Grenchen", 2280, 264),
            (Coordinate(latitude: 47.187, longitude: 7.345), "Romont", 150, 90),
            (Coordinate(latitude: 46.8, longitude: 7.447), "Bern", 16450, 180),
            (Coordinate(latitude: 46.5, longitude: 7.447), nil, 0, 0),
        ] as [(Coordinate, String?, Double, Double)])
    func aPlaceHasATown(_ place: Coordinate, _ name: String?, _ metres: Double, _ degrees: Double) {
        var towns = TownsAround(Self.all)
        let found = towns.town(near: place)
        #expect(found?.name == name)
        guard let found else { return }
        #expect(abs(found.metres - metres) < 60, "\(found)")
        #expect(abs((found.bearingDegrees - degrees).remainder(dividingBy: 360)) < 3, "\(found)")
        // The second answer is the same, and another place has another.
        #expect(towns.town(near: place) == found)
        #expect(towns.town(near: Self.bern.coordinate)?.name == "Bern")
    }

    /// The landing point's distance to the car and its radius decide about the sector. South of Grenchen, metres from
    /// the car, the radius, the town.
    @Test(
        arguments: [
            (40_000, 15_000, "Solothurn"), (40_000, 2000, "Grenchen"), (40_000, 50, nil), (10_000, 12_000, nil),
            (4000, 500, nil),
        ] as [(Double, Double, String?)])
    func theWayHasATown(_ metres: Double, _ radius: Double, _ name: String?) {
        let landing = Self.grenchen.coordinate.moved(east: 300, north: 0)
        let car = landing.moved(east: 0, north: -metres)
        #expect(
            TownsAround(Self.all + [Self.solothurn]).town(towards: landing, radiusMetres: radius, from: car) == name)
    }

    @Test func withoutTownsThereIsNoName() {
        var towns = TownsAround()
        #expect(towns.town(near: Self.bern.coordinate) == nil)
        #expect(towns.town(towards: Self.bern.coordinate, radiusMetres: 9000, from: Self.romont.coordinate) == nil)
    }
}
