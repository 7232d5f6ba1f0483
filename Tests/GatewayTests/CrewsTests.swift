import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The other crews that SondeHub shows.
@Suite struct CrewsTests {
    private static let goal = Coordinate(latitude: 47.5, longitude: 8.6)
    private static let setGoal = "{\"landing_point\":{\"latitude\":47.5,\"longitude\":8.6}}"

    private func hunting(_ isOn: Bool = true, crewsAtSonde: String? = nil) -> Script {
        var options = SondeHubOptions.payerne
        options.showsCrews = isOn
        var memory = GatewayMemory()
        memory.settings[.crewsAtSonde] = crewsAtSonde
        var script = Script(sondeHub: options, memory: memory)
        script.connect()
        for _ in 0..<3 { script.frame(Script.position()) }
        return script
    }

    /// One second of a chase.
    private func pass(_ second: Int, _ script: inout Script) -> Script.Outcome {
        var outcome = second == 0 ? script.command(Self.setGoal) : Script.Outcome()
        outcome += script.frame(Script.position())
        outcome += script.fix()
        return outcome + script.wait(1)
    }

    private func call(_ outcome: Script.Outcome) -> (id: CallID, places: [Coordinate])? {
        for case .call(let id, .crews(let places)) in outcome.actions { return (id, places) }
        return nil
    }

    private func crew(_ name: String, at place: Coordinate, in script: Script, age: Int64 = 5) -> CrewPosition {
        CrewPosition(callSign: name, coordinate: place, time: script.now.wall.advanced(byMilliseconds: -age * 1000))
    }

    @Test func crewsAreAskedForOnceAMinute() throws {
        var script = hunting()
        var asked: [[Coordinate]] = []
        for second in 0..<300 {
            guard let call = call(pass(second, &script)) else { continue }
            asked.append(call.places)
            let answered = script.run(.answered(call.id, .crews([crew("HB9ABC", at: Self.goal, in: script)])))
            let list = answered.messages(on: "/test/crews").last.map { String(decoding: $0.payload, as: UTF8.self) }
            #expect(list?.contains("\"callsign\":\"HB9ABC\"") ?? false)
        }
        #expect((4...6).contains(asked.count), "\(asked.count)")
        #expect(asked.first?.first == Self.goal && asked.last?.last == Script.car)
        let stopped = script.stop() + script.wait(120)
        #expect(call(stopped) == nil)
    }

    /// A GPS that flickers, and a server that does not answer: still once a minute. Each fix counts for 10 s.
    @Test func aFlickeringPositionDoesNotAskMoreOften() throws {
        var script = hunting()
        var asked = 0
        for second in 0..<150 {
            var outcome = script.frame(Script.position())
            if second % 13 == 0 { outcome += script.fix() }
            outcome += script.wait(1)
            asked += outcome.actions.count { if case .call(_, .crews) = $0 { true } else { false } }
        }
        #expect(asked == 3, "\(asked)")
    }

    @Test func nobodyIsAskedUnlessItIsSwitchedOn() {
        var script = hunting(false)
        var outcome = Script.Outcome()
        for second in 0..<120 { outcome += pass(second, &script) }
        #expect(call(outcome) == nil)
    }

    /// A crew that waits at the expected landing point is not at the sonde.
    @Test func aCrewThatWaitsIsNotAtTheSonde() throws {
        var script = hunting()
        var answers = 0
        for second in 0..<300 {
            var outcome = second == 0 ? script.command(Self.setGoal) : Script.Outcome()
            outcome += script.frame(Script.position(altitude: 9000 - second * 8)) + script.fix() + script.wait(1)
            if let call = call(outcome) {
                answers += 1
                outcome += script.run(.answered(call.id, .crews([crew("HB9ABC", at: Self.goal, in: script)])))
            }
            #expect(outcome.announcements.allSatisfy { $0.event != .crewAtSonde })
        }
        #expect(answers > 3)
    }

