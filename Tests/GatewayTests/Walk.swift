import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Sends random events to a gateway and checks its invariants.
struct Walk {
    /// Three sondes, each with its own place, frequency and AFC; only the first has a burst killer. So each value shows
    /// its sonde.
    static let serials = ["V1", "V2", "V3"]

    var script: Script
    var random: SeededRandom
    /// The open calls, and those that were cancelled or have ended.
    private var open: [(id: CallID, isTrack: Bool, serial: String)] = []
    private var over: [CallID] = []
    /// The open calls for predictions.
    private var forecasts: [CallID] = []
    /// The open live streams.
    private var streams: [(id: CallID, serial: String)] = []
    private var writes: [WriteID] = []
    /// Final answers by command.
    private(set) var finals: [Int: Int] = [:]
    private(set) var sent = 0
    /// The number of events so far, with timers.
    private(set) var events = 0
    private var newestTimes: [String: WallTime] = [:]
    private var isStopped = false
    /// The messages to check against the schemas.
    private(set) var messages: [OutgoingMessage] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        var options = SondeHubOptions.payerne
        options.streams = seed % 2 == 0
        options.frequencySync = FrequencySyncPolicy.allCases[Int(seed % 3)]
        script = Script(
            sondeHub: seed % 7 == 6 ? .off : options, prediction: Self.prediction(seed),
            hasExpiry: seed % 2 == 0, isClockSynced: seed % 5 != 4)
        if seed % 4 != 3 { script.brokerConnected() }
        check(script.begin)
    }

    /// Only some walks use own winds, because these are slow in a debug build.
    private static func prediction(_ seed: UInt64) -> PredictionOptions {
        guard seed % 10 == 1 || seed >= 50 else { return .off }
        var options = PredictionOptions()
        options.isOffline = seed >= 50
        return options
    }

    // MARK: - Invariants

    private mutating func check(_ outcome: Script.Outcome) {
        #expect(script.isConnected || outcome.published.isEmpty)
        #expect(!script.isConnected || outcome.spooled.isEmpty)
        events += 1
        messages += outcome.published + outcome.spooled
        writes += outcome.writeIDs
        let followed = script.serial
        for action in outcome.actions {
            switch action {
            case .report(let report): check(report, followed)
            case .record(.points(let serial, _, let points)):
                for point in points { #expect(Self.latitudes(serial).contains(abs(point.coordinate.latitude))) }
            case .record(.clockSet):
                // When the clock is set, times may go back once.
                newestTimes = [:]
            case .record(.landingPoint(let serial, _)), .record(.prediction(let serial, _)),
                .record(.lesson(let serial, _)), .record(.newFlight(let serial, _)),
                .record(.forgotten(let serial, _, _)), .record(.recovery(let serial, _)),
                .record(.carPoint(let serial, _)), .record(.sample(let serial, _)),
                .record(.receiver(let serial, _)):
                #expect(serial.canonical == followed)
            case .record(.winds(let winds)): #expect(winds.serial.canonical == followed)
            case .record(.setting), .record(.lessonsForgotten): break
            case .call(let id, .sondes):
                open.append((id, false, ""))
                #expect(script.state?.polls == true)
            case .call(let id, .track(let serial, _)):
                open.append((id, true, serial.canonical))
                #expect(serial.canonical == followed)
            case .call(_, .terrain), .call(_, .groundAlong): Issue.record("there are no heights")
            case .call(let id, .tawhiri), .call(let id, .recoveries): forecasts.append(id)
            case .call(_, .reportRecovery): Issue.record("there is no call sign")
            case .call(_, .sites): break
            case .call(_, .landings): Issue.record("nobody looks")
            case .call(_, .route): Issue.record("there is no route server")
            case .call(_, .crews): Issue.record("nobody wants to see other crews")
            case .call(_, .shareCar): Issue.record("nobody wants the car to be seen")
            case .call(let id, .stream(let serial)):
                #expect(streams.isEmpty && script.state?.polls == true)
                streams.append((id, serial.canonical))
            case .call(let id, .sondeHubPrediction(let serial)):
                forecasts.append(id)
                #expect(serial.canonical == followed)
            case .cancel(let id):
                forecasts.removeAll { $0 == id }
                streams.removeAll { $0.id == id }
                open.removeAll { $0.id == id }
                over.append(id)
            case .note(let note): #expect(!note.message.contains("do not settle"))
            case .write, .closeLink, .setTimer, .cancelTimer, .measureHealth, .setLogLevel, .forgetHomeAssistant: break
            }
        }
        // The newest state-like reports match the machine's state.
        for report in script.machine.stateReports { #expect(script.newest[report.kind] == report) }
        #expect(
            !isStopped
                || outcome.streams.isEmpty && outcome.polls.isEmpty && outcome.tracks.isEmpty && outcome.written.isEmpty
        )
    }

    /// Checks that a report holds no data of another sonde, and that times strictly increase.
    private mutating func check(_ report: Report, _ followed: String?) {
        switch report {
        case .position(let position):
            let serial = position.serial?.canonical
            #expect(serial == followed)
            let newest = newestTimes[serial ?? ""]
            #expect(newest.map { position.time > $0 } ?? true, "\(serial ?? "unnamed")")
            newestTimes[serial ?? ""] = position.time
            if let known = position.serial {
                #expect(Self.latitudes(known).contains(abs(position.coordinate.latitude)))
                if serial != "V1" { #expect(position.burstKillerAt == nil) }
            }
        case .radio(let radio):
            // A frame without a name belongs to an unknown sonde. The other fields belong to the followed one.
            guard let serial = radio.serial?.canonical ?? followed else {
                return #expect(radio.sondeFrequencyMHz == nil)
            }
            #expect(radio.sondeFrequencyMHz.map { $0 == Self.frequency(serial) } ?? true)
            #expect(radio.afcMeanHz.map { $0 == Self.afc(serial) } ?? true, "\(serial)")
            if radio.source == .sondehub { #expect(serial == followed) }
        case .flight(let flight):
            #expect(flight.serial?.canonical == followed)
            for point in [flight.last, flight.burst, flight.landed].compactMap({ $0 }) {
                if let serial = flight.serial {
                    #expect(Self.latitudes(serial).contains(abs(point.coordinate.latitude)))
                }
            }
        case .proposal(let proposal?):
            #expect(proposal.serial?.canonical == followed)
            #expect(proposal.tuning.frequencyMHz == proposal.serial.map { Self.frequency($0.canonical) })
        case .answer(let report):
            if report.answer.isFinal, case .integer(let id)? = report.answer.origin.id {
                finals[Int(id), default: 0] += 1
            }
        case .landing(let landing?):
            #expect(landing.serial?.canonical == followed)
        case .prediction(let prediction?):
            #expect(prediction.serial?.canonical == followed)
            if let serial = prediction.serial, prediction.forecast.method == .ownWinds,
                let start = prediction.forecast.prediction.path.first
            {
                #expect(Self.latitudes(serial).contains(abs(start.coordinate.latitude)))
            }
        default: break  // These reports belong to no sonde.
        }
    }

    private static func number(_ serial: String) -> Int { Int(serial.dropFirst()) ?? 0 }
    private static func frequency(_ serial: String) -> Double { 401 + Double(number(serial)) }
    private static func afc(_ serial: String) -> Double { Double(number(serial) * 100) }

    /// The latitudes of a sonde: at its place, and after a jump.
    private static func latitudes(_ serial: SondeSerial) -> ClosedRange<Double> {
        let degrees = 40 + Double(number(serial.canonical)) * 3
        return degrees...(degrees + 1)
    }

    // MARK: - Events

    mutating func step() {
        switch Int.random(in: 0..<30, using: &random) {
        case 0, 1: check(script.openLink(maximumWriteLength: pick([20, 128])))
        case 2: check(script.closeLink(pick([.silent, .transport(TransportError(.closedByPeer, "gone"))])))
        case 3: connectOrNot()
        case 4, 5: command()
        case 6, 7: if let id = writes.popLast() { check(script.run(.writeFinished(id, succeeded: chance(5)))) }
        case 8, 9, 10: check(script.wait(Double.random(in: 0...30, using: &random)))
        case 11: check(script.wait(Double.random(in: 0...1000, using: &random)))
        // A timer that fires early, or is not set.
        case 12: check(script.run(.timerFired(pick(TimerID.allCases))))
        // Time passes without timers, so they are late.
        case 13: script.advance(Double.random(in: 0...100, using: &random))
        case 14: moveTheClock()
        case 15: check(script.run(.healthDue(ProcessHealth(residentBytes: 1))))
        case 16: check(script.run(.frameRejected(pick(FrameRejection.allCases))))
        case 17, 18, 19, 20: answer()
        case 21: answerNobody()
        case 22: check(script.run(.linkFailed(TransportError(.notFound, "no adapter"))))
        default: frame()
        }
    }

    private mutating func connectOrNot() {
        if script.isConnected, chance(2) { return script.brokerDisconnected() }
        check(script.brokerConnected())
    }

    private mutating func command() {
        let bodies = [
            "\"mute\":true", "\"mute\":false", "\"frequency\":404.2,\"type\":\"M10\"", "\"frequency\":403.5",
            "\"type\":\"RS41\"", "\"settings\":{\"rs41.rxbw\":1}", "\"settings\":{\"lcd\":1,\"lcdOn\":0}",
            "\"settings\":{\"vBatMin\":3000}", "\"request\":\"settings\"", "\"request\":\"info\"",
            "\"request\":\"health\"", "\"nonsense\":1", "\"tune\":{\"save\":true}", "\"frequency\":1",
            "\"hunt\":\"V1\"", "\"hunt\":\"V2\"", "\"hunt\":\"V3\"", "\"hunt\":null", "\"accept_proposal\":true",
            "\"accept_proposal\":false", "\"options\":{\"frequency_sync\":\"auto\"}",
            "\"options\":{\"frequency_sync\":\"propose\"}",
        ]
        let body = "{\"id\":\(sent),\(pick(bodies))}"
        sent += 1
        // Let time pass. Otherwise most commands would be refused, because more than ten come in a second.
        script.advance(0.1)
        check(script.command(body, isRetained: chance(20)))
    }

    private mutating func moveTheClock() {
        let jump = pick([-31_536_000, -3600, -600, -3, 3, 600, 3600, 31_536_000])
        if chance(2) { script.now.wall = script.now.wall.advanced(by: .seconds(jump)) }
        script.now.isClockSynced = chance(2)
    }

    private mutating func frame() {
        let serial = pick(Self.serials)
        let number = Self.number(serial)
        let latitude = "\(40 + number * 3).\(Int.random(in: 100..<900, using: &random))"
        let (altitude, afc) = (Int.random(in: 400...20_000, using: &random), number * 100)
        let killer = number == 1 && chance(2) ? 600 : 0
        let own = Script.position(
            serial, frequency: "403.500", latitude: latitude, altitude: altitude, afc: afc, burstKiller: killer)
        // A position without a name counts as the followed sonde's if it is near.
        let unnamed = script.serial.map(Self.number).map { followed in
            Script.position("No data", latitude: "\(40 + followed * 3).500", altitude: altitude, afc: followed * 100)
        }
        let texts = [
            unnamed ?? own, own, own, own, Script.searching, Script.configuration,
            Script.position(serial, latitude: "-\(latitude)", afc: afc),
            Script.position(serial, latitude: "91", afc: afc),
            "2/RS41/403.500/\(serial)/117.5/100/\(afc)/4274/1/3.10/o", "0/M10/404.200/120/100/4200/1/3.10/o", "4/ab/o",
        ]
        // Two sondes alternate, or one sends for a while.
        let text = pick(texts)
        script.advance(Double.random(in: 0...2, using: &random))
        check(script.frame(text))
        guard text == own, chance(3) else { return }
        for _ in 0..<4 {
            script.advance(1)
            check(script.frame(own))
        }
    }

    /// Tawhiri or SondeHub answers with a prediction at a random place, or fails.
    private mutating func predict() {
        guard !forecasts.isEmpty else { return }
        let id = forecasts.removeFirst()
        over.append(id)
        if chance(3) { return check(script.run(.answered(id, .failed(OnlineServiceError(.timedOut, "late"))))) }
        let place = Coordinate(
            latitude: Double.random(in: -90...90, using: &random),
            longitude: Double.random(in: -180...180, using: &random))
        let start = OnlinePrediction.Point(time: script.now.wall, coordinate: place, altitudeMetres: 5000)
        let end = OnlinePrediction.Point(
            time: script.now.wall.advanced(by: .seconds(600)), coordinate: place, altitudeMetres: 400)
        check(script.run(.answered(id, .prediction(OnlinePrediction(path: [start, end], burst: nil, landing: end)))))
    }

    /// The live stream opens, delivers frames, also those of another sonde, or ends.
    private mutating func stream() {
        guard let stream = streams.first else { return }
        let answers: [Answer] = [
            .stream(.opened),
            .stream(.frames(SondeHubAnswer(records: (0..<3).map { _ in record(stream.serial) }, skipped: 1))),
            .stream(.frames(SondeHubAnswer(records: [record(pick(Self.serials))]))),
            .failed(OnlineServiceError(pick(OnlineServiceError.Code.allCases), "ended")),
        ]
        let answer = pick(answers)
        if answer.isLast {
            streams.removeAll()
            over.append(stream.id)
        }
        check(script.run(.answered(stream.id, answer)))
    }

    private mutating func answer() {
        if chance(3) { predict() }
        if chance(2) { stream() }
        guard let index = open.indices.randomElement(using: &random) else { return }
        let call = open[index]
        let isPart = call.isTrack && chance(2)
        if !isPart {
            open.remove(at: index)
            over.append(call.id)
        }
        if chance(4), !isPart {
            let code = pick(OnlineServiceError.Code.allCases)
            return check(
                script.run(
                    .answered(
                        call.id,
                        .failed(OnlineServiceError(code, "said so", retryAfter: chance(3) ? .seconds(30) : nil)))))
        }
        if call.isTrack {
            let part = SondeHubAnswer(records: (0..<5).map { _ in record(call.serial) })
            return check(script.run(.answered(call.id, isPart ? .trackPart(part) : .trackEnd)))
        }
        let records = (0..<Int.random(in: 0...3, using: &random)).map { _ in record(pick(Self.serials)) }
        var answer = SondeHubAnswer(records: records, cacheAge: .seconds(pick([0, 60])))
        if chance(3) { answer.answeredAt = script.now.wall.advanced(by: .zero - answer.cacheAge) }
        check(script.run(.answered(call.id, .sondes(answer))))
    }

    /// Answers a call that was cancelled, has ended or never existed. Nothing must follow.
    private mutating func answerNobody() {
        let id = over.randomElement(using: &random) ?? CallID(9_999_999)
        // First handle the effects of the passing time.
        check(script.run(.frameRejected(.garbage)))
        let answers: [Answer] = [
            .trackPart(SondeHubAnswer(records: [record("V1")])), .trackEnd,
            .failed(OnlineServiceError(.timedOut, "late")),
            .sondes(SondeHubAnswer(records: [record("V2")])),
            .stream(.opened), .stream(.frames(SondeHubAnswer(records: [record("V3")]))),
        ]
        let outcome = script.run(.answered(id, pick(answers)))
        #expect(outcome.actions.isEmpty)
        check(outcome)
    }

    /// A record from the past, of now, a little ahead, or from the future.
    private mutating func record(_ serial: String) -> SondeHubRecord {
        let age = pick([0, 1, 5, 30, 119, 121, 400, 7200, -1, -30, -59, -61, -600, -86_400])
        let number = Self.number(serial)
        var record = Script.record(
            serial, latitude: 40 + Double(number) * 3 + Double.random(in: 0...1, using: &random),
            altitude: Double.random(in: 400...20_000, using: &random), type: chance(5) ? .other("") : .rs41,
            frequency: chance(4) ? nil : Self.frequency(serial), uploader: chance(8) ? 47 : nil)
        record.time = script.now.wall.advanced(by: .seconds(-age)).advanced(
            byMilliseconds: Int64.random(in: -900...0, using: &random))
        return record
    }

    /// Ends the walk: connects the broker and lets time pass, so that all commands get their final answer.
    mutating func finish() {
        if !script.isConnected { check(script.brokerConnected()) }
        for _ in 0..<4 { check(script.wait(10)) }
        check(script.stop())
        isStopped = true
        for _ in 0..<20 { step() }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    /// True once in `many` calls on average.
    private mutating func chance(_ many: Int) -> Bool { Int.random(in: 0..<many, using: &random) == 0 }
}
