import TestSupport
import Testing

@testable import FlightMath

/// A jammed receiver or a wrong uploader puts the sonde elsewhere for minutes. Nothing bursts, falls or lands by a
/// leap.
@Suite struct ExcursionTests {
    /// Seconds elsewhere, metres to the east and to the north, altitude.
    @Test(
        arguments: [
            (90, 2_000_000, 800_000, 180), (600, 2_000_000, 800_000, 180), (90, 0, 0, 45_000), (90, 40_000, 0, 4600),
            (300, 60_000, 0, 180),
        ] as [(Int64, Double, Double, Double)], [true, false])
    func nothingHappensByALeap(
        _ place: (seconds: Int64, east: Double, north: Double, altitude: Double), _ isRising: Bool
    ) {
        var path = FlightPath()
        path.source = .ble
        path.go(30)
        if isRising { path.go(700, up: 6, east: 5) }
        if !isRising {
            path.go(1400, up: 6, east: 5)
            path.fall(to: 5000, rate: 6, east: 5)
        }
        var flight = Flight()
        flight.know(launchSites: [Coordinate(latitude: 0, longitude: 0)])
        var changes = flight.add(path.points).map(\.name)
        let before = flight.track.points.count
        let (home, altitude) = (path.place, path.altitude)
        path.points = []
        path.place = home.moved(east: place.east, north: place.north)
        path.altitude = place.altitude
        for second in 0..<place.seconds { path.go(1, east: second % 2 == 0 ? 1 : -1) }
        changes += flight.add(path.points).map(\.name)
        if place.seconds > 60 { #expect(flight.isElsewhere) }
        #expect(flight.phase.phase != .landed)
        path.points = []
        (path.place, path.altitude) = (home, altitude + (isRising ? 6 : -6) * Double(place.seconds))
        if isRising { path.go(800, up: 6, east: 5) }
        path.fall(to: 500, rate: 6, east: 5)
        path.go(120)
        changes += flight.add(path.points).map(\.name)
        #expect(!flight.isElsewhere)
        #expect(changes.filter { !$0.hasPrefix("cut") } == ["burst", "landed"], "\(changes)")
        #expect(changes.contains("cut \(place.seconds) excursion"))
        #expect(flight.track.points.count == before + path.points.count)
        #expect(flight.landingPlace?.coordinate.distanceMetres(to: path.place) ?? .infinity < 60)
        #expect(flight.judgeAnew().filter { !$0.name.hasPrefix("cut") }.isEmpty)
    }

    /// Points that climb and fall elsewhere are the true ones.
    @Test func theOtherPlaceMayBeRight() {
        var path = FlightPath()
        path.go(300, up: 5)
        var flight = Flight()
        _ = flight.add(path.points)
        path.points = []
        path.place = path.place.moved(east: 500_000, north: 0)
        path.go(400, up: 5, east: 5)
        path.fall(to: 500, rate: 6, east: 5)
        path.go(100)
        let changes = flight.add(path.points).map(\.name)
        #expect(changes == ["burst", "landed"])
        #expect(!flight.isElsewhere)
        #expect(flight.landingPlace?.coordinate.distanceMetres(to: path.place) ?? .infinity < 60)
    }

    /// A single wrong point at the end is not the place where the sonde was last seen.
    @Test func theLastPlaceIsBelievable() {
        var path = FlightPath()
        path.go(300, up: 5)
        let last = path.points.last
        path.glitch(altitude: 11_676, place: path.place.moved(east: 39_000, north: 0))
        var flight = Flight()
        _ = flight.add(path.points)
        #expect(flight.lastSeen == last && flight.newest != last)
    }
}