    /// A crew that stays within 200 m of the landing point for 60 s is announced, once per crew and sonde, also over a
    /// restart. What an earlier run has stored -> the crews that are announced.
    @Test(
        arguments: [
            (nil, ["HB9ABC"]), ("V4210150\tHB9ABC", []), ("V4210150\tHB9DEF", ["HB9ABC"]), ("R1\tHB9ABC", ["HB9ABC"]),
            ("", ["HB9ABC"]),
        ] as [(String?, [String])])
    func aCrewAtTheSondeIsSaidOnce(_ stored: String?, _ names: [String]) throws {
        var script = hunting(crewsAtSonde: stored)
        var outcome = Script.Outcome()
        for second in 0..<400 {
            let step = pass(second, &script)
            outcome += step
            guard let call = call(step) else { continue }
            let crews = [
                crew("HB9ABC", at: Self.goal.moved(east: 150, north: 0), in: script),
                // This crew drives past.
                crew("HB9DEF", at: Self.goal.moved(east: second < 10 ? 100 : 900, north: 0), in: script),
                crew("HB9OLD", at: Self.goal, in: script, age: 1000),
            ]
            outcome += script.run(.answered(call.id, .crews(crews)))
        }
        #expect(outcome.announcements.filter { $0.event == .crewAtSonde } == names.map { .crewAtSonde($0) })
        let written = outcome.entries.compactMap { entry -> String? in
            if case .setting(.crewsAtSonde, let text) = entry { text } else { nil }
        }
        let both = stored == "V4210150\tHB9DEF" ? #"["HB9ABC","HB9DEF"]"# : #"["HB9ABC"]"#
        #expect(written == (names.isEmpty ? [] : [#"{"crews":\#(both),"serial":"V4210150"}"#]))
        var chase: ChaseReport?
        if case .chase(let report)? = script.newest[.chase] { chase = report }
        #expect(chase?.nearestCrew?.position.callSign == "HB9ABC")
    }

    /// A crew waits at the landing point while the sonde comes down. The state of the crew's report of recovery ->
    /// whether the first answer after the landing announces the crew.
    @Test(arguments: [(nil, true), (.planned, true), (.recovered, false)] as [(RecoveryState?, Bool)])
    func aCrewThatWasThereBeforeTheLanding(_ state: RecoveryState?, _ isSaid: Bool) throws {
        var options = SondeHubOptions.payerne
        options.showsCrews = true
        var chased = Chased(altitude: 3000, prediction: .off, sondeHub: options)
        var (said, answers) = ([Announcement](), 0)
        for _ in 0..<900 where answers < 1 {
            let isFlying = chased.altitude > 500
            let goal = Coordinate(latitude: chased.latitude, longitude: 8.54)
            var step = isFlying ? chased.go(1, up: -8, north: 0) : chased.go(1, north: 0)
            step += chased.script.command(
                "{\"landing_point\":{\"latitude\":\(goal.latitude),\"longitude\":\(goal.longitude)}}")
            let isDown = chased.script.flight?.phase.phase == .landed
            if let state {
                let recovery = Recovery(
                    Script.record(chased.serial).serial, state, by: "HB9ABC", at: chased.script.now.wall,
                    coordinate: goal, altitudeMetres: 500)
                for case .call(let id, .recoveries) in step.actions {
                    chased.script.run(.answered(id, .recoveries([recovery])))
                }
            }
            guard let call = call(step) else { continue }
            // The sonde falls for five minutes.
            let crews = [crew("HB9ABC", at: goal, in: chased.script)]
            let answered = chased.script.run(.answered(call.id, .crews(crews)))
            said += answered.announcements.filter { $0.event == .crewAtSonde }
            if isDown { answers += 1 }
        }
        #expect(answers == 1)
        #expect(said == (isSaid ? [.crewAtSonde("HB9ABC")] : []))
    }

    /// After failures the next question comes later, after up to 15 minutes, or after the time that the server asks for.
    @Test(arguments: [(nil, 3...8), (.seconds(3600), 1...1)] as [(Duration?, ClosedRange<Int>)])
    func failuresBackOff(_ retryAfter: Duration?, _ count: ClosedRange<Int>) {
        var script = hunting()
        var asked = 0
        for second in 0..<1800 {
            guard let call = call(pass(second, &script)) else { continue }
            asked += 1
            script.run(.answered(call.id, .failed(OnlineServiceError(.status, "503", retryAfter: retryAfter))))
        }
        #expect(count.contains(asked), "\(asked)")
    }
}
