import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// When the route server is asked, and how its answers are used.
@Suite struct RoutingTests {
    private static let goal = Script.car.moved(east: 10_000, north: 0)

    /// A car, a landing point 10 km to the east, and a route server.
    private func started(isPublic: Bool = false) -> (Script, Script.Outcome) {
        var script = Script(chase: ChaseOptions(route: RouteOptions(engine: .valhalla, isPublic: isPublic)))
        script.connect()
        for _ in 0..<3 { script.frame(Script.position()) }
        script.wait(20)
        script.fix()
        let outcome = land(&script, Self.goal)
        return (script, outcome)
    }

    @discardableResult
    private func land(_ script: inout Script, _ place: Coordinate) -> Script.Outcome {
        script.command("{\"landing_point\":{\"latitude\":\(place.latitude),\"longitude\":\(place.longitude)}}")
    }

    /// A public server is asked every 30 s at most, and never while the car stands.
    @Test func aPublicServerIsAskedSeldom() throws {
        var (script, outcome) = started(isPublic: true)
        #expect(outcome.routes.count == 1)
        var place = Script.car
        var asked = [script.now.monotonic]
        for _ in 0..<300 {
            for call in outcome.routes { script.run(.answered(call.id, .route(.road(try road(call.query))))) }
            // Each step leaves the route.
            place = place.moved(east: 0, north: 80)
            outcome = script.fix(at: place) + script.wait(1)
            asked += outcome.routes.map { _ in script.now.monotonic }
        }
        #expect(9...11 ~= asked.count)
        for (one, next) in zip(asked, asked.dropFirst()) { #expect(next.duration(since: one) >= .seconds(30)) }
        outcome = Script.Outcome()
        for _ in 0..<600 { outcome += script.fix(at: place, speed: 0) + script.wait(1) }
        #expect(outcome.routes.isEmpty)
        #expect(script.chase?.trip != nil)
        // OSRM's public server would answer with a car's way.
        #expect(!RouteOptions(engine: .osrm, isPublic: true).mayAsk(.bike, at: 5))
        #expect(RouteOptions(engine: .osrm).mayAsk(.bike, at: 5))
    }

    /// If the car has arrived, a server's line may have one point. GeoJSON needs two.
    @Test func aLineOfOnePoint() throws {
        let line = try #require(RouteLine([Coordinate(latitude: 47, longitude: 8)]))
        let trip = Trip(
            RoadRoute(distanceMetres: 0, duration: .zero, line: line, endGapMetres: 0), by: .osrm, .car,
            gaps: Trip.Gaps(start: 0, end: 0),
            at: WallTime(millisecondsSince1970: Script.noon))
        let text = String(decoding: RouteReport(trip: trip, line: line).payload, as: UTF8.self)
        #expect(text.contains("\"coordinates\":[[8.0,47.0],[8.0,47.0]]"))
    }

    /// A road in a straight line.
    private func road(_ query: RouteQuery, gap: Double = 30) throws -> RoadRoute {
        RoadRoute(
            distanceMetres: 12_000, duration: .seconds(720),
            line: try #require(RouteLine([query.start, query.end.moved(east: -gap, north: 0)])), endGapMetres: gap)
    }

    private func answered(gap: Double = 30) throws -> Script {
        var (script, outcome) = started()
        let call = try #require(outcome.routes.first)
        script.run(.answered(call.id, .route(.road(try road(call.query, gap: gap)))))
        script.wait(1)
        return script
    }

    /// Drives to `place` in `seconds`, with a fix a second.
    private func drive(_ script: inout Script, _ seconds: Int, at place: Coordinate = Script.car) -> Script.Outcome {
        var outcome = Script.Outcome()
        for _ in 0..<seconds {
            outcome += script.fix(at: place)
            outcome += script.wait(1)
        }
        return outcome
    }

    @Test func aRoute() throws {
        let script = try answered()
        let trip = try #require(script.chase?.trip)
        #expect(trip.method == .valhalla && trip.reason == nil && trip.distanceMetres == 12_000)
        // The walk of 30 m takes 27 s.
        #expect(trip.endGapMetres == 30 && trip.duration == .seconds(747) && !trip.isNoRoadNear)
        #expect(script.route?.line.points.count == 2)
    }

    /// A car 4.5 km from the first road drives there at 15 km/h: 1080 s more.
    @Test func theWayToTheRoad() throws {
        var (script, outcome) = started()
        let call = try #require(outcome.routes.first)
        let start = call.query.start.moved(east: 4500, north: 0)
        let road = RoadRoute(
            distanceMetres: 12_000, duration: .seconds(720), line: try #require(RouteLine([start, call.query.end])),
            endGapMetres: 0)
        outcome = script.run(.answered(call.id, .route(.road(road)))) + script.wait(1)
        let trip = try #require(script.chase?.trip)
        #expect(abs((trip.startGapMetres ?? 0) - 4500) < 25 && abs(trip.duration.inSeconds - 1800) < 6)
        #expect(outcome.objects(on: "/chase").last.flatMap { $0["route"] as? [String: Any] }?["start_gap_m"] != nil)
    }

    /// A gap of up to 2 km is walked.
    @Test(arguments: [(0.0, 720, false), (2000, 2520, false), (2001, 720, true)])
    func theWayOnFoot(_ gap: Double, _ seconds: Int, _ isNoRoadNear: Bool) throws {
        let trip = try #require(try answered(gap: gap).chase?.trip)
        #expect(trip.duration == .seconds(seconds) && trip.isNoRoadNear == isNoRoadNear)
    }

    /// How far the landing point moves -> whether the server is asked again.
    @Test(arguments: [(99.0, false), (101, true), (3000, true)])
    func theLandingPointMoves(_ metres: Double, _ isAsked: Bool) throws {
        var script = try answered()
        var outcome = drive(&script, 12)
        outcome += land(&script, Self.goal.moved(east: 0, north: metres))
        outcome += drive(&script, 2)
        #expect(outcome.routes.count == (isAsked ? 1 : 0))
        // If the landing point moves far, the old route is not used.
        #expect(script.chase?.trip?.method == (metres < 2000 ? .valhalla : .straightLine))
        guard metres < 100 else { return }
        #expect(abs(try #require(script.chase?.trip?.endGapMetres) - 103) < 1)
    }

    /// How far the car leaves the route -> whether the server is asked again.
    @Test(arguments: [(49.0, false), (51, true)])
    func theCarLeavesTheRoute(_ metres: Double, _ isAsked: Bool) throws {
        var script = try answered()
        var outcome = drive(&script, 12)
        let middle = Coordinate(
            latitude: (Script.car.latitude + Self.goal.latitude) / 2,
            longitude: (Script.car.longitude + Self.goal.longitude) / 2)
        // The car jumps there, so its position is used after ten seconds.
        outcome += drive(&script, 14, at: middle.moved(east: 0, north: metres))
        #expect(outcome.routes.count == (isAsked ? 1 : 0))
    }

    /// A car that is parked beside the road is on the route.
    @Test func aParkedCar() throws {
        var (script, outcome) = started()
        let call = try #require(outcome.routes.first)
        var route = try road(call.query)
        route.line = try #require(
            RouteLine([call.query.start.moved(east: 0, north: 400), call.query.end.moved(east: 0, north: 400)]))
        script.run(.answered(call.id, .route(.road(route))))
        #expect(drive(&script, 110).routes.isEmpty)
        outcome = drive(&script, 15)
        #expect(outcome.routes.count == 1)
    }

    @Test func anotherMode() throws {
        var script = try answered()
        script.wait(5)
        script.fix()
        var outcome = script.command("{\"route\":{\"mode\":\"bike\"}}")
        #expect(outcome.answers == ["done!"] && outcome.routes.isEmpty)
        outcome = drive(&script, 5)
        #expect(outcome.routes.map(\.query.mode) == [.bike])
        #expect(script.chase?.trip?.method == .straightLine && script.chase?.trip?.reason == .waiting)
    }

    /// After a SIGHUP a new configured mode replaces that of an earlier command, also after a restart. An unchanged one
    /// does not.
    @Test func anotherModeOfTheConfiguration() throws {
        var script = try answered()
        let changed = { (mode: RouteMode) in
            GatewayEvent.chaseChanged(ChaseOptions(route: RouteOptions(engine: .valhalla, mode: mode)), [])
        }
        script.command("{\"route\":{\"mode\":\"bike\"}}")
        #expect(script.run(changed(.car)).entries == [])
        #expect(script.run(changed(.bike)).entries == [.setting(.routeMode, nil)])
        #expect(drive(&script, 12).routes.map(\.query.mode) == [.bike])
        #expect(script.run(changed(.car)).entries == [.setting(.routeMode, nil)])
        script.fix()
        script.wait(1)
        #expect(script.chase?.trip?.mode == .car)
    }

    /// With all triggers at random there is at most one call in 10 s, and never two at a time.
    @Test(arguments: 0..<5)
    func routeRequestsAreLimited(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (script, outcome) = started()
        var open = outcome.routes
        var asked = [script.now.monotonic]
        var place = Script.car
        for _ in 0..<600 {
            var step = Script.Outcome()
            switch random.next() % 7 {
            case 0: step += land(&script, Self.goal.moved(east: Double(random.next() % 4000), north: 300))
            case 1: step += script.command("{\"route\":{\"mode\":\"\(random.next() % 2 == 0 ? "car" : "bike")\"}}")
            case 2 where !open.isEmpty:
                let call = open.removeFirst()
                step += script.run(.answered(call.id, .route(.road(try road(call.query)))))
            case 3 where !open.isEmpty:
                step += script.run(
                    .answered(open.removeFirst().id, .failed(OnlineServiceError(.unreachable, "refused"))))
            case 4 where !open.isEmpty:
                step += script.run(.answered(open.removeFirst().id, .route(.noRoad(.noSegment))))
            default:
                place = place.moved(east: 60, north: Double(random.next() % 200) - 100)
                step += script.fix(at: place)
            }
            // In steps of a tenth of a second, because an action holds no time.
            for tenth in 0...(random.next() % 30) {
                if tenth > 0 { step = script.wait(0.1) }
                open.removeAll { step.cancelled.contains($0.id) }
                open += step.routes
                asked += step.routes.map { _ in script.now.monotonic }
                #expect(open.count <= 1)
            }
        }
        #expect(asked.count > 50)
        for (first, second) in zip(asked, asked.dropFirst()) {
            #expect(second.duration(since: first) >= .seconds(9.9))
        }
    }

    /// A failing server is asked after 10, 20, 40, then every 60 s. The straight line holds the reason.
    @Test func aRouteServerThatIsDownGivesAStraightLine() throws {
        var (script, outcome) = started()
        var times: [Double] = []
        for _ in 0..<300 {
            for call in outcome.routes {
                times.append(script.now.monotonic.duration(since: .zero).inSeconds)
                script.run(.answered(call.id, .failed(OnlineServiceError(.unreachable, "connection refused"))))
            }
            outcome = script.wait(1) + script.fix()
        }
        let pauses = zip(times, times.dropFirst()).map { ($1 - $0).rounded() }
        #expect(pauses.prefix(3) == [10, 20, 40] && pauses.dropFirst(3).allSatisfy { 60...61 ~= $0 })
        #expect(script.chase?.trip?.reason?.name == "unreachable" && script.route == nil)
        // The server works again.
        for _ in 0..<70 where outcome.routes.isEmpty { outcome = script.wait(1) + script.fix() }
        let call = try #require(outcome.routes.first)
        script.run(.answered(call.id, .route(.road(try road(call.query)))))
        script.wait(1)
        #expect(script.chase?.trip?.method == .valhalla)
    }

    /// "No road" is no failure. The server is asked again after two minutes, or when the landing point moves.
    @Test func aPlaceWithoutRoadsGivesAStraightLine() throws {
        var (script, outcome) = started()
        script.run(.answered(try #require(outcome.routes.first).id, .route(.noRoad(.noSegment))))
        #expect(drive(&script, 115).routes.isEmpty)
        #expect(script.chase?.trip?.reason?.name == "no_segment" && script.chase?.trip?.method == .straightLine)
        outcome = drive(&script, 10)
        #expect(outcome.routes.count == 1)
        let health = script.health()
        #expect(health?.car.routesAsked == 2 && health?.car.routesFailed == 0)
    }

    @Test func withoutCarOrLandingPointNothingIsAsked() throws {
        var script = try answered()
        // In a tunnel there is no call. After it the route is used again.
        #expect(script.wait(60).routes.isEmpty)
        #expect(script.chase?.car == nil && script.route == nil)
        #expect(script.fix().routes.isEmpty)
        script.wait(1)
        #expect(script.chase?.trip?.method == .valhalla && script.route != nil)
        script.command("{\"landing_point\":null}")
        script.wait(1)
        #expect(script.chase?.trip == nil && script.route == nil)
        #expect(drive(&script, 30).routes.isEmpty)
    }

    @Test func stopping() throws {
        var (script, outcome) = started()
        let call = try #require(outcome.routes.first)
        outcome = script.stop()
        #expect(outcome.cancelled == [call.id])
    }

    /// A command's mode outlives a restart, unless the configured mode has changed since the command.
    @Test(
        arguments: [("bike car", .bike), ("bike bike", .car), ("bike", .car), ("x car", .car)] as [(String, RouteMode)])
    func theModeOutlivesARestart(_ stored: String, _ expected: RouteMode) {
        var script = Script(memory: GatewayMemory(settings: [.routeMode: stored]))
        script.connect()
        for _ in 0..<3 { script.frame(Script.position()) }
        script.fix()
        land(&script, Self.goal)
        script.wait(1)
        #expect(script.chase?.trip?.mode == expected)
        let stored = #"{"commanded":"bike","configured":"car"}"#
        #expect(script.command("{\"route\":{\"mode\":\"bike\"}}").entries == [.setting(.routeMode, stored)])
        // Also without a route: an alert opens the phone's navigation by it.
        let said = script.command("{\"request\":\"status\"}").told(.status)
        #expect(said.map(\.routeMode) == [.bike])
    }

    @Test(arguments: [
        "{\"route\":\"boat\"}", "{\"route\":{\"mode\":\"boat\"}}", "{\"route\":{}}", "{\"route\":null}",
        "{\"route\":{\"mode\":\"bike\",\"x\":1}}",
    ])
    func refusedModes(_ body: String) throws {
        var script = Script()
        let answer = try #require(script.command(body).commandAnswers.first)
        #expect(answer.status == .rejected && answer.error?.message.contains("bike") == true)
    }
}
