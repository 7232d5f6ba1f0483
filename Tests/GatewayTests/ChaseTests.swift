import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

/// The chase report and the straight line.
@Suite struct ChaseTests {
    private static let landing = "{\"landing_point\":{\"latitude\":47.1,\"longitude\":8.2}}"

    private func flying(latitude: String = "47.38", altitude: Int = 5000) -> Script {
        var script = Script()
        script.connect()
        for _ in 0..<3 {
            script.frame(Script.position(latitude: latitude, altitude: altitude))
            script.wait(1)
        }
        return script
    }

    @Test func theSondeAndItsLandingPoint() throws {
        var script = flying()
        script.command(Self.landing)
        script.wait(2)
        script.fix(course: 0)
        let chase = try #require(script.chase)
        let sonde = try #require(chase.sonde)
        // The expected values come from a WGS84 geodesic.
        #expect(abs(sonde.distanceMetres - 58_818) < 5 && abs(sonde.bearingDegrees - 43.89) < 0.1)
        #expect(sonde.relativeBearingDegrees == sonde.bearingDegrees)
        // The sonde is 4570 m higher. The Earth's curve hides 273 m of it.
        #expect(abs(try #require(sonde.elevationDegrees) - 4.16) < 0.02)
        #expect(!sonde.isWithin200Metres)
        let landing = try #require(chase.landing)
        #expect(abs(landing.distanceMetres - 18_829) < 2 && landing.elevationDegrees == nil)
        let trip = try #require(chase.trip)
        #expect(trip.method == .straightLine && trip.reason == .noServer && trip.mode == .car)
        #expect(abs(trip.duration.inSeconds - landing.distanceMetres * 1.35 / (60 / 3.6)) < 1)
        #expect(abs(trip.distanceMetres - landing.distanceMetres * 1.35) < 5)
        #expect(trip.arrivalAt == script.now.wall.advanced(by: trip.duration))
        #expect(chase.margin == nil)
        script.command("{\"route\":{\"mode\":\"bike\"}}")
        script.wait(1)
        let byBike = try #require(script.chase?.trip)
        #expect(byBike.mode == .bike && abs(byBike.duration.inSeconds / trip.duration.inSeconds - 4) < 0.01)
    }

    /// The car's course -> the relative bearing of a sonde to the east.
    @Test(arguments: [(90.0, 0.0), (0, 90), (180, -90), (269, -179), (271, 179), (350, 100), (10, 80)])
    func relativeBearing(_ course: Double, _ expected: Double) throws {
        let car = CarPosition(
            source: .gpsd, coordinate: Coordinate(latitude: 0, longitude: 8), courseDegrees: course,
            time: WallTime(millisecondsSince1970: 0), heardAt: .zero)
        let relative = RelativePosition(of: Coordinate(latitude: 0, longitude: 8.1), altitudeMetres: nil, from: car)
        #expect(abs(try #require(relative.relativeBearingDegrees) - expected) < 1e-6)
    }

    /// With a phone that sends once a minute and a sonde at rest, the report is still repeated.
    @Test func aPhoneOnceAMinute() {
        var script = Script()
        script.connect()
        script.command(Self.landing)
        script.fix(.owntracks)
        var told = script.wait(59).chases
        #expect((3...4).contains(told.count) && told.allSatisfy { $0.car != nil })
        told = script.wait(60).chases
        #expect(told.count == 1 && told.first?.car == nil)
    }

    /// With two fixes and two frames a second, the report comes once a second.
    @Test func onceASecond() {
        var script = flying()
        var told = 0
        for step in 0..<40 {
            told += script.fix(at: Script.car.moved(east: Double(step) * 10, north: 0)).chases.count
            told += script.wait(0.25).chases.count
            told += script.frame(Script.position()).chases.count
            told += script.wait(0.25).chases.count
        }
        #expect(20...21 ~= told)
    }

    /// The closing speed to a sonde that flies towards the car, each heard at its own times.
    @Test func closing() throws {
        var script = flying()
        var place = Coordinate(latitude: 47.3, longitude: 8.54)
        for second in 0..<15 {
            place = place.moved(east: 0, north: 20)
            script.fix(at: place, course: 0)
            script.wait(0.4)
            script.frame(Script.position(latitude: "\(47.38 - Double(second) * 0.0001)", altitude: 5000))
            script.wait(0.6)
        }
        let speed = try #require(script.chase?.sonde?.closingSpeed)
        #expect(abs(speed - 31.1) < 0.5)
    }

