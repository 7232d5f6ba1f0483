import Foundation
import GatewayTestSupport
import ReceiverProtocol
import ReceiverSimulator
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The times at which predictions are requested, and the choice of the one in force.
@Suite struct PredictionTests {
    private static let failure = Answer.failed(OnlineServiceError(.timedOut, "late"))

    // MARK: - Questions

    /// Tawhiri is asked at the first telemetry, every 60 s and on command, with measured inputs.
    @Test func triggers() throws {
        var chased = Chased(prediction: .onlineOnly)
        var asked = chased.go(15, up: 5, north: 40).questions
        #expect(asked.count == 1)
        let first = try #require(asked.first?.query)
        #expect(first.ascentRate == 5)
        #expect(first.burstAltitudeMetres == 33_000 && first.descentRate == 6)
        #expect(first.launch == Coordinate(latitude: first.launch.latitude, longitude: 8.54))
        _ = chased.answer(asked.first)
        for _ in 0..<3 {
            asked = chased.go(60, up: 4, north: 40).questions
            #expect(asked.count == 1)
            // The query begins at the sonde's last point.
            let age = chased.script.now.wall.duration(since: asked[0].query.launchAt)
            #expect(age >= .zero && age <= .seconds(60))
            _ = chased.answer(asked.first)
        }
        // The inputs were measured over the last minutes. A command asks at once.
        asked = chased.go(20, up: 4, north: 100).questions + chased.script.command("{\"predict\":true}").questions
        #expect(asked.count == 1)
        #expect(abs((asked.first?.query.ascentRate ?? 0) - 4) < 0.1)
        #expect(chased.answer(asked.first).answers == ["done!"], "when the answer has come")
    }

