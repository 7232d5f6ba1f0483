import TestSupport
import Testing

@testable import FlightMath

/// A sonde that comes down unheard, and one that was never heard in flight.
@Suite struct BlackoutTests {
    private static let farSite = Coordinate(latitude: 0, longitude: 0)

    private static let minute: Int64 = 60

    /// A flight that is lost at this altitude and heard again after some minutes. Its predicted landing lies 600 m
    /// further.
    private func lost(
        at altitude: Double = 1050, minutes: Int64 = 25, radius90: Double = 200, isPredicted: Bool = true
    ) -> (Flight, FlightPath) {
        var path = FlightPath()
        path.go(1200, up: 5, east: 5)
        path.fall(to: altitude, rate: 6, east: 5)
        var flight = Flight()
        flight.know(launchSites: [Self.farSite])
        _ = flight.add(path.points)
        if isPredicted {
            flight.expect(
                LandingExpectation(
                    path.place.moved(east: 600, north: 0), at: path.now.advanced(by: .seconds(90)), radius90: radius90))
        }
        let now = path.now.advanced(by: .seconds(minutes * 60))
        _ = flight.concludeFromSilence(
            of: .seconds(minutes * 60), predictedLandingAt: path.now.advanced(by: .seconds(90)), at: now)
        path.points = []
        path.go(minutes * 60, isHeard: false)
        path.altitude = 480
        return (flight, path)
    }

