import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// What goes before what, and what is said of a landing that nobody has seen.
@Suite struct SpokenSentenceTests {
    /// Each behind each: within 8 s only what is more important is said, and everything from then on.
    @Test func moreImportantEventsInterrupt() {
        for first in EventName.allCases {
            for second in EventName.allCases {
                for (seconds, isLate) in [(0.0, false), (3, false), (7.999, false), (8, true), (60, true)] {
                    var speech = Speech()
                    let now = MonotonicTime.zero
                    let isFirstSaid = speech.says(first, at: now)
                    let isSecondSaid = speech.says(second, at: now.advanced(by: .seconds(seconds)))
                    #expect(isFirstSaid)
                    let isExpected = isLate || second.importance > first.importance
                    #expect(isSecondSaid == isExpected, "\(first), \(second) \(seconds) s later")
                }
            }
        }
    }

    /// What is not said does not put off what comes next.
    @Test func quietEventsTakeNoTime() {
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
