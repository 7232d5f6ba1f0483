import GatewayTestSupport
import ReceiverProtocol
import ReceiverSimulator
import Testing

@testable import Gateway
@testable import GatewayReports

/// The mean AFC and the receiver's frequency offset, together with all other commands.
@Suite struct FrequencyOffsetTests {
    private static let save = "{\"tune\":{\"save\":true}}"

    /// A connected receiver whose settings are known.
    private func connected() -> Script {
        var script = Script()
        script.connect()
        script.takeWrites(script.wait(1))
        script.frame(Script.configuration)
        return script
    }

    private func shown(_ offset: Int) -> String {
        Script.configuration.replacing("/MYCALL/0/35", with: "/MYCALL/\(offset)/35")
    }

    /// The mean of the last 20 values is published with each frame, and saved rounded.
    @Test func theMeanOfTwenty() throws {
        var script = connected()
        var means: [Double?] = []
        for value in 1...25 {
            means.append(script.frame(Script.position(afc: -value * 100 - 1)).radios.first?.afcMeanHz)
        }
        #expect(means.prefix(2) == [-101, -151])
        #expect(means[19] == -1051 && means[24] == -1551)
        let radio = try #require(script.frame(Script.position(afc: -2603)).objects(on: "/radio").last)
        #expect(radio["afc_hz"] as? Double == -2603 && radio["afc_mean_hz"] as? Double == -1651.1)
        #expect(script.command(Self.save).written == ["o{freqofs=-1651}o"])
    }

    /// Only a type 3 with the new value confirms the command.
    @Test func confirmedByReadBack() throws {
        var script = connected()
        script.frame(Script.position(afc: -1200))
        let outcome = script.command(Self.save)
        let written = script.takeWrites(outcome)
        #expect((outcome + written).written == ["o{freqofs=-1200}o", "o{?}o"])
        #expect((outcome + written).answers == ["accepted", "written"])
        #expect(script.frame(Script.position(afc: 0)).answers == [] && script.frame(shown(0)).answers == [])
        let confirmed = script.frame(shown(-1200))
        #expect(confirmed.answers == ["confirmed!"])
        let answer = try #require(confirmed.objects(on: "/command/response").first)
        #expect(answer["command"] as? String == "frequency_offset")
        #expect((answer["applied"] as? [String: Any])?["settings"] as? [String: Int] == ["freqofs": -1200])
    }

    /// If no frame shows the value, it is written once more, then the command times out.
    @Test func anOffsetNeverShownTimesOut() {
        var script = connected()
        let outcome = script.command("{\"tune\":{\"offset_hz\":-1200}}")
        script.takeWrites(outcome)
        var later = Script.Outcome()
        for _ in 0..<18 {
            let step = script.wait(0.5) + script.frame(shown(0))
            later += step + script.takeWrites(step)
        }
        #expect(later.written == ["o{freqofs=-1200}o", "o{?}o"])
        #expect(later.answers == ["timed_out:timed_out!"])
    }

    /// There is nothing to save without a receiver, or before it has heard a sonde.
    @Test func nothingToSave() {
        var script = Script()
        script.brokerConnected()
        #expect(script.command(Self.save).answers == ["rejected:receiver_offline!"])
        script.openLink()
        script.frame(Script.searching)
        #expect(script.command(Self.save).answers == ["rejected:no_afc!"])
        script.frame(Script.position(afc: 10_400))
        #expect(script.command(Self.save).answers == ["rejected:out_of_range!"])
    }

    /// The mean holds no values of another frequency or another sonde.
    @Test func theMeanIsOfOneSondeAndFrequency() {
        var script = connected()
        for _ in 0..<5 { script.frame(Script.position(afc: 900)) }
        #expect(script.frame(Script.position(frequency: "404.100", afc: 100)).radios.first?.afcMeanHz == 100)
        script.frame(Script.searching)
        #expect(script.command(Self.save).answers == ["rejected:no_afc!"])
    }

    private static let commands = [
        save, "{\"tune\":{\"offset_hz\":-1200}}", "{\"frequency\":404.1}", "{\"type\":\"M10\"}",
        "{\"frequency\":403.5,\"type\":\"RS41\"}", "{\"mute\":true}", "{\"settings\":{\"rs41.rxbw\":4}}",
        "{\"settings\":{\"freqofs\":300,\"myCall\":\"HB9XYZ\"}}", "{\"settings\":{\"lcd\":1}}",
        "{\"request\":\"settings\"}", "{\"hunt\":\"V7777777\"}",
    ]

    /// Any two commands, at once or one after the other: each gets one final answer, and the receiver ends with the
    /// requested values.
    @Test(arguments: commands, commands)
    func commandsDoNotUndoEachOther(_ first: String, _ second: String) throws {
        for seconds in [0, 0.25, 0.5, 1, 6] {
            var bench = Bench()
            bench.live(8)
            bench.command(first)
            bench.live(seconds)
            bench.command(second)
            bench.live(untilAnsweredWithin: 60)
            #expect(bench.unanswered == 0, "\(seconds) s apart")
            #expect(bench.finals.allSatisfy { Self.fates.contains($0) }, "\(seconds) s apart: \(bench.finals)")
            #expect(bench.receiver.shows(bench.wanted), "\(seconds) s apart: \(bench.finals)")
        }
    }

