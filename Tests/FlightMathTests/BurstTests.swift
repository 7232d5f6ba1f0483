import TestSupport
import Testing

@testable import FlightMath

@Suite struct BurstTests {
    /// Seconds between points -> the most seconds from the top to the burst's detection.
    @Test(arguments: [(1, 8), (2, 8), (5, 10), (10, 20), (20, 40), (30, 60), (60, 120)] as [(Int64, Double)])
    func theBurstIsFoundInTime(_ spacing: Int64, _ limit: Double) {
        var path = FlightPath(spacing: spacing)
        path.go(600, up: 5)
        let top = path.altitude
        path.go(600, up: -20)
        var flight = Flight()
        for point in path.points {
            for change in flight.insert(point).changes {
                #expect(change == .burst(TrackPoint(point: path.points[0], altitude: top, second: 600)))
                #expect(point.time.seconds(since: FlightPath.time(600)) <= limit)
            }
        }
        #expect(flight.burst?.altitudeMetres == top)
        #expect(flight.phase.phase == .descendingBelow10k)
    }

    /// Two receivers with different altitudes or clocks make their merged track dip. Only a much deeper fall is the
    /// burst.
    @Test(arguments: [1, 2, 5] as [Int64]) func dipsOfTheAscentAreNoBurst(_ spacing: Int64) {
        var path = FlightPath(spacing: spacing)
        path.go(600, up: 5)
        for (seconds, speed) in [(5, -13.6), (10, -6.7), (10, -7.8), (15, -8)] as [(Int64, Double)] {
            path.go(seconds / spacing * spacing, up: speed)
            path.go(90, up: 5)
        }
        let top = path.altitude
        path.go(600, up: -20)
        var flight = Flight()
        let changes = flight.add(path.points)
        #expect(changes.count == 1 && flight.burst?.altitudeMetres == top, "\(changes)")
    }

    /// A track -> whether it shows a burst.
    @Test(arguments: [
        ("59 m lower", false), ("60 m lower", true), ("7 s later", false), ("0.9 m/s", false),
        ("climb of 290 m", false),
        ("climb of 55 s", false), ("climb of 2 points", false), ("last interval level", false),
        ("one point 19 s later", false), ("one point 20 s later", true), ("one high altitude", false),
    ])
    func eachConditionOfABurstIsNeeded(_ name: String, _ isBurst: Bool) {
        var path = FlightPath(spacing: 1)
        let climb = { (path: inout FlightPath) in path.go(100, up: 5) }
        switch name {
        case "59 m lower":
            climb(&path)
            path.go(60, up: -1)
        case "60 m lower":
            climb(&path)
            path.go(61, up: -1)
        case "7 s later":
            climb(&path)
            path.go(8, up: -20)
        case "0.9 m/s":
            climb(&path)
            path.go(200, up: -0.9)
        case "climb of 290 m":
            path.go(100, up: 2.9)
            path.go(100, up: -5)
        case "climb of 55 s":
            path.go(55, up: 10)
            path.go(100, up: -5)
        case "climb of 2 points":
            path.spacing = 50
            path.go(100, up: 5)
            path.spacing = 25
            path.go(100, up: -5)
        case "last interval level":
            climb(&path)
            path.go(1)
            path.altitude -= 90
            path.go(1, isHeard: false)
            path.second(advance: 8)
            path.go(2)
        case "one point 19 s later":
            climb(&path)
            path.go(1)
            path.second(advance: 18)
            path.altitude -= 100
            path.go(1)
        case "one point 20 s later":
            climb(&path)
            path.go(1)
            path.second(advance: 19)
            path.altitude -= 100
            path.go(1)
        default:
            path.spacing = 10
            path.go(200)
            path.glitch(altitude: 1400)
            path.go(200)
        }
        var flight = Flight()
        #expect(flight.add(path.points).contains { $0.name == "burst" } == isBurst)
        #expect((flight.burst != nil) == isBurst)
    }

    /// A balloon that vents or floats falls for a while and then climbs on. The burst is revoked, and detected again
    /// higher up.
    @Test func aVentedBalloonRevokesTheBurst() {
        var path = FlightPath()
        path.go(600, up: 5)
        path.go(120, up: -5)
        path.go(600, up: 5)
        path.go(120, up: -20)
        var flight = Flight()
        #expect(flight.add(path.points).map(\.name) == ["burst", "revoked", "burst"])
        #expect(flight.burst?.altitudeMetres == 5900)
        var whole = Flight()
        #expect(whole.insert(contentsOf: path.points).changes.map(\.name) == ["burst"])
        #expect(whole.burst == flight.burst)
    }

    /// A burst in a gap is detected late and corrected when the gap's points come. It is never announced twice.
    @Test func aFilledGapCorrectsTheBurst() {
        var path = FlightPath()
        path.go(1000, up: 5)
        path.go(200, up: -6)
        var flight = Flight()
        let (before, gap, after) = (path.points[..<500], path.points[500..<1050], path.points[1050...])
        #expect(flight.add(Array(before)).isEmpty)
        #expect(flight.add(Array(after)).map(\.name) == ["burst"])
        #expect(flight.burst == path.points[1050])
        var random = SeededRandom.ofThisRun
        #expect(flight.insert(contentsOf: gap.shuffled(using: &random)).changes.isEmpty)
        #expect(flight.burst == path.points[1000])
    }
}

extension FlightPath {
    /// Lets time pass without points.
    mutating func second(advance seconds: Int64) {
        let spacing = self.spacing
        self.spacing = 1
        go(seconds, isHeard: false)
        self.spacing = spacing
    }

    /// Without a parachute a sonde falls at up to 180 m/s: burst altitude and the speed at the ground, m/s. Every point
    /// is accepted.
    @Test(arguments: [(33_000.0, 15.0), (32_000, 25)], [1, 5] as [Int64])
    func aFallWithoutAParachute(_ fall: (top: Double, rate: Double), _ spacing: Int64) {
        var path = FlightPath(altitude: fall.top - 3000, spacing: spacing)
        path.go(600, up: 5, east: 10)
        let top = path.altitude
        path.go(15, up: -50, east: 10)
        path.fall(to: 500, rate: fall.rate, east: 10)
        path.go(100)
        var flight = Flight()
        #expect(flight.add(path.points).map(\.name) == ["burst", "landed"])
        #expect(abs((flight.burst?.altitudeMetres ?? 0) - top) < 60)
        #expect(flight.judge.accepted == path.points.count)
    }
}

extension TrackPoint {
    fileprivate init(point: TrackPoint, altitude: Double, second: Int64) {
        self = point
        altitudeMetres = altitude
        time = FlightPath.time(second)
    }
}