    /// The outcome of the call -> the answer to the command. Without a call it is refused at once.
    @Test(
        arguments: [
            (.failed(OnlineServiceError(.unreachable, "away")), "rejected:no_answer!"),
            (.prediction(nil), "rejected:no_answer!"), (nil, "rejected:no_answer!"),
        ] as [(Answer?, String)])
    func aPredictionThatNobodyAnswers(_ answer: Answer?, _ expected: String) throws {
        var chased = Chased(prediction: .onlineOnly)
        _ = chased.go(70, up: 5, north: 40)
        let ordered = chased.script.command("{\"predict\":true}")
        #expect(ordered.answers.isEmpty)
        let call = try #require(ordered.questions.first)
        let ended = answer.map { chased.script.run(.answered(call.id, $0)) } ?? chased.go(31, up: 5, north: 40)
        #expect(ended.answers == [expected])
        let busy = OnlineServiceError(.rateLimited, "slow down", retryAfter: .seconds(600))
        let next = chased.go(90, up: 5, north: 40).questions
        chased.script.run(.answered(try #require(next.last).id, .failed(busy)))
        #expect(chased.script.command("{\"predict\":true}").answers == ["rejected:no_answer!"])
    }

    /// After a gap is filled, Tawhiri is asked at once. The new call cancels the old one.
    @Test func afterAGapFill() throws {
        var chased = Chased(prediction: .onlineOnly, sondeHub: SondeHubOptions.payerne)
        let begin = chased.go(15, up: 5)
        let old = try #require(begin.questions.first)
        let track = try #require(begin.tracks.first)
        var record = chased.record(at: -120)
        record.altitudeMetres = 400
        let filled = chased.script.answerTrack(track.id, [record])
        #expect(filled.questions.count == 1)
        #expect(filled.cancelled == [old.id])
        // The answer to the old call is ignored.
        #expect(chased.answer(old).predictions.isEmpty)
        #expect(chased.prediction == nil)
        #expect(chased.answer(filled.questions.first).predictions.count == 1)
    }

    /// While the sonde is silent, the last prediction is published every minute with its growing age, until the sonde
    /// is heard again or has landed.
    @Test func aKeptPredictionHasItsAge() throws {
        var chased = Chased(altitude: 3000, prediction: .ownWindsOnly)
        chased.go(240, up: 5)
        chased.script.wait(60)
        #expect(chased.script.state == .noTelemetry)
        let silent = chased.script.wait(600)
        for topic in ["/landing", "/prediction"] {
            let told = silent.objects(on: topic)
            #expect(told.count == 10, "\(topic)")
            let ages = try told.map { try #require($0["age_ms"] as? Int) }
            #expect(zip(ages, ages.dropFirst()).allSatisfy { (60_000..<61_000).contains($1 - $0) }, "\(ages)")
            #expect(Set(told.map { $0["latitude"] as? Double }).count == 1)
        }
        chased.hear()
        chased.fall(to: 500)
        chased.go(70, north: 0)
        chased.script.wait(60)
        #expect(chased.script.state == .noTelemetry)
        #expect(chased.script.wait(600).predictions.isEmpty)
    }

    /// A server that does not answer is asked again after a minute. There are never two calls at a time.
    @Test func oneCallAtATime() throws {
        var chased = Chased(prediction: .onlineOnly)
        var open = chased.go(15, up: 5, north: 40).questions.map(\.id)
        for _ in 0..<3 {
            let next = chased.go(60, up: 5, north: 40)
            #expect(next.questions.count == 1)
            #expect(next.cancelled == open)
            open = next.questions.map(\.id)
        }
        #expect(chased.script.stop().cancelled == open)
    }

    /// In a calm ascent the place of the question hardly changes. It is asked once a minute all the same, and at once
    /// by a command.
    @Test func aCalmAscentIsAskedForEachMinute() throws {
        var chased = Chased(prediction: .onlineOnly)
        chased.altitude = 2510
        var asked = 0
        for _ in 0..<600 {
            let questions = chased.go(1, up: 2, north: 0).questions
            asked += questions.count
            _ = chased.answer(questions.first)
        }
        #expect((9...11).contains(asked), "\(asked)")
        asked += chased.go(10, up: 2, north: 0).questions.count
        let ordered = chased.script.command("{\"predict\":true}")
        #expect(ordered.questions.count == 1)
        let reported = chased.script.health()
        #expect(try #require(reported).counted[.predictionCalls] == asked + 1)
    }

    /// `Retry-After` is obeyed. Meanwhile SondeHub's own prediction is requested.
    @Test func retryAfter() throws {
        var chased = Chased(prediction: .onlineOnly, sondeHub: SondeHubOptions.payerne)
        chased.script.closeLink(.silent)
        chased.script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        chased.altitude = 9000
        let asked = chased.script.answerPoll([chased.record()]) + chased.script.wait(1)
        #expect(chased.script.state == .aprsFlying)
        let busy = OnlineServiceError(.rateLimited, "slow down", retryAfter: .seconds(600))
        let own = chased.script.run(.answered(try #require(asked.questions.first?.id), .failed(busy))).sondeHubQuestions
        #expect(own.count == 1)
        chased.script.run(.answered(try #require(own.first), .prediction(nil)))
        for _ in 0..<4 {
            let next = chased.goOnSondeHub(60)
            #expect(next.questions.isEmpty)
            #expect(next.sondeHubQuestions.count == 1)
        }
    }

    @Test func switchedOff() throws {
        var none = Chased(prediction: .off)
        let outcome = none.go(120, up: 5)
        #expect(outcome.questions.isEmpty && outcome.predictions.isEmpty)
        #expect(none.prediction == nil && none.landing == nil)
        #expect(none.script.command("{\"predict\":true}").answers == ["rejected:unavailable!"])
        var online = Chased(prediction: .onlineOnly)
        #expect(online.go(120, up: 5).predictions.isEmpty)
    }

    /// On the launch pad there is no request and no prediction, for hours. Both begin with the ascent.
    @Test func onTheLaunchPad() {
        var options = PredictionOptions()
        options.launchSites = [Coordinate(latitude: 47, longitude: 8.54)]
        var chased = Chased(prediction: options)
        var outcome = chased.go(900, north: 0, every: 3)
        // The sonde is carried to the launch pad.
        outcome += chased.go(120, north: 1.5)
        outcome += chased.go(300, north: 0, every: 3)
        #expect(outcome.questions.isEmpty && outcome.predictions.isEmpty && outcome.told(.firstPrediction).isEmpty)
        #expect(chased.go(11, up: 5).questions.isEmpty)
        outcome = chased.go(25, up: 5)
        #expect(outcome.questions.map(\.query.ascentRate) == [5])
        outcome = chased.go(60, up: 5)
        #expect(abs((outcome.predictions.last?.forecast.prediction.inputs.ascentRate ?? 0) - 5) < 0.01)
    }

    // MARK: - Which prediction is used

    /// The online prediction is used for five minutes, then that of own winds.
    @Test func theOnlinePredictionHoldsForFiveMinutes() throws {
        var chased = Chased(prediction: PredictionOptions())
        let first = chased.go(90, up: 5, north: 40).questions
        #expect(chased.prediction?.method == .ownWinds)
        #expect(chased.prediction?.ownWinds == nil)
        _ = chased.answer(first.last)
        #expect(chased.prediction?.method == .tawhiri)
        #expect(chased.prediction?.ownWinds != nil)
        #expect(chased.landing?.source == "predicted")
        var seconds = 0
        while chased.prediction?.method == .tawhiri, seconds < 400 {
            for question in chased.go(1, up: 5, north: 40).questions {
                chased.script.run(.answered(question.id, Self.failure))
            }
            seconds += 1
        }
        #expect((299...301).contains(seconds))
        #expect(chased.prediction?.method == .ownWinds)
        let health = chased.script.health()
        #expect(health?.counted[.predictionFailures] ?? 0 >= 3)
    }

    /// Without own winds the last online prediction stays, with its age.
    @Test func aFailureKeepsTheLastOne() throws {
        var chased = Chased(prediction: .onlineOnly)
        let first = chased.go(15, up: 5, north: 40).questions
        _ = chased.answer(first.first)
        let kept = try #require(chased.prediction)
        let place = try #require(chased.landing?.coordinate)
        for _ in 0..<10 {
            let outcome = chased.go(64, up: 5, north: 40, every: 2)
            #expect(outcome.predictions.isEmpty)
            let question = try #require(outcome.questions.first)
            chased.script.run(.answered(question.id, Self.failure))
        }
        #expect(chased.prediction == kept)
        #expect(639_990...640_000 ~= chased.prediction?.payload(at: chased.script.now.monotonic).field("age_ms") ?? 0)
        #expect(chased.landing?.coordinate == place)
        #expect(639_990...640_000 ~= chased.landing?.payload(at: chased.script.now.monotonic).field("age_ms") ?? 0)
    }

    /// The burst ends all predictions made before it, even if the answer comes later.
    @Test func theBurstEndsEarlierPredictions() throws {
        var chased = Chased(altitude: 8000, prediction: PredictionOptions())
        chased.go(500, up: 5, every: 2)
        chased.script.command("{\"predict\":true}")
        let rising = chased.go(60, up: 5, north: 40).questions
        #expect(rising.count == 1)
        _ = chased.answer(rising.first)
        #expect(chased.prediction?.method == .tawhiri)
        let late = chased.go(70, up: 5, north: 40).questions
        var falling = Script.Outcome()
        while falling.told(.burst).isEmpty { falling += chased.go(1, up: -20, north: 0) }
        #expect(chased.prediction?.method == .ownWinds)
        _ = chased.answer(late.last)
        #expect(chased.prediction?.method == .ownWinds)
        let onCommand = chased.script.command("{\"predict\":true}").questions
        let question = try #require(onCommand.first)
        #expect(question.query.burstAltitudeMetres == Double(Int(chased.altitude)) + 10)
        _ = chased.answer(question)
        #expect(chased.prediction?.method == .tawhiri)
    }

    /// In the descent below 5 km above ground own winds are used, because they come with each point.
    @Test func nearTheGroundOwnWindsCount() throws {
        var options = PredictionOptions()
        options.groundAltitudeMetres = 400
        var chased = Chased(altitude: 9000, prediction: options)
        _ = chased.answer(chased.go(61, up: -20, every: 1).questions.last)
        #expect(chased.prediction?.method == .tawhiri)
        while chased.altitude > 5460 {
            for question in chased.go(1, up: -20).questions { _ = chased.answer(question) }
        }
        #expect(chased.prediction?.method == .tawhiri)
        for question in chased.go(6, up: -20).questions { _ = chased.answer(question) }
        // Also at the moment of an online answer.
        for _ in 0..<70 {
            #expect(chased.prediction?.method == .ownWinds)
            for question in chased.go(1, up: -20).questions { _ = chased.answer(question) }
        }
    }

    /// SondeHub's own prediction is used only while the position comes from SondeHub and Tawhiri has none. Its age is
    /// SondeHub's.
    @Test(arguments: [(30.0, true), (400.0, false)])
    func sondeHubsPredictionIsUsed(_ age: Double, _ isInForce: Bool) throws {
        var chased = Chased(prediction: PredictionOptions(), sondeHub: SondeHubOptions.payerne)
        chased.script.closeLink(.silent)
        chased.script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        chased.altitude = 3000
        chased.script.answerPoll([chased.record()])
        var outcome = Script.Outcome()
        for second in 0..<400 where second < 90 || outcome.sondeHubQuestions.isEmpty {
            outcome += chased.goOnSondeHub(1)
            for question in outcome.questions {
                outcome += chased.script.run(.answered(question.id, Self.failure))
            }
        }
        #expect(chased.script.state == .aprsFlying)
        let id = try #require(outcome.sondeHubQuestions.last)
        let now = chased.script.now.wall
        let made = Chased.prediction(
            from: chased.place, 30_000, at: now, madeAt: now.advanced(by: .seconds(-age)))
        chased.script.run(.answered(id, .prediction(made)))
        #expect(chased.prediction?.method == (isInForce ? .sondehub : .ownWinds))
        if isInForce {
            #expect(
                chased.prediction?.payload(at: chased.script.now.monotonic).field("age_ms") == Int(age * 1000))
        }
    }

    /// If Tawhiri fails once, an older prediction of SondeHub does not replace its last answer.
    @Test func anOlderPredictionOfSondeHubIsIgnored() throws {
        var chased = Chased(prediction: PredictionOptions(), sondeHub: SondeHubOptions.payerne)
        chased.script.closeLink(.silent)
        chased.script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        chased.altitude = 3000
        let asked = chased.script.answerPoll([chased.record()]) + chased.goOnSondeHub(5)
        _ = chased.answer(asked.questions.last)
        #expect(chased.prediction?.method == .tawhiri)
        var outcome = Script.Outcome()
        for _ in 0..<200 where outcome.sondeHubQuestions.isEmpty {
            let step = chased.goOnSondeHub(1, up: 20)
            outcome += step
            for question in step.questions { outcome += chased.script.run(.answered(question.id, Self.failure)) }
        }
        let now = chased.script.now.wall
        let madeAt = now.advanced(by: .seconds(-250))
        let made = Chased.prediction(from: chased.place, 30_000, at: madeAt, madeAt: madeAt)
        chased.script.run(.answered(try #require(outcome.sondeHubQuestions.last), .prediction(made)))
        #expect(chased.prediction?.method == .tawhiri)
    }

    /// There is at most one prediction a second, and none after the landing.
    @Test func atMostOnceASecond() throws {
        var chased = Chased(prediction: .ownWindsOnly)
        chased.go(70, up: 5)
        var made: Set<WallTime> = []
        for _ in 0..<50 {
            chased.script.advance(0.1)
            chased.altitude += 0.5
            for report in chased.hear().predictions { made.insert(report.forecast.computedAt.wall) }
        }
        #expect((4...6).contains(made.count))
    }

    @Test func nothingAfterTheLanding() throws {
        var chased = Chased(altitude: 3000, prediction: PredictionOptions())
        chased.fall(to: 500, rate: 8)
        #expect(chased.go(60, north: 0).told(.landed).count == 1)
        let after = chased.go(200, north: 0)
        #expect(after.questions.isEmpty && after.predictions.isEmpty)
        #expect(chased.landing?.source == "observed")
        #expect(chased.script.command("{\"predict\":true}").answers == ["rejected:no_sonde!"])
    }

    // MARK: - The first minutes

    /// Simulated flights from the launch pad: no prediction at the start of the climb, then plausible ones.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64], [0, 400] as [Double])
    func theFirstMinutes(_ seed: UInt64, _ pad: Double) throws {
        var model = FlightModel(seed: seed, launchDelay: .seconds(pad))
        let ground = model.altitudeMetres
        var script = Script(prediction: .ownWindsOnly)
        script.connect()
        var outcome = Script.Outcome()
        var shortest = Double.infinity
        var longest = 0.0
        var leaps = 0
        var before: Coordinate?
        for second in 0..<(Int(pad) + 900) {
            model.advance(by: .seconds(1))
            script.wait(1)
            let north = String(format: "%.5f", model.latitude)
            let east = String(format: "%.5f", model.longitude)
            let frame = Script.position(latitude: north, altitude: Int(model.altitudeMetres))
                .replacingOccurrences(of: "/8.54/", with: "/\(east)/")
            let step = script.frame(frame)
            outcome += step
            // From the pad the first prediction is said late: before, hardly anything is measured.
            if pad > 0, !step.told(.firstPrediction).isEmpty { #expect(model.altitudeMetres - ground > 950) }
            guard let prediction = step.predictions.last else { continue }
            #expect(Double(second) >= 59)
            shortest = min(shortest, prediction.forecast.prediction.minutesToGo)
            longest = max(longest, prediction.forecast.prediction.minutesToGo)
            let place = prediction.forecast.prediction.landing.coordinate
            if let before, before.distanceMetres(to: place) > 5000 { leaps += 1 }
            before = place
        }
        #expect((80...200).contains(shortest) && longest < 220, "\(shortest) to \(longest) minutes")
        // One leap: from the configured ascent rate to the measured one.
        #expect(leaps <= 1)
        #expect(outcome.told(.firstPrediction).count == 1)
        let said = outcome.told(.landingMoved).filter(\.speak)
        #expect(said.count <= 6, "\(said.map(\.english))")
    }
}

extension [UInt8] {
    /// An integer of a payload.
    fileprivate func field(_ name: String) -> Int? {
        let object = (try? JSONSerialization.jsonObject(with: Data(self))) as? [String: Any]
        return object?[name] as? Int
    }
}
