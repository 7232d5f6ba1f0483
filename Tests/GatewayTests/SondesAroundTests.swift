import FlightMath
import Foundation
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway

/// The report of the sondes around.
@Suite struct SondesAroundTests {
    private static func script(looksAround: Bool = false, memory: GatewayMemory = GatewayMemory()) -> Script {
        var options = SondeHubOptions.payerne
        options.looksAround = looksAround
        var script = Script(sondeHub: options, memory: memory)
        script.brokerConnected()
        return script
    }

    private static func record(
        _ serial: String, age: Double = 5, latitude: Double = 47, altitude: Double = 9000, climb: Double? = 5
    ) -> SondeHubRecord {
        var record = Script.record(serial, at: -age, latitude: latitude, altitude: altitude, frequency: 403.5)
        record.verticalSpeed = climb
        record.horizontalSpeed = climb == 0 ? 0 : 10
        return record
    }

    private static func sondes(_ script: Script) -> [SondesReport.Sonde] {
        if case .sondes(let report) = script.newest[.sondes] { report.sondes } else { [] }
    }

    private static func names(_ script: Script) -> [String] { sondes(script).map(\.serial.canonical) }

    /// The answer to a poll holds three sondes; the gateway follows one, and the report shows all.
    @Test func allSondesOfAnAnswerAreShown() throws {
        var script = Self.script()
        script.fix(at: Coordinate(latitude: 47.05, longitude: 8))
        let outcome = script.answerPoll([
            Self.record("V1", latitude: 47.5), Self.record("V2", latitude: 47), Self.record("V3", age: 2, latitude: 48),
        ])
        #expect(Self.names(script) == ["V2", "V1", "V3"])
        #expect(Self.sondes(script).map(\.isHunted) == [true, false, false])
        let payload = try #require(outcome.objects(on: "/sondes").last?["sondes"] as? [[String: Any]])
        #expect(payload[0]["serial"] as? String == "V2")
        #expect(payload[0]["distance_m"] as? Double ?? 0 > 5500)
        #expect(payload[0]["bearing_deg"] as? Double == 180)
        #expect(payload[0]["age_ms"] as? Int == 5000)
        #expect(payload[0]["landing"] is NSNull && payload[0]["recovery"] is NSNull)
    }

    /// Climb, altitude and age of the record -> phase.
    @Test(
        arguments: [
            (5, 9000, 5, .ascending), (-20, 20_000, 5, .descendingAbove10k), (-8, 9999, 5, .descendingBelow10k),
            (nil, 9000, 5, .unknown), (0, 400, 5, .landed), (-8, 1500, 1801, .landed), (5, 20_000, 3600, .ascending),
            (5, 20_000, 10_801, .landed), (nil, 9000, 10_801, .landed),
        ] as [(Double?, Double, Double, FlightPhase)])
    func phases(_ climb: Double?, _ altitude: Double, _ age: Double, _ phase: FlightPhase) {
        var script = Self.script()
        script.answerPoll([Self.record("V1", age: age, altitude: altitude, climb: climb), Self.record("V9", age: 0)])
        #expect(Self.sondes(script).first { $0.serial.canonical == "V1" }?.phase == phase)
    }

    /// A sonde beside its uploader is a test: it must not appear as one to be fetched.
    @Test func aTestOnTheGroundHasNotLanded() {
        var script = Self.script()
        var test = Self.record("V1", altitude: 500, climb: 0)
        test.uploader = test.coordinate
        script.answerPoll([test, Self.record("V2")])
        #expect(Self.sondes(script).first { $0.serial.canonical == "V1" }?.phase == .unknown)
    }

    /// A sonde stays for a day after its last record, also when answers no longer hold it. An old record never replaces
    /// a newer one.
    @Test func theColdListKeepsADay() {
        var script = Self.script()
        script.answerPoll([Self.record("V1", age: 80_000), Self.record("V2", age: 5)])
        #expect(Set(Self.names(script)) == ["V1", "V2"])
        #expect(Self.sondes(script).first { $0.serial.canonical == "V1" }?.phase == .landed)
        script.wait(20)
        for poll in script.wait(20).polls { script.answer(poll.id, [Self.record("V2", age: 60)]) }
        #expect(Self.sondes(script).first { $0.serial.canonical == "V2" }?.time == Self.record("V2", age: 5).time)
        script.wait(6400)
        #expect(Self.names(script) == ["V2"])
        script.wait(5000)
        #expect(Self.sondes(script).map(\.phase) == [.landed])
    }

