import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Everything that is said on a chase: the exact words, and what goes before what.
@Suite struct SpokenSentenceTests {
    private static let car = CarPosition(
        source: .gpsd, coordinate: Script.car, courseDegrees: 90, time: WallTime(millisecondsSince1970: Script.noon),
        heardAt: .zero)

    private static func point(_ altitude: Double, east: Double = 0, north: Double = 0) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: Script.noon), coordinate: Script.car.moved(east: east, north: north),
            altitudeMetres: altitude, source: .ble)
    }

    private static func goal(_ metres: Double) -> Coordinate { Script.car.moved(east: metres, north: 0) }

    private static func score(at15Minutes: Double?) -> LandingScore {
        var score = LandingScore([:], landing: point(500))
        score.errors = [
            .ownWinds: LandingScore.Errors(last: 340, at5Minutes: 600, at15Minutes: at15Minutes, at30Minutes: nil),
            .sondehub: LandingScore.Errors(last: 900, at5Minutes: nil, at15Minutes: 2400, at30Minutes: nil),
        ]
        if at15Minutes == nil { score.errors[.sondehub] = nil }
        return score
    }

    /// By importance, the least first; the course is east.
    private static let sentences: [(EventName.Importance, Announcement, String)] = [
        (.normal, .receiverOnline(name: "MySondyGO", firmware: "3.10"), "Receiver MySondyGO online, firmware 3.10."),
        (
            .normal, .landingMoved(to: goal(0), metres: 1240, degrees: 44),
            "The landing point has moved 1.2 kilometres north-east."
        ),
        (
            .normal, .landingMoved(to: goal(0), metres: 316, degrees: 268),
            "The landing point has moved 320 metres west."
        ),
        (
            .normal, .firstPrediction(goal(0), timeToGo: .seconds(2470)),
            "First landing prediction, in 41 minutes."
        ),
        (.normal, .firstPrediction(goal(0), timeToGo: nil), "First landing prediction."),
        (.normal, .below10km(point(9990)), "The sonde is below 10 kilometres."),
        (.normal, .distance(metres: 5000, to: goal(5000)), "5 kilometres to go, straight ahead."),
        (.normal, .distance(metres: 2000, to: goal(2000)), "2 kilometres to go, straight ahead."),
        (.normal, .distance(metres: 1000, to: goal(1000)), "1 kilometre to go, straight ahead."),
        (.normal, .distance(metres: 500, to: goal(500)), "500 metres to go, straight ahead."),
        (.normal, .distance(metres: 200, to: goal(-200)), "200 metres to go, behind."),
        (
            .normal, .scored(score(at15Minutes: 1234)),
            "The prediction was 1.2 kilometres off 15 minutes before landing."
        ),
        (.normal, .scored(score(at15Minutes: nil)), "The last prediction was 340 metres off."),
        (.normal, .noRoadNear(metres: 3400), "No road near the landing point: the last one ends 3.4 kilometres away."),
        (
            .high, .arrival(margin: .seconds(-240), isNoRoadNear: false), "You will arrive 4 minutes after the landing."
        ),
        (.high, .arrival(margin: .seconds(62), isNoRoadNear: false), "You will arrive 1 minute before the landing."),
        (
            .high, .arrival(margin: .seconds(600), isNoRoadNear: true),
            "You will reach the road's end 10 minutes before the landing. No road near the landing point."
        ),
        (
            .high, .arrival(margin: .seconds(-240), isNoRoadNear: false, isStraight: true),
            "In a straight line you would arrive 4 minutes after the landing."
        ),
        (.high, .burst(point(31_204)), "Burst at 31204 metres."),
        (.high, .receiverLost(.silent), "Receiver lost: no valid frame for 15 seconds."),
        (
            .highest, .landed(point(512, east: 2404, north: 2404)),
            "The sonde has landed 3.4 kilometres ahead, half left."
        ),
        (
            .highest, .landedInSilence(lastHeard: point(1512), guess: Script.car.moved(east: -350, north: 0)),
            "Nobody hears the sonde any more: it has probably landed 350 metres behind."
        ),
    ]

    @Test(arguments: sentences.indices) func words(_ index: Int) {
        let (importance, announcement, text) = Self.sentences[index]
        #expect(announcement.text(from: Self.car) == text)
        #expect(announcement.event.importance == importance)
    }

    /// Each behind each: within 8 s only what is more important is said, and everything from then on.
    @Test func whatGoesBeforeWhat() {
        for (first, one, _) in Self.sentences {
            for (second, other, _) in Self.sentences {
                for (seconds, isLate) in [(0.0, false), (3, false), (7.999, false), (8, true), (60, true)] {
                    var speech = Speech()
                    let now = MonotonicTime.zero
                    let isFirstSaid = speech.says(one.event, at: now)
                    let isSecondSaid = speech.says(other.event, at: now.advanced(by: .seconds(seconds)))
                    #expect(isFirstSaid)
                    #expect(isSecondSaid == (isLate || second > first), "\(one.name), \(other.name) \(seconds) s later")
                }
            }
        }
    }

    /// What is not said does not put off what comes next.
    @Test func whatIsNotSaidTakesNoTime() {
        var speech = Speech()
        for (seconds, isSaid) in [(0.0, true), (4, false), (7, false), (8, true), (12, false), (16, true)] {
            let says = speech.says(.distance, at: MonotonicTime.zero.advanced(by: .seconds(seconds)))
            #expect(says == isSaid, "\(seconds)")
        }
    }

    /// Down near the ground and then silent: the guess is the crew's own landing point, else where it was heard last.
    @Test(arguments: [true, false]) func landedUnseen(_ isPointKnown: Bool) throws {
        var script = Script()
        script.connect()
        var altitude = 600
        func fly(_ seconds: Int, up: Int) {
            for _ in 0..<seconds {
                altitude += up
                script.frame(Script.position(latitude: "47.0", altitude: altitude))
                script.wait(1)
            }
        }
        fly(150, up: 40)
        fly(270, up: -20)
        #expect(script.announcements.map(\.name).contains("burst"))
        if isPointKnown { script.command("{\"landing_point\":{\"latitude\":47.0,\"longitude\":8.6}}") }
        var outcome = Script.Outcome()
        // The receiver searches on; the car stands 600 m before where it was heard last, and looks there.
        let here = Coordinate(latitude: 47.0, longitude: 8.54).moved(east: -600, north: 0)
        for _ in 0..<130 {
            outcome += script.frame(Script.searching)
            outcome += script.fix(at: here)
            outcome += script.wait(1)
        }
        let event = try #require(outcome.objects(on: "/event").first { $0["event"] as? String == "landed" })
        #expect(event["reason"] as? String == "sondehub_silent")
        #expect(
            event["text"] as? String
                == "Nobody hears the sonde any more: it has probably landed "
                + (isPointKnown ? "5.2 kilometres ahead." : "600 metres ahead."))
        let guess = try #require(event["guess"] as? [String: Double])
        #expect(guess == (isPointKnown ? ["latitude": 47, "longitude": 8.6] : ["latitude": 47, "longitude": 8.54]))
        #expect(event["latitude"] as? Double == 47 && event["longitude"] as? Double == 8.54)
        // Heard again it lies there, or it was in the air all the while.
        var again = Script.Outcome()
        for _ in 0..<5 {
            again += script.frame(Script.position(latitude: "47.0", altitude: isPointKnown ? 1150 : 500))
            again += script.wait(1)
        }
        #expect(again.objects(on: "/event").contains { $0["event"] as? String == "airborne" } == isPointKnown)
    }
}
