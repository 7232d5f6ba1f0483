import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The order of the spoken sentences, and the sentences for a landing that nobody has observed.
@Suite struct SpokenSentenceTests {
    private static func announcement(_ metres: Double) -> Announcement {
        .distance(metres: metres, to: Coordinate(latitude: 47, longitude: 8))
    }

    private static let point = TrackPoint(
        time: WallTime(millisecondsSince1970: 0), coordinate: Coordinate(latitude: 47, longitude: 8),
        altitudeMetres: 500, source: .ble)

    private static func length(_ announcement: Announcement) -> Duration {
        .seconds(announcement.event == .landed ? 4 : 2)
    }

    /// A sentence begins a second after the end of the last one. A newer one replaces a waiting one of its kind. Landing,
    /// burst and loss go first.
    @Test func oneAfterTheOther() {
        var speech = Speech(quiet: [.scored])
        var said: [(Double, Announcement)] = []
        let wanted: [(Double, Announcement)] = [
            (0, .storeRecovered), (0.5, Self.announcement(2000)), (1, Self.announcement(1000)),
            (1.5, .aprsNames), (2, .burst(Self.point)),
            (2, .stateChanged(.waitingForAPRS, from: .liveBLEFlying, .receiverTelemetryLost)),
            (2.5, .landed(Self.point)), (2.6, .scored(LandingScore([:], landing: Self.point))), (60, .airborne),
        ]
        for tenth in 0...700 {
            let seconds = Double(tenth) / 10
            let now = MonotonicTime.zero.advanced(by: .seconds(seconds))
            for (at, announcement) in wanted where at == seconds { _ = speech.queue(announcement, at: now) }
            if let next = speech.next(at: now, length: Self.length) { said.append((seconds, next)) }
            if let deadline = speech.deadline { #expect(deadline > now) }
        }
        let expected: [(Double, Announcement)] = [
            (0, .storeRecovered), (3, .landed(Self.point)), (8, .burst(Self.point)),
            (11, .stateChanged(.waitingForAPRS, from: .liveBLEFlying, .receiverTelemetryLost)),
            (14, Self.announcement(1000)), (17, .aprsNames), (60, .airborne),
        ]
        #expect(said.map(\.0) == expected.map(\.0))
        #expect(said.map(\.1) == expected.map(\.1))
        #expect(speech.deadline == nil)
    }

    /// A sentence that has waited for half a minute is not said any more.
    @Test func oldSentencesAreNotSaid() {
        var speech = Speech()
        for event in 0..<20 {
            let time = MonotonicTime.zero.advanced(by: .seconds(Double(event) * 2.9))
            _ = speech.queue(.burst(Self.point), at: time)
            if event == 0 { _ = speech.queue(.aprsNames, at: time) }
            #expect(speech.next(at: time, length: Self.length) != .aprsNames)
        }
        #expect(speech.next(at: MonotonicTime.zero.advanced(by: .seconds(100)), length: Self.length) == nil)
    }

    /// An event is published at once; a sentence that must wait comes as `said`.
    @Test func waitingSentencesFollow() throws {
        var script = Script()
        script.connect()
        script.wait(10)
        let first = script.run(.storeReplaced("The store was damaged."))
        let said = try #require(first.spoken.first)
        #expect(first.spoken.count == 1)
        let book = Language.english.phrasebook
        let length = book.seconds(toSay: book.speech(for: said.announcement, from: nil)).rounded(.up)
        #expect(length > 1)
        script.wait(1)
        let second = script.run(.storeChanged(StoreError(.full, "no space")))
        #expect(second.announcements.count == 1 && second.spoken.isEmpty)
        #expect(script.wait(length - 0.1).spoken.isEmpty)
        let later = script.wait(0.2)
        let event = try #require(later.objects(on: "/event").first)
        #expect(event["event"] as? String == "said" && event["of"] as? String == "store_failed")
        #expect(event["speak"] as? Bool == true && event["reason"] == nil)
        #expect(later.announcements.isEmpty && later.spoken.count == 1)
        #expect(script.wait(1.5).spoken.isEmpty)
    }

    /// Seconds without the sonde -> the sentences: the loss after a minute, and the return only after a said loss.
    @Test(
        arguments: [(20, []), (58, []), (70, ["The receiver lost the sonde.", "The receiver hears the sonde."])]
            as [(Int, [String])])
    func aLossIsSaidAfterAMinute(_ seconds: Int, _ expected: [String]) {
        var chased = Chased(altitude: 500, prediction: .off)
        let begun = chased.go(60, up: 5)
        #expect(begun.spoken(.stateChanged).isEmpty)
        var outcome = Script.Outcome()
        for _ in 0..<(seconds / 2) {
            outcome += chased.script.frame(Script.searching)
            outcome += chased.script.wait(2)
        }
        outcome += chased.go(20, up: 5)
        #expect(outcome.spoken(.stateChanged).map(\.text) == expected)
        // The events themselves are still published.
        if seconds > 15 { #expect(outcome.told(.stateChanged).count >= 2) }
    }

    /// The receiver hears the sonde, but its places can't be right. The sonde is not lost.
    @Test(arguments: ["61000/10/2", "9000/10/-130"]) func framesWithoutAUsablePlaceAreNoLoss(_ place: String) {
        var chased = Chased(altitude: 500, prediction: .off)
        chased.go(60, up: 5)
        var outcome = Script.Outcome()
        for _ in 0..<100 {
            outcome += chased.script.wait(1)
            outcome += chased.script.frame(
                "1/RS41/403.500/V4210150/47.38/8.54/\(place)/117.5/100/0/0/0/4274/0/0/0/0/3.10/o")
        }
        #expect(outcome.spoken(.stateChanged).isEmpty)
        for _ in 0..<40 {
            outcome += chased.script.wait(2)
            outcome += chased.script.frame(Script.searching)
        }
        #expect(outcome.spoken(.stateChanged).map(\.text) == ["The receiver lost the sonde."])
    }

    /// A sonde that is behind hills for half a minute every two minutes causes no sentence.
    @Test func aHillyRoadIsQuiet() {
        var chased = Chased(altitude: 500, prediction: .off)
        var outcome = Script.Outcome()
        for _ in 0..<30 {
            outcome += chased.go(90, up: 5)
            for _ in 0..<15 {
                outcome += chased.script.frame(Script.searching)
                outcome += chased.script.wait(2)
            }
        }
        #expect(outcome.told(.stateChanged).count > 30 && outcome.spoken(.stateChanged).isEmpty)
    }

    /// A proposal that exists at the start is said, although the start says other things.
    @Test func aProposalAtTheStart() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.openLink()
        var outcome = script.answerPoll([Script.record("V4210150", frequency: 404.5)])
        outcome += script.frame(Script.searching)
        outcome += script.wait(20)
        #expect(outcome.spoken(.receiverOnline).count == 1)
        #expect(outcome.spoken(.frequencyProposal).count == 1)
        for (one, next) in zip(outcome.spoken, outcome.spoken.dropFirst()) {
            let book = Language.english.phrasebook
            let length = book.seconds(toSay: book.speech(for: one.announcement, from: nil))
            #expect(next.at.duration(since: one.at).inSeconds >= length + Speech.pause.inSeconds)
        }
    }

    /// Altitudes are said at each step on the way up, and at 10, 5, 2 and 1 km on the way down.
    @Test(
        arguments: [
            (5000.0, ["Climbing through 5 kilometres.", "Climbing through 10 kilometres."]),
            (10_000, ["Climbing through 10 kilometres."]), (0, []),
        ] as [(Double, [String])]) func altitudes(_ step: Double, _ up: [String])
    {
        var chased = Chased(altitude: 500, prediction: .off)
        chased.script.run(.chaseChanged(ChaseOptions(altitudeStepMetres: step), []))
        var outcome = chased.go(2400, up: 5)
        outcome += chased.fall(to: 600, rate: 6)
        let down = [10, 5, 2].map { "Falling through \($0) kilometres." } + ["Falling through 1 kilometre."]
        #expect(outcome.spoken(.altitude).map(\.text) == up + (step == 0 ? [] : down))
        #expect(outcome.told(.below10km).count == 1)
        #expect(outcome.spoken(.below10km).count == (step == 0 ? 1 : 0))
    }

    /// The altitude of 10 km is said once for a balloon that floats around it.
    @Test func aFloatingBalloonSaysOneAltitude() {
        var milestones = Milestones()
        var said: [EventName] = []
        for metres in [9900.0, 10_050, 9950, 10_100, 9990, 10_010] {
            var facts = Facts()
            facts.sonde.altitudeMetres = metres
            facts.sonde.phase = PhaseVerdict(.ascending, nil)
            var turn = Turn(at: Script().now, calls: Calls())
            milestones.follow(facts, &turn)
            said += Script.Outcome(actions: turn.actions).told(.altitude).map(\.announcement.event)
        }
        #expect(said == [.altitude])
    }

    /// Altitudes of a climb and of the fall after it -> the altitudes that are said on the way down. One that the balloon
    /// has not been clearly above is not fallen through.
    @Test(
        arguments: [
            ([4900], [4890, 2000], [2000]), ([5150], [4990], []), ([5250], [4990], [5000]),
            ([4999, 5001], [4998, 5002, 4997], []), ([12_000], [9990, 10_010, 9980], [10_000]),
        ] as [([Double], [Double], [Double])])
    func altitudesOfAFall(_ climb: [Double], _ fall: [Double], _ said: [Double]) {
        var milestones = Milestones()
        var falls: [Double] = []
        let phases = climb.map { ($0, FlightPhase.ascending) } + fall.map { ($0, .descendingBelow10k) }
        for (metres, phase) in phases {
            var facts = Facts()
            facts.sonde.altitudeMetres = metres
            facts.sonde.phase = PhaseVerdict(phase, nil)
            var turn = Turn(at: Script().now, calls: Calls())
            milestones.follow(facts, &turn)
            for told in Script.Outcome(actions: turn.actions).told(.altitude) {
                if case .altitude(let metres, false) = told.announcement { falls.append(metres) }
            }
        }
        #expect(falls == said)
    }

    /// A low battery is said once for each limit and link, by percent or millivolts. A single frame may be wrong.
    @Test func theReceiversBattery() {
        func frame(_ percent: String, _ millivolts: Int) -> String {
            "0/RS41/403.500/120.5/\(percent)/\(millivolts)/0/3.10/o"
        }
        func told(_ frames: [String]) -> [String] {
            var script = Script()
            script.connect()
            var outcome = Script.Outcome()
            for frame in frames { outcome += script.wait(1) + script.frame(frame) }
            return outcome.told(.receiverBatteryLow).map(\.text)
        }
        let three = { (frame: String) in [frame, frame, frame] }
        #expect(told(three(frame("21", 3400))) == [])
        #expect(told([frame("20", 3500), frame("100", 3500), frame("20", 3500)]) == [])
        #expect(
            told(
                three(frame("18", 3500)) + three(frame("19", 3500)) + three(frame("9", 3300)) + three(frame("8", 3300)))
                == ["The receiver's battery is at 18 percent.", "The receiver's battery is at 9 percent."])
        #expect(
            told(three(frame("?", 3450)) + three(frame("?", 3290)))
                == ["The receiver's battery is at 3.5 volts.", "The receiver's battery is at 3.3 volts."])
        #expect(told(three(frame("0", 0))) == [])
        // Another link says it again after ten minutes.
        var script = Script()
        for (pause, times) in [(0.0, 1), (300, 1), (600, 2)] {
            var outcome = Script.Outcome()
            for _ in 0..<2 {
                script.openLink()
                for _ in 0..<5 { outcome += script.wait(1) + script.frame(frame("15", 3400)) }
                script.closeLink()
                outcome += script.wait(pause)
            }
            #expect(outcome.told(.receiverBatteryLow).count == times, "\(pause)")
            script.wait(700)
        }
    }

    /// Twelve restarts within 90 s: the first is said, then the advice, and nothing until it is steady. Over a cable or
    /// the network the receiver's battery is not to blame.
    @Test(arguments: [true, false], [true, false])
    func aReceiverThatKeepsRestarting(_ isBackInTheEnd: Bool, _ isByRadio: Bool) {
        var script = Script()
        script.connect()
        var said: [String] = []
        func note(_ outcome: Script.Outcome) { said += outcome.said }
        note(script.wait(30) + script.frame(Script.position()))
        said = []
        for restart in 0..<12 {
            note(script.closeLink() + script.wait(4))
            guard restart < 11 || isBackInTheEnd else { break }
            script.openLink(address: isByRadio ? "AA:BB:CC:DD:EE:FF" : nil)
            note(script.frame(Script.position()) + script.wait(3.5))
        }
        #expect(said.count == 3, "\(said)")
        let advice =
            isByRadio
            ? "The receiver keeps restarting. Check its battery."
            : "The connection to the receiver keeps breaking. Check the cable or the network."
        #expect(said.last == advice, "\(said)")
        said = []
        for _ in 0..<100 {
            if isBackInTheEnd { note(script.frame(Script.position())) }
            note(script.wait(1))
        }
        #expect(said.filter { $0.hasPrefix("Receiver lost") }.count == (isBackInTheEnd ? 0 : 1), "\(said)")
        // Later ones are said again.
        said = []
        if isBackInTheEnd {
            note(script.closeLink() + script.wait(4))
            #expect(said.contains { $0.hasPrefix("Receiver lost") }, "\(said)")
        }
    }

    /// A board on a cable restarts every two seconds, and its boot text says so, with frames or without. The voice says it
    /// once, and again after a minute of rest. Of the sonde nothing is said while no frame has come.
    @Test(arguments: [false, true]) func aBoardThatRestartsOnItsCable(_ hasFrames: Bool) {
        var script = Script()
        script.openLink()
        var said: [String] = []
        func note(_ outcome: Script.Outcome) { said += outcome.said }
        func boot(_ number: Int) {
            // Without a frame the link is closed after 15 s, and opened anew.
            if !hasFrames, number % 6 == 5 { note(script.closeLink() + script.openLink()) }
            for _ in 0..<3 { note(script.run(.frameRejected(.bootText))) }
            if hasFrames { note(script.frame(Script.position())) }
            note(script.wait(2))
        }
        // Opening the device restarts the board, too.
        for _ in 0..<5 where !hasFrames {
            note(script.closeLink() + script.openLink())
            boot(0)
        }
        #expect(said.isEmpty, "\(said)")
        let advice = "The receiver keeps restarting. Check its power supply and its cable."
        for number in 0..<50 { boot(number) }
        #expect(said.filter { $0 == advice }.count == 1, "\(said)")
        #expect(!said.contains { $0.contains("hears") }, "\(said)")
        said = []
        for _ in 0..<70 {
            if hasFrames { note(script.frame(Script.position())) }
            note(script.wait(1))
        }
        if !hasFrames { note(script.closeLink() + script.openLink()) }
        for _ in 0..<5 { boot(0) }
        #expect(said.filter { $0 == advice }.count == 1, "\(said)")
    }

    /// The status is said on request and every few minutes. Unknown parts are left out.
    @Test func theState() throws {
        var chased = Chased(altitude: 9000, prediction: .ownWindsOnly)
        let nothing = chased.script.command(#"{"request":"status","id":1}"#)
        #expect(nothing.answers == ["done!"])
        #expect(nothing.told(.status).map(\.text) == ["Nobody hears the sonde."])
        chased.fall(to: 4300, rate: 6)
        let far = chased.script.command(#"{"request":"status"}"#).told(.status).map(\.text)
        #expect(far.count == 1 && far[0].hasPrefix("Falling at 8 metres per second, 4300 metres high. Lands in "))
        let landing = try #require(chased.landing?.coordinate)
        chased.script.fix(at: landing.moved(east: -14_000, north: 0), course: 90)
        chased.go(1, up: -7)
        let near = chased.script.command(#"{"request":"status"}"#).told(.status).map(\.text)
        #expect(near.count == 1 && near[0].contains(" minutes, 14 kilometres ahead. You arrive about "))
        // Every five minutes, while there is a sonde.
        chased.script.run(.chaseChanged(ChaseOptions(statusInterval: .seconds(300)), []))
        let flying = chased.fall(to: 500, rate: 6) + chased.go(700, north: 0)
        let said = flying.told(.status).map(\.text)
        #expect((3...4).contains(said.count), "\(said)")
        #expect(said.last?.hasPrefix("On the ground") == true)
        chased.script.closeLink()
        #expect(chased.script.wait(1200).told(.status).isEmpty)
    }

    /// The sonde is low and then silent. The guessed place is the crew's own landing point, else the last position.
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
        // The receiver still searches. The car stands 600 m before the last position.
        let here = Coordinate(latitude: 47.0, longitude: 8.54).moved(east: -600, north: 0)
        for _ in 0..<310 {
            outcome += script.frame(Script.searching)
            outcome += script.fix(at: here)
            outcome += script.wait(1)
        }
        let event = try #require(outcome.objects(on: "/event").first { $0["event"] as? String == "landed" })
        #expect(event["reason"] as? String == "sondehub_silent")
        #expect(
            event["text"] as? String
                == "No position any more: the sonde has probably landed "
                + (isPointKnown ? "5.2 kilometres ahead." : "600 metres ahead."))
        let guess = try #require(event["guess"] as? [String: Double])
        #expect(guess == (isPointKnown ? ["latitude": 47, "longitude": 8.6] : ["latitude": 47, "longitude": 8.54]))
        #expect(event["latitude"] as? Double == 47 && event["longitude"] as? Double == 8.54)
        // When the sonde is heard again, it lies on the ground, or it has been in the air all the time.
        var again = Script.Outcome()
        for _ in 0..<5 {
            again += script.frame(Script.position(latitude: "47.0", altitude: isPointKnown ? 1150 : 500))
            again += script.wait(1)
        }
        #expect(again.objects(on: "/event").contains { $0["event"] as? String == "landing_revoked" } == isPointKnown)
    }
}

extension Script.Outcome {
    /// The sentences that a voice says.
    fileprivate var said: [String] {
        reports.compactMap { report in
            guard case .announcement(let told) = report, told.speak else { return nil }
            return told.english
        }
    }
}
