import FlightMath
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubClient
import TestSupport
import Testing

/// The machine and its client with the real Valhalla, on a grid of roads half a kilometre apart.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ValhallaTests {
    /// A gateway with a car, a landing point and the real engine, in virtual time.
    private struct Chase {
        let client: RouteClient
        var machine: GatewayMachine
        var now = Moment(
            monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(millisecondsSince1970: 1_767_268_800_000),
            isClockSynced: true)
        var asked = 0
        var trip: Trip?
        var route: RouteReport?

        init(_ url: String) throws {
            client = try RouteClient(url: url, engine: .valhalla, userAgent: "sondygo2mqtt/test")
            machine = GatewayMachine(
                info: InfoReport(version: "1", id: "test", machine: "m"),
                chase: ChaseOptions(route: RouteOptions(engine: .valhalla)), startedAt: now)
        }

        mutating func begin() async throws {
            try await handle(.started())
            try await handle(.linkOpened(ReceiverPeer(name: "test", maximumWriteLength: 128)))
            let text = "1/RS41/403.500/V4210150/46.65/7.05/9000/10/-5/117.5/100/0/0/0/4274/0/0/0/0/3.10/o"
            for _ in 0..<3 {
                try await handle(.frame(try FrameParser.parse(Array(text.utf8).span)))
                try await pass(1, at: nil)
            }
        }

        mutating func handle(_ event: GatewayEvent) async throws {
            for action in machine.handle(event, at: now) {
                switch action {
                case .report(.chase(let report)): trip = report.trip
                case .report(.route(let report)): route = report
                case .call(let id, .route(let query)):
                    asked += 1
                    do throws(OnlineServiceError) {
                        let answer = try await client.route(query)
                        try? await handle(.answered(id, .route(answer)))
                    } catch {
                        try await handle(.answered(id, .failed(error)))
                    }
                default: break  // The test only looks at the route.
                }
            }
        }

        /// Lets seconds pass, with a fix in each, and fires the timers.
        mutating func pass(_ seconds: Int, at place: Coordinate?) async throws {
            for _ in 0..<seconds {
                now.monotonic = now.monotonic.advanced(by: .seconds(1))
                now.wall = now.wall.advanced(by: .seconds(1))
                if let place { try await handle(.carFix(CarFix(source: .gpsd, coordinate: place, time: now.wall))) }
                for timer in [TimerID.car, .routing, .chase] { try await handle(.timerFired(timer)) }
            }
        }

        mutating func land(_ place: Coordinate) async throws {
            let body = "{\"landing_point\":{\"latitude\":\(place.latitude),\"longitude\":\(place.longitude)}}"
            try await handle(.command(IncomingCommand(body: Array(body.utf8))))
        }
    }

    /// The place north and east of the network's corner, in metres.
    private static func place(north: Double, east: Double) -> Coordinate {
        Coordinate(
            latitude: Valhalla.corner.latitude + north / 111_195,
            longitude: Valhalla.corner.longitude + east / (111_195 * cos(46.6 * Double.pi / 180)))
    }

    @Test func aChaseByRoadAsksOnlyWhenItMust() async throws {
        let engine: Valhalla
        do {
            engine = try await Valhalla()
        } catch is Valhalla.Missing {
            return withKnownIssue("Valhalla's package can't be had here") { Issue.record("not run") }
        }
        var chase = try Chase(engine.url)
        try await chase.begin()
        // Start and end of the road are crossings. The landing point is 100 m beside the road.
        let start = Self.place(north: 0, east: 0)
        let goal = Coordinate(latitude: 46.65 + 100 / 111_195, longitude: 7.0145)
        try await chase.land(goal)
        try await chase.pass(2, at: start)
        #expect(chase.asked == 1)
        let trip = try #require(chase.trip)
        #expect(trip.method == .valhalla && trip.reason == nil)
        #expect(6500...7100 ~= trip.distanceMetres, "\(trip.distanceMetres)")
        let line = try #require(chase.route?.line)
        #expect(try #require(line.points.first).distanceMetres(to: start) < 5)
        // The rest on foot is 100 m at most.
        #expect((trip.endGapMetres ?? .infinity) < 110)

        // The landing point moves by 99 m, and by 101.
        try await chase.pass(10, at: start)
        try await chase.land(goal.moved(metres: 99))
        try await chase.pass(3, at: start)
        #expect(chase.asked == 1)
        // A landing point within 25 m of the last one counts as the same.
        try await chase.land(goal)
        try await chase.land(goal.moved(metres: 101))
        try await chase.pass(3, at: start)
        #expect(chase.asked == 2)

        // The car is 49 m, then 51 m beside the road. It jumps there, so the place counts after ten seconds.
        try await chase.pass(10, at: start)
        let half = try #require(chase.route?.line.points).dropFirst().first ?? start
        let middle = Coordinate(
            latitude: (start.latitude + half.latitude) / 2, longitude: (start.longitude + half.longitude) / 2)
        let isNorth = abs(half.latitude - start.latitude) > abs(half.longitude - start.longitude)
        for (metres, count) in [(49.0, 2), (51, 3)] {
            let beside = isNorth ? Self.moved(middle, east: -metres) : Self.moved(middle, north: -metres)
            try await chase.pass(14, at: beside)
            #expect(chase.asked == count, "\(metres)")
        }
        try await chase.pass(24, at: start)
        try await Self.chaseWhereRoadsEnd(&chase, from: start, since: trip)

        // The engine is killed: a straight line and few calls. Then it comes back.
        try await engine.stop()
        let before = chase.asked
        try await chase.land(goal)
        try await chase.pass(100, at: start)
        #expect(chase.trip?.method == .straightLine && chase.trip?.reason?.name == "unreachable")
        #expect(2...6 ~= chase.asked - before)
        try await engine.start()
        try await chase.pass(70, at: start)
        #expect(chase.trip?.method == .valhalla)
        await chase.client.close()
    }

    /// By bicycle, into a lake, and behind the last road. `trip` is the way by car.
    private static func chaseWhereRoadsEnd(
        _ chase: inout Chase, from start: Coordinate, since trip: Trip
    ) async throws {
        // By bicycle, on the same tiles.
        let asked = chase.asked
        try await chase.handle(
            .command(IncomingCommand(body: Array("{\"route\":{\"mode\":\"bike\"}}".utf8))))
        try await chase.pass(12, at: start)
        #expect(chase.asked == asked + 1)
        #expect(chase.trip?.mode == .bike && chase.trip?.method == .valhalla)
        #expect(try #require(chase.trip).duration > trip.duration)

        // A lake: no road within 5 km.
        try await chase.land(place(north: 30_000, east: 5000))
        try await chase.pass(12, at: start)
        #expect(chase.trip?.method == .straightLine, "\(String(describing: chase.trip))")
        #expect(["no_segment", "no_route"].contains(chase.trip?.reason?.name))
        #expect(chase.route == nil)

        // 3 km beyond the last road: the route goes to the road's end.
        try await chase.land(place(north: 14_000, east: 500))
        try await chase.pass(12, at: start)
        #expect(chase.trip?.method == .valhalla && chase.trip?.isNoRoadNear == true)
    }

    private static func moved(_ place: Coordinate, east: Double = 0, north: Double = 0) -> Coordinate {
        Coordinate(
            latitude: place.latitude + north / 111_195,
            longitude: place.longitude + east / (111_195 * cos(place.latitude * Double.pi / 180)))
    }
}

extension Coordinate {
    /// The place `metres` to the north.
    fileprivate func moved(metres: Double) -> Coordinate {
        Coordinate(latitude: latitude + metres / 111_195, longitude: longitude)
    }
}
