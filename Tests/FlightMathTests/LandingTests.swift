import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath

@Suite struct LandingTests {
    /// Up, burst and down to 500 m.
    private static func flown(spacing: Int64 = 1, noise: UInt64? = nil) -> FlightPath {
        var path = FlightPath(spacing: spacing)
        path.go(400, up: 5, east: 10)
        path.fall(to: 500, rate: 6, east: 10)
        return path
    }

    /// Seconds between points -> the most seconds from touch-down to the landing's detection. The place is within 60 m.
    @Test(arguments: [(1, 85), (2, 88), (5, 96), (10, 130), (15, 141), (20, 160), (30, 179), (60, 300), (170, 510)])
    func theLandingIsFoundInTime(_ spacing: Int64, _ limit: Double) {
        var random = SeededRandom(seed: UInt64(spacing))
        var path = FlightPath(spacing: spacing)
        path.go(1200, up: 5, east: 10)
        path.fall(to: 500, rate: 6, east: 10)
        let touchDown = path.now
        path.go(900)
        for index in path.points.indices where path.points[index].time >= touchDown {
            path.points[index].altitudeMetres += Double.random(in: -4...4, using: &random)
            path.points[index].coordinate.latitude += Double.random(in: -3e-5...3e-5, using: &random)
        }
        var flight = Flight()
        var landedAt: WallTime?
        for point in path.points {
            for case .landed(let place) in flight.insert(point).changes {
                landedAt = point.time
                #expect(place.coordinate.distanceMetres(to: path.place) < 60)
                #expect(abs(place.altitudeMetres - 500) < 60)
            }
        }
        #expect(landedAt.map { $0.seconds(since: touchDown) <= limit } ?? false, "\(String(describing: landedAt))")
        #expect(flight.phase == PhaseVerdict(.landed, .vectorTest))
        #expect(flight.motion == .atRest)
        #expect(flight.adjustedDescentRate == 0)
    }

    /// After its touch-down the sonde goes on at this speed for some seconds, m/s, and then rests -> whether its landing
    /// point is there. A parachute drags it at walking pace; a car is faster, and a walk in the garden is shorter.
    @Test(
        arguments: [(2, 150, true), (1.5, 70, true), (2, 40, false), (10, 20, false), (6, 60, false)]
            as [(Double, Int64, Bool)])
    func aParachuteDragsTheSonde(_ speed: Double, _ seconds: Int64, _ isThere: Bool) {
        var path = Self.flown()
        let touchDown = path.place
        path.go(60)
        path.go(seconds, east: speed)
        let rest = path.place
        path.go(100)
        var flight = Flight()
        let names = flight.add(path.points).map(\.name)
        #expect(names.filter { $0 == "landed" }.count == 1)
        let place = { (flight: Flight) in flight.landingPlace?.coordinate ?? Coordinate(latitude: 0, longitude: 0) }
        #expect(place(flight).distanceMetres(to: isThere ? rest : touchDown) < 30)
        let at = flight.landingPlace?.time
        // The points after the landing are left out of the track. Its place stays.
        _ = flight.judgeAnew()
        _ = flight.judgeAnew()
        #expect(place(flight).distanceMetres(to: isThere ? rest : touchDown) < 30)
        #expect(flight.landingPlace?.time == at)
    }

    /// Rest without a flight before it is no landing: the sonde lies on the launch pad, even if one altitude and one
    /// place are wrong.
    @Test(arguments: [1, 5, 10, 30] as [Int64], [nil, 900, 1400, 4000, 0] as [Double?])
    func aSondeOnTheLaunchPadHasNotLanded(_ spacing: Int64, _ glitch: Double?) {
        var path = FlightPath(spacing: spacing)
        path.go(900)
        if let glitch { path.glitch(altitude: glitch) }
        path.go(900)
        path.glitch(place: Coordinate(latitude: 47.003, longitude: 8))
        path.go(900)
        var flight = Flight()
        #expect(flight.add(path.points).isEmpty)
        #expect(flight.phase == PhaseVerdict(.unknown, .onGround))
        #expect(flight.landingPlace == nil)
    }