    @Test func recordsOlderThanADayAndOfTheFutureAreLeftOut() {
        var script = Self.script()
        script.answerPoll([Self.record("V1", age: 86_401), Self.record("V2", age: -61), Self.record("V3")])
        #expect(Self.names(script) == ["V3"])
    }

    /// Changes are published at most every 10 s, and the last change is never lost.
    @Test func atMostEveryTenSeconds() {
        var script = Self.script()
        script.answerPoll([Self.record("V1"), Self.record("V2")])
        var reports = 0
        for second in 0..<60 {
            script.fix(at: Coordinate(latitude: 47 + Double(second) * 0.0005, longitude: 8), speed: 55)
            reports += script.wait(1).messages(on: "/sondes").count
        }
        #expect((4...6).contains(reports))
        script.wait(10)
        let metres = Self.sondes(script).first { $0.serial.canonical == "V1" }?.relative?.metres ?? 0
        #expect(abs(metres - 0.0295 * 111_195) < 500)
    }

    /// A car that stands does not publish anything, for hours.
    @Test func withoutNewsNothingIsPublished() {
        var script = Self.script()
        script.answerPoll([Self.record("V1", age: 90, altitude: 400, climb: 0)])
        script.fix()
        script.wait(60)
        var published = Script.Outcome()
        for _ in 0..<60 {
            script.fix()
            published += script.wait(20)
        }
        #expect(published.messages(on: "/sondes").isEmpty)
    }

    /// If the receiver then hears a sonde of the list, the list shows the receiver's place.
    @Test func aListedSondeIsThenHeard() throws {
        var script = Self.script()
        script.answerPoll([Self.record("V2", age: 60, altitude: 5000), Self.record("V4210150", age: 90)])
        script.openLink()
        for _ in 0..<15 {
            script.wait(1)
            script.frame(Script.position("V4210150", latitude: "47.38", altitude: 800))
        }
        let sonde = try #require(Self.sondes(script).first { $0.serial.canonical == "V4210150" })
        #expect(sonde.isHunted && sonde.coordinate.latitude == 47.38 && sonde.altitudeMetres == 800)
        #expect(Self.names(script).count == 2)
    }

    /// A hunt by touch moves the mark, also for a sonde that has landed long ago.
    @Test func aHuntByTouchMovesTheMark() {
        var script = Self.script()
        script.answerPoll([Self.record("V1", age: 7000), Self.record("V2", age: 5)])
        #expect(Self.sondes(script).filter(\.isHunted).map(\.serial.canonical) == ["V2"])
        let outcome = script.command("{\"hunt\":\"V1\"}")
        #expect(outcome.answers.last == "done!")
        script.wait(10)
        #expect(Self.sondes(script).filter(\.isHunted).map(\.serial.canonical) == ["V1"])
    }

    // MARK: - Landings

    private static func landingCalls(_ outcome: Script.Outcome) -> [CallID] {
        outcome.actions.compactMap { if case .call(let id, .landings) = $0 { id } else { nil } }
    }

    /// Landings are asked for once a minute while a page is open, or if the configuration says so; never with all
    /// sondes on the ground.
    @Test(arguments: [(false, false, true), (true, false, true), (false, true, true), (true, true, false)])
    func landingsAreAskedForWhileSomebodyLooks(_ looksAround: Bool, _ isOpen: Bool, _ isFlying: Bool) {
        var script = Self.script(looksAround: looksAround)
        script.fix()
        if isOpen { script.run(.pageWatched(true)) }
        var calls = 0
        func count(_ outcome: Script.Outcome) {
            for id in Self.landingCalls(outcome) {
                calls += 1
                script.run(.answered(id, .landings([])))
            }
        }
        count(script.answerPoll([Self.record("V1", age: isFlying ? 5 : 20_000)]))
        for _ in 0..<300 { count(script.wait(1)) }
        #expect(isFlying && (looksAround || isOpen) ? (5...6).contains(calls) : calls == 0)
        if isOpen {
            script.run(.pageWatched(false))
            let before = calls
            for _ in 0..<120 where !looksAround { count(script.wait(1)) }
            #expect(calls == before)
        }
    }

