import FlightMath
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// Where a sonde lies that is no longer followed: a crew reports yesterday's sonde while the gateway follows today's.
@Suite struct RecoveryPlaceTests {
    private static let order = #"{"recovery":{"state":"not_found","note":"gone","serial":"V4210150"}}"#

    private static var options: SondeHubOptions {
        var options = SondeHubOptions.payerne
        options.callSign = "HB9XYZ"
        return options
    }

    private static let meadow = Coordinate(latitude: 47.1, longitude: 8.2)

    private static func lesson(hoursAgo: Double, _ place: Coordinate) throws -> FlightLesson {
        FlightLesson(
            serial: try #require(SondeSerial(name: "V4210150", type: .rs41)), sondeType: .rs41,
            at: WallTime(millisecondsSince1970: Script.noon).advanced(by: .seconds(-3600 * hoursAgo)), launch: nil,
            landing: FlightLesson.Landing(place, altitudeMetres: 612), burstMetres: nil, descentRate: nil)
    }

    /// V4210150 after its landing.
    private static func landed() -> (chased: Chased, outcome: Script.Outcome) {
        var chased = Chased(altitude: 3000, prediction: .ownWindsOnly, sondeHub: options)
        var outcome = chased.fall(to: 500, rate: 8)
        outcome += chased.go(60, north: 0)
        return (chased, outcome)
    }

    /// The receiver hears another sonde until the gateway follows it.
    private static func follow(_ other: String, _ script: inout Script) {
        for second in 0..<45 {
            script.wait(1)
            script.frame(Script.position(other, latitude: "47.5", altitude: 9000 - second * 6))
        }
        #expect(script.serial == other)
    }

    private static func reported(_ script: inout Script, _ order: String = order) throws -> Recovery {
        let outcome = script.command(order)
        #expect(outcome.answers == ["done!"])
        return try #require(
            outcome.actions.compactMap {
                if case .call(_, .reportRecovery(let recovery)) = $0 { recovery } else { nil }
            }
            .first)
    }

    /// So many sondes were followed since. Five are more than the gateway keeps whole.
    @Test(arguments: [0, 1, 5]) func aSondeOfThisRun(_ others: Int) throws {
        var (chased, _) = Self.landed()
        let place = chased.place
        for number in 0..<others { Self.follow("W\(number + 1)", &chased.script) }
        let recovery = try Self.reported(&chased.script)
        #expect(recovery.serial.canonical == "V4210150" && abs(recovery.altitudeMetres - 500) < 20)
        #expect(try #require(recovery.coordinate).distanceMetres(to: place) < 20)
    }

    /// The hunt for a sonde that was left more than three hours ago begins anew, and has no point.
    @Test func aHuntForItDoesNotForgetItsPlace() throws {
        var (chased, _) = Self.landed()
        Self.follow("W1", &chased.script)
        chased.script.closeLink()
        chased.script.wait(4 * 3600)
        chased.script.command(#"{"hunt":"V4210150"}"#)
        #expect(chased.script.serial == "V4210150" && chased.script.flight?.last == nil)
        #expect(try #require(Self.reported(&chased.script).coordinate).distanceMetres(to: chased.place) < 20)
    }

    /// Seconds since an earlier run ended. After 12 hours its flight is not followed any more.
    @Test(arguments: [600, 72_000]) func aSondeOfAnEarlierRun(_ endedAgo: Int) throws {
        let (before, outcome) = Self.landed()
        var script = Script(sondeHub: Self.options, memory: try outcome.memory(endedAgo: endedAgo))
        script.connect()
        Self.follow("W1", &script)
        #expect(try #require(Self.reported(&script).coordinate).distanceMetres(to: before.place) < 20)
    }

    /// Flights since then have come into the store, so only the lesson of that landing is left.
    @Test func theLessonOfALanding() throws {
        var memory = GatewayMemory()
        memory.lessons = [
            try Self.lesson(hoursAgo: 48, Self.meadow),
            try Self.lesson(hoursAgo: 720, Self.meadow.moved(east: 0, north: 40_000)),
        ]
        var script = Script(sondeHub: Self.options, memory: memory)
        script.brokerConnected()
        let recovery = try Self.reported(&script)
        #expect(recovery.coordinate == Self.meadow && recovery.altitudeMetres == 612)
    }

    /// The hours since the landing, and since SondeHub's record of another place. A landing that was seen counts more
    /// than a later record of the same flight, such as that of a sonde in its finder's car. A later flight's record
    /// counts more.
    @Test(arguments: [(20.0, 21.0, true), (20, 10, true), (40, 5, false)])
    func theLandingAndSondeHubsRecord(_ landedAgo: Double, _ recordAgo: Double, _ isLanding: Bool) throws {
        var memory = GatewayMemory()
        memory.lessons = [try Self.lesson(hoursAgo: landedAgo, Self.meadow)]
        var script = Script(sondeHub: Self.options, memory: memory)
        script.brokerConnected()
        script.answerPoll([
            Script.record("V4210150", at: -3600 * recordAgo, altitude: 700),
            Script.record("W1", at: -5, altitude: 9000),
        ])
        #expect(try (Self.reported(&script).coordinate == Self.meadow) == isLanding)
    }

    /// A sonde that the receiver heard in the air a moment ago is not recovered, although another one is followed now.
    @Test func aSondeThatWasJustLeftInTheAir() {
        var chased = Chased(altitude: 9000, prediction: .off, sondeHub: Self.options)
        chased.go(60, up: 5)
        chased.script.closeLink()
        chased.script.command(#"{"hunt":"W1"}"#)
        #expect(chased.script.serial == "W1")
        #expect(chased.script.command(Self.order).answers == ["rejected:in_the_air!"])
        chased.script.wait(7200)
        #expect(chased.script.command(Self.order).answers == ["done!"])
    }
}