    /// If the ascent was not heard, an unbroken fall of 1000 m is a flight. After a fall of 100 m a minute of rest is a
    /// landing, but not where sondes start. Height in metres at which the fall was first heard, seconds of rest,
    /// whether sondes start there -> whether it is a landing.
    @Test(
        arguments: [
            (1100, 40, false, true), (1100, 40, true, true), (900, 40, false, false), (900, 120, false, true),
            (300, 120, false, true), (300, 120, true, false), (60, 120, false, false),
        ] as [(Double, Int64, Bool, Bool)])
    func onlyTheDescentHeard(_ height: Double, _ rest: Int64, _ isLaunchSite: Bool, _ isLanding: Bool) {
        var path = FlightPath(altitude: 500 + height)
        path.fall(to: 500, rate: 6)
        path.go(rest)
        var flight = Flight()
        if isLaunchSite { flight.know(launchSites: [path.place]) }
        #expect(flight.add(path.points).map(\.name) == (isLanding ? ["landed"] : []))
        #expect(flight.phase.reason == (isLanding ? .vectorTest : .onGround))
    }

    /// Rest above 5000 m is no landing.
    @Test func aSlowSondeHighUpHasNotLanded() {
        var path = FlightPath(altitude: 9000)
        path.fall(to: 5600, rate: 6)
        path.go(300)
        var flight = Flight()
        #expect(flight.add(path.points).isEmpty)
    }

    /// Motion after the landing means that the sonde is carried. The landing stays, and the live position goes on.
    @Test(arguments: [1, 5, 30] as [Int64])
    func aCarriedSondeKeepsItsLanding(_ spacing: Int64) {
        var path = Self.flown(spacing: spacing)
        path.go(300)
        let place = path.place
        path.go(600, north: 1)
        path.go(600, up: 1.5, east: 15)
        path.go(300)
        var flight = Flight()
        #expect(flight.add(path.points).map(\.name) == ["burst", "landed", "moved"])
        #expect(flight.hasMoved)
        #expect(flight.phase == PhaseVerdict(.landed, .vectorTest))
        #expect((flight.landingPlace?.coordinate.distanceMetres(to: place) ?? .infinity) < 20)
        #expect(flight.newest == path.points.last)
    }