    @Test func landingsJoinTheirSondes() throws {
        var script = Self.script(looksAround: true)
        script.fix()
        let id = try #require(
            Self.landingCalls(script.answerPoll([Self.record("V1"), Self.record("V2", latitude: 47.2)])).first)
        let place = Coordinate(latitude: 47.3, longitude: 8.1)
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let stranger = try #require(SondeSerial(name: "V8", type: .rs41))
        let at = script.now.wall.advanced(by: .seconds(3000))
        script.run(
            .answered(id, .landings([SondeLanding(serial, place, at: at), SondeLanding(stranger, place, at: at)])))
        script.wait(10)
        let landings = Self.sondes(script).filter { $0.landing != nil }
        #expect(landings.map(\.serial.canonical) == ["V1"])
        #expect(landings.first?.landing == SondesReport.Landing(place, at: at))
        #expect(script.machine.sondeHub.errors == [:])
    }

    /// A failing service is asked at growing intervals of up to ten minutes. Its errors are counted.
    @Test func failuresBackOff() {
        var script = Self.script(looksAround: true)
        script.fix()
        var calls = 0
        var next = script.answerPoll([Self.record("V1")])
        for _ in 0..<3600 {
            for id in Self.landingCalls(next) {
                calls += 1
                script.run(.answered(id, .failed(OnlineServiceError(.status, "503"))))
            }
            next = script.wait(1)
        }
        #expect((7...9).contains(calls))
    }

    // MARK: - Limits

    /// 600 sondes in an answer: all are kept, 30 are shown, the hunted one always.
    @Test func sixHundredSondes() {
        var script = Self.script()
        script.fix()
        let all = (0..<600).map { Self.record("V\(10_000 + $0)", latitude: 47 + Double($0) * 0.01) }
        script.answerPoll([Self.record("V2", age: 1, latitude: 60)])
        let next = script.wait(20).polls.last
        script.answer(next?.id, all + [Self.record("V2", age: 1, latitude: 60)])
        // The list comes every 10 s at most.
        script.wait(11)
        #expect(Self.sondes(script).count == 30)
        #expect(Self.names(script).prefix(29) == ArraySlice((0..<29).map { "V\(10_000 + $0)" }))
        #expect(Self.sondes(script).last?.isHunted == true)
        #expect(script.machine.sondesAround.count == 601)
    }

    @Test func noInputFillsTheMemory() {
        var script = Self.script()
        for round in 0..<20 {
            let records = (0..<600).map { Self.record("V\(round * 600 + $0 + 1)", age: Double(100 - round)) }
            for poll in script.wait(1000).polls.prefix(1) { script.answer(poll.id, records) }
        }
        #expect(script.machine.sondesAround.count <= SondesAround.limit)
    }

    @Test func withSondeHubOffNothingIsAsked() {
        var script = Script()
        script.run(.pageWatched(true))
        script.fix()
        #expect(Self.landingCalls(script.wait(600)).isEmpty)
        #expect(Self.names(script).isEmpty)
    }

    /// One answer with 600 sondes, through the machine and its MQTT message.
    @Test func sixHundredSondesAreFast() {
        var script = Self.script()
        script.fix()
        let poll = script.wait(0).polls.first?.id
        let all = (0..<600).map { Self.record("V\(10_000 + $0)", latitude: 47 + Double($0) * 0.01) }
        let time = processorTime { script.answer(poll, all) }
        print("600 sondes: \(time)")
        // This limit is for a debug build. An optimised build takes a fraction of it.
        #expect(time < .milliseconds(750))
    }
}