    /// `no_afc`: the receiver was tuned away before. `superseded`: a newer tune replaced this one.
    private static let fates: Set = ["confirmed!", "done!", "rejected:no_afc!", "rejected:superseded!"]

    /// The link breaks after the commands. Confirmed values stay; unconfirmed ones are never written later.
    @Test(arguments: commands, [0.1, 0.6, 2])
    func overALostLink(_ other: String, _ seconds: Double) throws {
        for away in [1.0, 12] {
            var bench = Bench()
            bench.live(8)
            bench.command(other)
            bench.command("{\"tune\":{\"offset_hz\":-1200}}")
            bench.live(seconds)
            let writes = bench.written.count
            bench.loseLink(for: away)
            bench.live(untilAnsweredWithin: 60)
            bench.live(20)
            #expect(bench.unanswered == 0)
            if away > 10 {
                // Only the settings are requested: for the new link, and after a restart.
                #expect(bench.written.dropFirst(writes).allSatisfy { $0 == "o{?}o" }, "\(bench.written)")
            } else if bench.finals.allSatisfy({ Self.fates.contains($0) }) {
                #expect(bench.receiver.shows(bench.wanted), "\(bench.finals)")
            }
        }
    }
}

/// A gateway beside a simulated receiver that hears a sonde.
private struct Bench {
    var script = Script(sondeHub: SondeHubOptions.payerne)
    var receiver = ReceiverSimulator(options: SimulatorOptions(seed: 3, launchDelay: .seconds(10)))
    /// The values that accepted commands have requested.
    var wanted: [String: String] = [:]
    var finals: [String] = []
    var written: [String] = []
    private var accepted = 0
    private var isLinked = true
    /// The quarter seconds until the receiver's next frame.
    private var quarters = 4
    private var afcMean: Double?

    var unanswered: Int { accepted - finals.count }

    init() {
        script.brokerConnected()
        script.openLink()
    }

    mutating func command(_ body: String) {
        let mean = afcMean
        accepted += 1
        let outcome = script.command(body)
        apply(outcome)
        guard !outcome.answers.contains(where: { $0.hasPrefix("rejected") && !$0.contains("superseded") }) else {
            return
        }
        switch body {
        case "{\"tune\":{\"save\":true}}": wanted["freqofs"] = mean.map { String(Int($0.rounded())) }
        case "{\"tune\":{\"offset_hz\":-1200}}": wanted["freqofs"] = "-1200"
        case "{\"frequency\":404.1}": wanted["f"] = "404.1"
        case "{\"type\":\"M10\"}": wanted["tipo"] = "M10"
        case "{\"frequency\":403.5,\"type\":\"RS41\"}": (wanted["f"], wanted["tipo"]) = ("403.5", "RS41")
        case "{\"mute\":true}": wanted["mute"] = "true"
        case "{\"settings\":{\"rs41.rxbw\":4}}": wanted["rs41.rxbw"] = "4"
        case "{\"settings\":{\"freqofs\":300,\"myCall\":\"HB9XYZ\"}}": wanted["freqofs"] = "300"
        case "{\"settings\":{\"lcd\":1}}": wanted["lcd"] = "1"
        default: break  // Frames do not show these.
        }
    }

    /// Waits for the answers, and a little longer, in which no value may change back.
    mutating func live(untilAnsweredWithin seconds: Int) {
        for _ in 0..<seconds where unanswered > 0 { live(1) }
        live(5)
    }

    mutating func live(_ seconds: Double) {
        for _ in 0..<Int(seconds * 4) {
            apply(script.wait(0.25))
            quarters -= 1
            guard quarters == 0 else { continue }
            quarters = 4
            for case .bytes(let bytes) in receiver.nextSecond() where isLinked {
                let line = String(decoding: bytes, as: UTF8.self).filter { $0 != "\r\n" }
                apply(script.frame(line))
            }
        }
    }

    mutating func loseLink(for seconds: Double) {
        isLinked = false
        apply(script.closeLink())
        live(seconds)
        isLinked = true
        apply(script.openLink())
    }

    /// The transport accepts each write, and the receiver carries it out.
    private mutating func apply(_ outcome: Script.Outcome) {
        var next = outcome
        while true {
            finals += next.answers.filter { $0.hasSuffix("!") }
            if let mean = next.radios.last { afcMean = mean.afcMeanHz }
            let writes = next.actions.compactMap { action -> (WriteID, [UInt8])? in
                if case .write(let id, let bytes) = action { (id, bytes) } else { nil }
            }
            guard isLinked, let (id, bytes) = writes.first else { return }
            written.append(String(decoding: bytes, as: UTF8.self))
            receiver.receive(bytes)
            next = script.run(.writeFinished(id, succeeded: true))
        }
    }
}

extension ReceiverSimulator {
    fileprivate func shows(_ wanted: [String: String]) -> Bool {
        wanted.allSatisfy { key, value in
            switch key {
            case "f": configuration.frequencyMHz == Double(value)
            case "tipo": configuration.sondeType.name == value
            case "mute": isMuted == (value == "true")
            default:
                switch ReceiverSetting(key: key).flatMap({ configuration[$0] }) {
                case .integer(let number): String(number) == value
                case .text(let text): text == value
                case nil: false
                }
            }
        }
    }
}