    /// A climb after the landing is a new flight, with its own burst and landing.
    @Test func aNewFlight() {
        var path = Self.flown()
        path.go(300)
        path.go(300, up: 5)
        path.fall(to: 500, rate: 6)
        path.go(120)
        var flight = Flight()
        let changes = flight.add(path.points)
        #expect(
            changes.map(\.name).map { $0.hasPrefix("cut") ? "cut" : $0 } == [
                "burst", "landed", "moved", "new", "cut", "burst", "landed",
            ])
        #expect(flight.burst?.altitudeMetres == 2000)
        #expect(flight.track.points.first?.altitudeMetres ?? 0 < 520)
        var whole = Flight()
        let names = whole.insert(contentsOf: path.points).changes.map(\.name)
        #expect(names.first == "new")
        #expect(names.suffix(4).contains("landed"))
        #expect(whole.landingPlace?.coordinate == flight.landingPlace?.coordinate)
    }

    /// Points after the landing are removed from the track once. The newest point stays known.
    @Test func afterTheLandingTheTrackEnds() {
        var path = Self.flown()
        path.go(400)
        var flight = Flight()
        var random = SeededRandom.ofThisRun
        let (taken, changes) = flight.insert(contentsOf: path.points.shuffled(using: &random))
        #expect(taken == path.points.count)
        #expect(changes.map(\.name).prefix(2) == ["burst", "landed"])
        guard case .trackTruncated(let cut)? = changes.last else { return #expect(Bool(false), "\(changes)") }
        #expect(cut.reason == .landed)
        #expect((350...399).contains(cut.count))
        #expect(flight.track.points.count == path.points.count - cut.count)
        #expect(flight.track.points.last?.time == cut.boundary)
        #expect(flight.newest == path.points.last)
        // Removed points are not inserted again; newer ones are.
        #expect(flight.insert(contentsOf: path.points).taken == 0)
        #expect(!flight.insert(path.points[path.points.count - 5]).isTaken)
        path.go(10)
        #expect(flight.add(Array(path.points.suffix(10))).isEmpty)
        #expect(flight.newest == path.points.last)
        #expect(flight.phase.phase == .landed)
    }

    /// A sonde is heard high up after its landing. The gap's points show that it was launched again.
    @Test func aNewFlightInAGap() {
        var path = Self.flown()
        path.go(400)
        var flight = Flight()
        #expect(flight.insert(contentsOf: path.points).changes.last?.name.hasPrefix("cut") == true)
        let landed = path.points.count
        path.go(600, up: 5, east: 10)
        let gap = path.points[landed...]
        path.go(1, up: 5)
        #expect(flight.add(Array(path.points.suffix(1))).isEmpty)
        let (taken, changes) = flight.insert(contentsOf: Array(gap))
        #expect(taken == gap.count)
        #expect(changes.map(\.name).first == "new")
        #expect(flight.phase == PhaseVerdict(.ascending, .verticalSpeed))
        #expect(flight.landingPlace == nil)
    }

    /// Neither late points nor a clock that is set revoke a landing.
    @Test func aFilledGapKeepsTheLanding() {
        var path = Self.flown()
        path.go(200)
        let gap = path.points[300..<500]
        var flight = Flight()
        let heard = path.points.filter { $0.time < gap[300].time || $0.time > gap[499].time }
        #expect(flight.add(heard).map(\.name) == ["burst", "landed"])
        let place = flight.landingPlace
        #expect(!flight.insert(contentsOf: Array(gap)).changes.contains { !$0.name.hasPrefix("cut") })
        #expect(flight.landingPlace?.coordinate == place?.coordinate)
        flight.replaceTimes(ClockStep(byMilliseconds: 7_200_000, since: FlightPath.time(0)).corrected)
        #expect(flight.phase.phase == .landed)
    }

    /// A stuck position at 3000 m seemed to be the landing. Then the sonde falls on to the ground. Seconds between
    /// points, and seconds in which nothing was heard.
    @Test(arguments: [1, 5, 20, 30] as [Int64], [0, 60] as [Int64])
    func aFallTakesTheLandingBack(_ spacing: Int64, _ gap: Int64) {
        var path = FlightPath(spacing: spacing)
        path.go(900, up: 5, east: 10)
        path.fall(to: 3000, rate: 6, east: 10)
        path.go(180)
        path.go(gap, up: -6, east: 10, isHeard: false)
        path.fall(to: 500, rate: 6, east: 10)
        path.go(240)
        var flight = Flight()
        #expect(flight.add(path.points).map(\.name) == ["burst", "landed", "not landed", "landed"])
        #expect((flight.landingPlace?.coordinate.distanceMetres(to: path.place) ?? .infinity) < 60)
        #expect(!flight.hasMoved)
        // One pass over all points finds the same landing.
        var whole = Flight()
        _ = whole.insert(contentsOf: path.points)
        #expect((whole.landingPlace?.coordinate.distanceMetres(to: path.place) ?? .infinity) < 60)
    }

    /// A landing was found with few points. The points of a gap fill show that the sonde fell below it.
    @Test func aFilledGapTakesTheLandingBack() {
        var path = FlightPath()
        path.go(900, up: 5, east: 10)
        path.fall(to: 3000, rate: 6, east: 10)
        path.go(180)
        let heard = path.points
        path.fall(to: 500, rate: 6, east: 10)
        path.go(240)
        var flight = Flight()
        #expect(flight.add(heard).map(\.name) == ["burst", "landed"])
        let (_, changes) = flight.insert(contentsOf: Array(path.points.dropFirst(heard.count)))
        #expect(changes.map(\.name).prefix(2) == ["not landed", "landed"])
        #expect((flight.landingPlace?.coordinate.distanceMetres(to: path.place) ?? .infinity) < 60)
    }

    /// Half a balloon is left, so the sonde sinks slowly in calm air, and does not count as resting meanwhile. Fall and
    /// wind, m/s, and seconds between points.
    @Test(arguments: [(1.1, 0.3), (1.1, 0.0), (1.2, 0.5), (1.3, 0.4)] as [(Double, Double)], [1, 10, 30] as [Int64])
    func aSlowFallInCalmAir(_ fall: (rate: Double, wind: Double), _ spacing: Int64) throws {
        let (path, changes, landing) = try Self.sunk(from: nil, fall.rate, fall.wind, spacing)
        #expect(changes == ["burst", "landed"])
        #expect(landing.altitudeMetres < 600 && landing.coordinate.distanceMetres(to: path.place) < 60)
    }

    /// The sonde stops at 3000 m, and then sinks more slowly than any rule of rest can detect. The supposed landing is
    /// taken back.
    @Test(arguments: [0.35, 0.45, 0.8], [1, 10, 30] as [Int64])
    func aSinkingFloat(_ rate: Double, _ spacing: Int64) throws {
        let (path, changes, landing) = try Self.sunk(from: 3000, rate, 0.2, spacing)
        #expect(changes.first == "burst" && changes.last == "landed", "\(changes)")
        #expect(landing.altitudeMetres < 850 && landing.coordinate.distanceMetres(to: path.place) < 300)
    }

    /// Up to 3000 m, or to 6000 m and down to `height`; from there down to 500 m at a slow rate, and 400 s of rest.
    private static func sunk(
        from height: Double?, _ rate: Double, _ wind: Double, _ spacing: Int64
    ) throws -> (path: FlightPath, changes: [String], landing: TrackPoint) {
        var random = SeededRandom(seed: UInt64(spacing))
        var path = FlightPath(spacing: spacing)
        path.go(height == nil ? 500 : 1100, up: 5, east: 3)
        if let height { path.fall(to: height, rate: 6, east: 3) }
        path.go(Int64((path.altitude - 500) / rate), up: -rate, east: wind)
        path.go(400)
        for index in path.points.indices {
            path.points[index].altitudeMetres += Double.random(in: -3...3, using: &random)
        }
        var flight = Flight()
        let changes = flight.add(path.points).map(\.name)
        return (path, changes, try #require(flight.landingPlace, "\(changes)"))
    }

    /// The finder walks downhill with the sonde. It stays landed.
    @Test func aFinderWalksDown() {
        var path = FlightPath(altitude: 1800)
        path.go(900, up: 5, east: 10)
        path.fall(to: 1800, rate: 6, east: 10)
        path.go(240)
        path.go(1200, up: -0.4, east: 1)
        var flight = Flight()
        #expect(flight.add(path.points).map(\.name) == ["burst", "landed"])
    }

    /// A sonde that seems to rest 600 m above the known ground is in the air.
    @Test func noRestAboveTheTerrain() {
        var path = Self.flown()
        path.go(120)
        for (height, isLanding) in [(400, true), (-100, false)] as [(Int16, Bool)] {
            var flight = Flight()
            flight.know(
                terrain: TerrainPatch(
                    southWest: Coordinate(latitude: 46, longitude: 7), stepDegrees: 2, columns: 2,
                    heights: [height, height, height, height]))
            #expect(flight.add(path.points).contains { $0.name == "landed" } == isLanding)
        }
    }

    /// The GPS of a landed sonde loses its fix and shows 36 km of altitude or another place. The sonde has not flown.
    @Test(arguments: [(100, 36_000, 300), (100, 36_000, 0), (900, 1200, 60_000), (70, 9000, 20_000)])
    func aLeapAfterTheLandingIsNoFlight(_ seconds: Int64, _ altitude: Double, _ east: Double) {
        var path = Self.flown()
        path.go(120)
        let (home, place) = (path.place, path.altitude)
        (path.place, path.altitude) = (home.moved(east: east, north: 0), altitude)
        path.go(seconds)
        (path.place, path.altitude) = (home, place)
        path.go(300)
        var flight = Flight()
        #expect(flight.add(path.points).map(\.name) == ["burst", "landed"])
        #expect(flight.phase == PhaseVerdict(.landed, .vectorTest) && !flight.hasMoved)
        #expect(flight.highest?.altitudeMetres ?? 0 < 2600)
        #expect(flight.newestTrusted?.coordinate == home)
    }

    /// A sonde that is carried down a mountain road has landed.
    @Test(arguments: [1, 5, 30] as [Int64])
    func aCarDrivesDown(_ spacing: Int64) {
        var path = FlightPath(altitude: 1800, spacing: spacing)
        path.go(900, up: 5, east: 10)
        path.fall(to: 1800, rate: 6, east: 10)
        path.go(240)
        path.go(900, up: -1.3, east: 13)
        var flight = Flight()
        #expect(flight.add(path.points).map(\.name) == ["burst", "landed", "moved"])
        #expect(flight.phase.phase == .landed)
    }

    /// Judging point by point and in one pass gives the same result, for any flight.
    @Test(arguments: 0..<60)
    func onePassFindsTheSame(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var path = FlightPath(spacing: Int64.random(in: 1...30, using: &random))
        path.go(Int64.random(in: 0...300, using: &random))
        path.go(Int64.random(in: 200...4000, using: &random), up: Double.random(in: 2...7, using: &random), east: 20)
        path.fall(to: Double.random(in: 100...900, using: &random), rate: Double.random(in: 2...12, using: &random))
        path.go(Int64.random(in: 0...700, using: &random))
        for index in path.points.indices {
            path.points[index].altitudeMetres += Double.random(in: -5...5, using: &random)
            if Int.random(in: 0..<100, using: &random) == 0 {
                path.points[index].altitudeMetres = Double.random(in: 0...40_000, using: &random)
            }
        }
        path.points.removeAll { _ in Int.random(in: 0..<10, using: &random) == 0 }
        var single = Flight()
        _ = single.add(path.points)
        var whole = Flight()
        _ = whole.insert(contentsOf: path.points.shuffled(using: &random))
        #expect(whole.burst == single.burst)
        #expect(whole.phase.phase == single.phase.phase)
        #expect(whole.landingPlace == single.landingPlace)
        #expect(whole.highest == single.highest)
        #expect(whole.newest == single.newest)
    }
}