    /// Metres from the predicted landing point, its 90 % radius, minutes without the sonde -> the changes.
    @Test(
        arguments: [
            (0, 200, 25, ["landed"]), (990, 200, 25, ["landed"]), (1010, 200, 25, ["moved", "cut 11 blackout"]),
            (1500, 800, 25, ["landed"]), (1700, 800, 25, ["moved", "cut 11 blackout"]),
            (5000, 200, 25, ["moved", "cut 11 blackout"]), (5000, 200, 21, ["moved", "cut 11 blackout"]),
            // How long it was silent does not count.
            (5000, 200, 19, ["moved", "cut 11 blackout"]), (5000, 200, 12, ["moved", "cut 11 blackout"]),
            (2900, 200, 3, ["moved", "cut 11 blackout"]), (0, 200, 3, ["landed"]), (0, 200, 12, ["landed"]),
        ] as [(Double, Double, Int64, [String])])
    func theLastPredictionDecides(_ metres: Double, _ radius90: Double, _ minutes: Int64, _ expected: [String]) {
        var (flight, path) = lost(minutes: minutes, radius90: radius90)
        let place = path.place.moved(east: 600, north: 0)
        let lastBefore = flight.track.points.count
        path.place = place.moved(east: 0, north: metres)
        path.go(180)
        let changes = flight.add(path.points)
        #expect(changes.map(\.name) == expected)
        #expect(flight.phase.phase == .landed)
        if expected == ["landed"] {
            #expect(flight.landingTime == .estimated && !flight.hasMoved)
            let past = path.points[0].time.advanced(by: .seconds(-minutes * 60 + 90))
            #expect(flight.landingPlace?.time == past)
        } else {
            #expect(flight.landingPlace == nil && flight.hasMoved)
            #expect(flight.phase.reason == .sondeHubSilent && flight.track.points.count == lastBefore)
            #expect(flight.newest == path.points.last)
        }
        // One pass over all points, as after a restart, gives the same.
        var whole = Flight()
        whole.expect(
            LandingExpectation(
                place, at: path.points[0].time.advanced(by: .seconds(-minutes * 60 + 90)), radius90: radius90))
        var all = lost(minutes: minutes, radius90: radius90).0.track.points
        all += path.points
        _ = whole.insert(contentsOf: all)
        #expect(whole.landingPlace?.coordinate == flight.landingPlace?.coordinate)
        #expect(whole.landingTime == flight.landingTime && whole.hasMoved == flight.hasMoved)
        if whole.hasMoved { #expect(whole.track.points.count == lastBefore) }
    }

    /// Speed to the north in m/s, seconds, and metres north of the predicted place at first: a car that never stops,
    /// and one that first passes the place.
    @Test(arguments: [(15.0, 600, 5000.0), (15, 600, -3000)] as [(Double, Int64, Double)])
    func carriedWithoutAStop(_ speed: Double, _ seconds: Int64, _ north: Double) {
        var (flight, path) = lost()
        path.place = path.place.moved(east: 600, north: north)
        path.go(seconds, north: speed)
        let changes = flight.add(path.points)
        #expect(changes.map(\.name) == ["moved", "cut 11 blackout"])
        #expect(flight.hasMoved && flight.landingPlace == nil)
        // Later the sonde lies in a garden, and the track is judged again. That is no landing and no news.
        path.points = []
        path.go(300)
        #expect(flight.add(path.points).isEmpty)
        #expect(flight.judgeAnew().isEmpty)
        #expect(flight.phase == PhaseVerdict(.landed, .sondeHubSilent) && flight.hasMoved)
        #expect(flight.concludeFromSilence(of: .zero, predictedLandingAt: nil, at: path.now).isEmpty)
        // A climb is another flight.
        path.points = []
        path.go(120, up: 5)
        let climbing = flight.add(path.points)
        #expect(climbing.first?.name == "new")
        #expect(flight.phase.phase == .ascending && !flight.hasMoved)
        #expect(flight.track.points.count > 60)
    }

    /// One frame decides by what it reports. Metres from the predicted place, metres above the ground, the reported speeds
    /// over ground and up -> the changes, and whether the landing was seen.
    @Test(
        arguments: [
            (300, 0, 0, 0, ["landed"], true), (990, 60, 3.5, -0.9, ["landed"], true), (1010, 0, 0, 0, [], false),
            (300, 0, 4.5, 0, [], false), (300, 0, 0, -2, [], false), (300, 120, 5, -6, [], false),
            (300, 400, 5, 1.5, [], false),
        ] as [(Double, Double, Double, Double, [String], Bool)])
    func oneFrame(
        _ metres: Double, _ height: Double, _ horizontal: Double, _ vertical: Double, _ expected: [String],
        _ isSeen: Bool
    ) throws {
        var (flight, path) = lost(minutes: 6)
        path.place = path.place.moved(east: 600, north: metres)
        path.altitude += height
        path.go(1)
        let point = try #require(path.points.first)
        let changes = flight.insert(point, reported: ReportedSpeeds(horizontal: horizontal, vertical: vertical)).changes
        #expect(changes.map(\.name) == expected)
        #expect((flight.landingPlace?.coordinate == point.coordinate) == isSeen)
        // A sonde that falls, or rises above the ground, flies on. Otherwise it stays down.
        let again = flight.concludeFromSilence(of: .zero, predictedLandingAt: nil, at: path.now)
        #expect(again.map(\.name) == (height > 100 ? ["heard"] : []))
        #expect(flight.phase.phase == .landed || height > 100)
    }

    /// After some driving one frame at rest is a car at a crossing.
    @Test func aCarNearThePlace() {
        var (flight, path) = lost(minutes: 6)
        path.place = path.place.moved(east: 600, north: 0)
        path.go(5, north: 14)
        var names = path.points.flatMap { point in
            flight.insert(point, reported: ReportedSpeeds(horizontal: 14, vertical: 0)).changes.map(\.name)
        }
        path.points = []
        path.go(2)
        for point in path.points {
            names += flight.insert(point, reported: ReportedSpeeds(horizontal: 0, vertical: 0)).changes.map(\.name)
        }
        #expect(names.isEmpty && flight.landingPlace == nil)
        path.points = []
        path.go(10, north: 14)
        for point in path.points {
            names += flight.insert(point, reported: ReportedSpeeds(horizontal: 14, vertical: 0)).changes.map(\.name)
        }
        #expect(names.contains("moved") && flight.landingPlace == nil && flight.hasMoved)
    }

    /// Points that others heard in the gap belong to the flight. They close the gap, and the landing is seen.
    @Test func theGapIsFilled() {
        var (flight, path) = lost()
        let begun = path.now.advanced(by: .seconds(-25 * 60))
        path.place = path.place.moved(east: 5000, north: 0)
        path.go(60)
        #expect(flight.add(path.points).map(\.name) == ["moved", "cut 11 blackout"])
        let last = flight.track.points[flight.track.points.count - 1]
        let gap = (1...200).map { second in
            TrackPoint(
                time: begun.advanced(by: .seconds(second - 1)),
                coordinate: last.coordinate.moved(east: 5 * Double(min(second, 90)), north: 0),
                altitudeMetres: max(480, last.altitudeMetres - 6 * Double(second)), source: .sondehub)
        }
        let changes = flight.insert(contentsOf: gap + path.points).changes
        #expect(changes.map(\.name).contains("landed"))
        #expect(flight.landingTime == .seen && flight.phase == PhaseVerdict(.landed, .vectorTest))
        #expect(flight.landingPlace?.coordinate.distanceMetres(to: gap[199].coordinate) ?? .infinity < 60)
    }

    /// The sonde is lost high up, and heard again in its fall, later than predicted.
    @Test func aSondeHeardAgainMayStillFall() {
        var path = FlightPath()
        path.go(5000, up: 5, east: 5)
        path.fall(to: 24_000, rate: 5, east: 5)
        var flight = Flight()
        _ = flight.add(path.points)
        flight.expect(LandingExpectation(path.place, at: path.now.advanced(by: .seconds(1260)), radius90: 500))
        path.points = []
        path.fall(to: 2500, rate: 5, east: 5, isHeard: false)
        path.fall(to: 500, rate: 5, east: 5)
        let begun = path.points.count
        path.go(60)
        #expect(flight.add(path.points).map(\.name) == ["landed"])
        #expect(flight.landingTime == .seen && flight.track.points.count > begun)
        #expect(flight.landingPlace?.coordinate.distanceMetres(to: path.place) ?? .infinity < 60)
    }

    /// Without a prediction the last point counts as the predicted place and its height, here 570 m, as the 90 %
    /// radius. So the sonde has landed within 1140 m. Metres from the last point -> whether it has landed.
    @Test(arguments: [(500.0, true), (1100, true), (1400, false)]) func withoutAPrediction(
        _ metres: Double, _ hasLanded: Bool
    ) {
        var (flight, path) = lost(isPredicted: false)
        path.place = (flight.newest?.coordinate ?? path.place).moved(east: 0, north: metres)
        path.go(120)
        let names = flight.add(path.points).map(\.name)
        #expect(names == (hasLanded ? ["landed"] : ["moved", "cut 11 blackout"]))
    }

    // MARK: - First heard at rest

    /// Metres to the nearest launch site (nil: none is known), seconds at rest -> the phase's reason.
    @Test(
        arguments: [
            (nil, 290, .onGround), (nil, 310, .heardOnGround), (2100, 59, .onGround), (2100, 62, .heardOnGround),
            (1900, 600, .onGround),
            (0, 3600, .onGround),
        ] as [(Double?, Int64, PhaseReason)])
    func firstHeardAtRest(_ metres: Double?, _ seconds: Int64, _ reason: PhaseReason) {
        var path = FlightPath()
        path.source = .ble
        let sites = metres.map { [path.place.moved(east: 0, north: $0)] } ?? []
        path.go(seconds)
        var flight = Flight()
        flight.know(launchSites: sites)
        let changes = flight.add(path.points)
        #expect(flight.phase.reason == reason)
        #expect(changes.map(\.name) == (reason == .heardOnGround ? ["lies"] : []))
        #expect(flight.landingTime == (reason == .heardOnGround ? .unknown : nil))
        guard reason == .heardOnGround else { return }
        // The launch site becomes known later.
        var other = flight
        other.know(launchSites: [path.place.moved(east: 100, north: 0)])
        path.points = []
        path.go(120)
        #expect(other.add(path.points).isEmpty && other.phase.reason == .onGround && other.landingPlace == nil)
        // The sonde stood on a launch pad that nobody knows.
        path.points = []
        path.go(100, up: 5)
        #expect(flight.add(path.points).first?.name == "new")
        #expect(flight.phase.phase == .ascending && flight.landingPlace == nil)
    }

    /// A sonde of which the store holds a landing lies where it is, also near a launch site.
    @Test func aSondeThatHasLandedBefore() {
        var path = FlightPath()
        path.source = .ble
        path.go(62)
        var flight = Flight()
        flight.know(launchSites: [path.place], hasLandedBefore: true)
        #expect(flight.add(path.points).map(\.name) == ["lies"] && flight.phase.reason == .heardOnGround)
    }

    /// Without known launch sites, as for files of flights, a rest at the beginning is no landing. A rest in flight is
    /// none either.
    @Test func noLandingWithoutKnowledge() {
        var path = FlightPath()
        path.source = .ble
        path.go(600)
        var flight = Flight()
        #expect(flight.add(path.points).isEmpty && flight.phase.reason == .onGround)
        var rising = FlightPath()
        rising.go(100, up: 5)
        rising.go(200)
        var other = Flight()
        other.know(launchSites: [Self.farSite])
        #expect(other.add(rising.points).isEmpty && other.landingPlace == nil)
    }

    /// A gap fill brings the flight of a sonde that was first heard at rest. Its landing then has a time.
    @Test func theFlightComesLater() {
        var path = FlightPath()
        path.source = .ble
        path.go(1200, up: 5, east: 5)
        path.fall(to: 500, rate: 6, east: 5)
        let flown = path.points
        path.points = []
        path.go(90)
        var flight = Flight()
        flight.know(launchSites: [Self.farSite])
        #expect(flight.add(path.points).map(\.name) == ["lies"])
        #expect(flight.insert(contentsOf: flown).changes.map(\.name).filter { !$0.hasPrefix("cut") } == ["burst"])
        #expect(flight.landingTime == .seen && flight.phase.reason == .vectorTest)
    }
}
