import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The last minute of a flight that at first only SondeHub hears, and then nobody.
@Suite struct SilentLandingTests {
    /// A sonde that was last heard at 800 m, 400 m above the ground. SondeHub goes on showing that point.
    private struct Lost {
        var chased: Chased
        let last: SondeHubRecord

        init() throws {
            var options = PredictionOptions()
            options.groundAltitudeMetres = 400
            chased = Chased(altitude: 9000, prediction: options, sondeHub: SondeHubOptions.payerne)
            let begun = chased.fall(to: 1300, rate: 7)
            chased.script.answer(begun.polls.first?.id, [])
            chased.script.closeLink(.silent)
            var fallen = Script.Outcome()
            for _ in 0..<200 where chased.altitude > 800 || fallen.polls.isEmpty {
                fallen = chased.goOnSondeHub(1, up: chased.altitude > 800 ? -7 : 0)
            }
            last = chased.record()
            #expect(chased.script.state == .aprsFlying && chased.prediction?.method == .ownWinds)
        }

        mutating func wait(_ seconds: Int) -> Script.Outcome {
            var outcome = Script.Outcome()
            for _ in 0..<seconds {
                let step = chased.script.wait(1)
                outcome += step
                for poll in step.polls { outcome += chased.script.answer(poll.id, [last]) }
                for question in step.questions { outcome += chased.answer(question, metres: 300) }
            }
            return outcome
        }
    }

    /// A new online prediction starts where and when the sonde was last heard. So the own prediction from the same
    /// point stays in force, and the landing time does not move on with each answer.
    @Test func thePredictionStaysAtTheLastPoint() throws {
        var lost = try Lost()
        let landingAt = try #require(lost.chased.landing?.point.landingAt)
        let outcome = lost.wait(115)
        let questions = outcome.questions
        #expect(questions.count >= 1)
        #expect(questions.allSatisfy { $0.query.launchAt == lost.last.time })
        #expect(outcome.predictions.allSatisfy { $0.forecast.method == .ownWinds })
        #expect(lost.chased.landing?.point.landingAt == landingAt)
        // Two minutes of silence, and a minute after the predicted landing.
        let landed = outcome + lost.wait(30)
        let told = try #require(landed.told(.landed).first)
        let limit = max(lost.last.time.advanced(by: .seconds(122)), landingAt.advanced(by: .seconds(62)))
        #expect(told.at.wall <= limit)
    }

    /// Nobody has seen the sonde on the ground, so the gateway does not say that SondeHub has. Nor does it say "SondeHub
    /// last had the sonde in the air." in the same second as "The sonde has probably landed".
    @Test func aLandingInSilenceIsToldOnce() throws {
        var lost = try Lost()
        let outcome = lost.wait(300)
        #expect(outcome.told(.landed).count == 1 && outcome.told(.stateChanged).isEmpty)
        #expect(lost.chased.script.state == .aprsLanded)
        #expect(lost.chased.script.stateReport?.reason == .sondeHubSilent)
    }

    /// Nothing was ever predicted. The landing point is the last place where the sonde was heard.
    @Test func landedWithoutAnyPrediction() throws {
        var chased = Chased(altitude: 4000, prediction: .off)
        chased.fall(to: 900, rate: 8)
        #expect(chased.landing == nil)
        #expect(chased.script.wait(400).told(.landed).count == 1)
        let point = try #require(chased.landing?.point)
        #expect(point.source == .lastPrediction && point.method == nil && point.radius90Metres == nil)
        #expect(point.coordinate.distanceMetres(to: chased.place) < 30)
        #expect(point.altitudeMetres == chased.script.flight?.last?.altitudeMetres)
    }
}