    @Test func significantMoves() {
        var script = Script()
        var flags: [Bool] = []
        for metres in [0, 4, 9, 11, 15, 20, 22] {
            script.fix(at: Script.car.moved(east: Double(metres), north: 0))
            flags.append(script.chase?.isSignificantMove ?? false)
            script.wait(1)
        }
        #expect(flags == [true, false, false, true, false, false, true])
    }

    /// An old position of the sonde or of the car is not used. The topic itself expires.
    @Test func oldPositionsGiveNoDistance() throws {
        var script = flying()
        script.fix()
        #expect(script.chase?.sonde != nil)
        let session = script.mqtt.sessionBegan(.v5, at: script.now)
        let told = try #require(session.compactMap(\.chase).first)
        #expect(told.isRetained && told.expirySeconds == 30)
        for _ in 0..<130 {
            script.fix()
            script.wait(1)
        }
        #expect(script.chase?.car != nil && script.chase?.sonde == nil)
        let outcome = script.wait(12)
        #expect(script.chase?.car == nil)
        #expect(outcome.objects(on: "/chase").last?["car"] is [String: Any] == false)
    }

    @Test func expiryWithoutMQTT5() {
        var script = Script(hasExpiry: false)
        script.brokerConnected()
        script.fix()
        let outcome = script.wait(60)
        #expect(outcome.messages(on: "/chase").contains { $0.payload.isEmpty && $0.isRetained })
    }

    @Test func margin() throws {
        var script = flying()
        script.fix()
        var landing = LandingPoint(
            coordinate: Script.car.moved(east: 1000, north: 0), source: .predicted, at: script.now,
            landingAt: script.now.wall.advanced(by: .seconds(600)))
        landing.altitudeMetres = 400
        var chase = Chase()
        var turn = Turn(at: script.now, calls: Calls())
        var facts = script.machine.facts
        facts.sonde.landing = landing
        facts.road.trip = Trip(
            straightFrom: Script.car, to: landing.coordinate, by: .car, because: .noServer, detour: 1,
            at: script.now.wall)
        chase.follow(facts, &turn)
        #expect(abs(try #require(chase.report.margin).inSeconds - 540) < 1)
    }

    /// The car stands where the sonde landed ten minutes ago: it is not ten minutes late, and a car 1 km away is.
    @Test(arguments: [(100.0, true), (1000, false)]) func aCarThatHasArrivedIsNotLate(_ metres: Double, _ isThere: Bool)
    {
        var script = flying()
        script.fix()
        var facts = script.machine.facts
        let place = Script.car.moved(east: metres, north: 0)
        facts.sonde.landing = LandingPoint(
            coordinate: place, source: .observed, at: script.now,
            landingAt: script.now.wall.advanced(by: .seconds(-600)))
        facts.road.trip = Trip(
            straightFrom: Script.car, to: place, by: .car, because: .noServer, detour: 1, at: script.now.wall)
        var chase = Chase()
        var turn = Turn(at: script.now, calls: Calls())
        chase.follow(facts, &turn)
        #expect((chase.report.margin == nil) == isThere)
    }

    @Test func everyMessageIsValid() throws {
        var script = flying()
        var outcome = script.command(Self.landing)
        for step in 0..<20 {
            outcome += script.fix(at: Script.car.moved(east: Double(step) * 10, north: 0))
            outcome += script.wait(1)
        }
        outcome += script.wait(30)
        outcome += script.run(.healthDue(ProcessHealth()))
        let messages = outcome.published.map {
            (
                topic: String($0.topic.dropFirst("sondygo/test/".count)),
                payload: String(decoding: $0.payload, as: UTF8.self)
            )
        }
        #expect(messages.contains { $0.topic == "chase" })
        #expect(try Schemas.violations(messages) == [])
    }
}

extension MQTTPublisher.Output {
    fileprivate var chase: OutgoingMessage? {
        if case .publish(let message) = self, message.topic.hasSuffix("/chase") { message } else { nil }
    }
}
