import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Proposals and tunings when SondeHub's frequency differs from the receiver's.
@Suite struct FrequencySyncTests {
    /// The receiver is on 403.5 MHz for RS41; SondeHub's sonde is on another frequency.
    private struct Bench {
        var sync: FrequencySync
        var facts = Facts()

        init(_ policy: FrequencySyncPolicy = .propose, range: ClosedRange<Double> = 400...406) {
            sync = FrequencySync(policy, frequencyRange: range)
            facts.state = .aprsFlying
            facts.receiver.link = .readyForCommands
            facts.receiver.session = 1
            facts.receiver.listening = Listening(frequencyMHz: 403.5, sondeType: .rs41)
        }

        /// - Returns: the announcements when SondeHub reports this frequency at this second.
        @discardableResult
        mutating func sonde(
            _ frequencyMHz: Double?, _ type: SondeType? = .rs41, at seconds: Double
        ) -> [Announcement] {
            facts.sondeHub.tuning = SondeTuning(frequencyMHz: frequencyMHz, sondeType: type)
            var turn = Turn(at: FrequencySyncTests.moment(seconds), calls: Calls())
            sync.follow(facts, &turn)
            return Script.Outcome(actions: turn.actions).announcements
        }
    }

    private static func moment(_ seconds: Double) -> Moment {
        Moment(
            monotonic: .zero.advanced(by: .seconds(seconds)), wall: WallTime(millisecondsSince1970: Script.noon),
            isClockSynced: true)
    }

    private static func tuning(_ megahertz: Double, _ type: SondeType = .rs41) throws -> Tuning {
        try #require(Tuning(frequencyMHz: megahertz, sondeType: type))
    }

    /// The sonde's frequency and type -> whether they are proposed.
    @Test(
        arguments: [
            (403.5, .rs41, false), (403.51, .rs41, false), (403.511, .rs41, false), (403.52, .rs41, true),
            (403.48, .rs41, true), (403.5, .m20, true), (404, .imet4, false), (404, nil, false), (nil, .rs41, false),
            (0, .rs41, false), (399.9, .rs41, false), (406.1, .rs41, false), (.nan, .rs41, false),
            (.infinity, .rs41, false), (404, .other("LMS6"), false),
        ] as [(Double?, SondeType?, Bool)])
    func mismatch(_ frequency: Double?, _ type: SondeType?, _ isProposed: Bool) {
        var bench = Bench()
        #expect(bench.sonde(frequency, type, at: 0).isEmpty == !isProposed)
        #expect((bench.sync.open != nil) == isProposed)
        // The proposal is closed when the frequencies agree.
        #expect(bench.sonde(403.5, at: 1).isEmpty)
        #expect(bench.sync.open == nil)
    }

    /// A record between two of 405.2 MHz -> whether the proposal of 405.2 MHz stays open.
    @Test(
        arguments: [
            (nil, true), (0, true), (405.21, true), (405.19, true), (405.22, true), (405.3, false), (403.505, false),
        ] as [(Double?, Bool)])
    func theProposalStays(_ between: Double?, _ stays: Bool) throws {
        var bench = Bench()
        bench.sonde(405.2, at: 0)
        bench.sonde(between, at: 1)
        #expect((bench.sync.open == (try Self.tuning(405.2))) == stays)
        // The difference lasts, so the proposal can be accepted. It is announced only once.
        #expect(bench.sonde(405.2, at: 2).isEmpty)
        #expect(bench.sync.open == (try Self.tuning(405.2)))
    }

    /// An accepted proposal is closed while the receiver is being tuned. If the tuning fails, it can be accepted again.
    /// A deferred proposal is not made again for a frequency 10 kHz beside it.
    @Test func anAnswerHolds() throws {
        var bench = Bench()
        bench.sonde(405.2, at: 0)
        bench.sync.accept(of: nil, at: Self.moment(1).monotonic)
        #expect(bench.sonde(405.21, at: 2).isEmpty)
        #expect(bench.sync.open == nil)
        #expect(bench.sonde(405.2, at: 32).isEmpty)
        #expect(bench.sync.open == (try Self.tuning(405.2)))
        bench.sync.putOff(at: Self.moment(33).monotonic)
        #expect(bench.sonde(405.21, at: 34).isEmpty)
        #expect(bench.sync.open == nil)
    }

    /// The receiver has decoded the sonde as an M20. SondeHub calls it an M10.
    @Test func theDecodedTypeIsRight() throws {
        var bench = Bench()
        bench.facts.sonde.decodedType = .m20
        bench.facts.receiver.listening = Listening(frequencyMHz: 403.5, sondeType: .m20)
        #expect(bench.sonde(403.5, .m10, at: 0).isEmpty)
        #expect(bench.sync.open == nil)
        #expect(bench.sonde(404, .m10, at: 1) == [.frequencyProposal(try Self.tuning(404, .m20))])
        bench.facts.receiver.listening = Listening(frequencyMHz: 404, sondeType: .rs41)
        #expect(bench.sonde(404, nil, at: 2).isEmpty)
        #expect(bench.sync.open == (try Self.tuning(404, .m20)))
    }

    /// Degrees to the north of the receiver, at 20 km -> whether the tuning is proposed. The horizon is 590 km away. A
    /// sonde that a person hunts, or that the receiver has decoded, is always proposed.
    @Test(arguments: [(0.1, true), (5.2, true), (7.0, false)] as [(Double, Bool)])
    func nothingBeyondTheHorizon(_ degrees: Double, _ isProposed: Bool) {
        var bench = Bench()
        bench.facts.receiver.place = ReceiverPlace(coordinate: Coordinate(latitude: 47, longitude: 8))
        bench.facts.sonde.newestPoint = TrackPoint(
            Script.record("V1", latitude: 47 + degrees, altitude: 20_000))
        #expect(bench.sonde(404, at: 0).isEmpty == !isProposed)
        bench.sync = FrequencySync(.auto, frequencyRange: 400...406)
        #expect(bench.sonde(404, at: 1).isEmpty == !isProposed)
        for change in [{ $0.sondeHub.isPinned = true }, { $0.sonde.decodedType = .rs41 }] as [(inout Facts) -> Void] {
            var hunting = Bench()
            hunting.facts = bench.facts
            change(&hunting.facts)
            #expect(!hunting.sonde(404, at: 2).isEmpty)
        }
    }

    /// Two stations, one of them 23 kHz off, in turn for an hour. In an earlier version each change tuned the receiver,
    /// and each tuning is written into its flash.
    @Test func twoStationsDoNotTuneToAndFro() throws {
        var bench = Bench(.auto)
        var frequencies = StationFrequencies()
        var tunings: [Announcement] = []
        for minute in 0..<60 {
            var record = Script.record("V1", frequency: minute % 2 == 0 ? 400.577 : 400.6)
            record.station = minute % 2 == 0 ? "A" : "B"
            // Now and then one of them is silent for long.
            if minute % 20 >= 14, record.station == "B" { continue }
            frequencies.learn(record, at: Self.moment(Double(minute) * 60).monotonic)
            bench.facts.sondeHub.frequencies = frequencies
            tunings += bench.sonde(frequencies.frequencyMHz(of: record.serial), at: Double(minute) * 60)
            if let order = bench.sync.order {
                bench.facts.receiver.listening = Listening(
                    frequencyMHz: order.tuning.frequencyMHz, sondeType: order.tuning.sondeType)
            }
        }
        #expect(tunings.count <= 2, "\(tunings)")
    }

    /// The stations' frequencies -> the sonde's. What the sonde itself names comes first.
    @Test(
        arguments: [
            ([400.577], [], 400.577), ([400.577, 400.6], [], 400.6), ([400.6, 400.601, 400.577], [], 400.6),
            ([400.577, 400.578], [400.6], 400.6), ([], [], nil),
        ] as [([Double], [Double], Double?)])
    func theSondesFrequency(_ measured: [Double], _ named: [Double], _ frequency: Double?) throws {
        var frequencies = StationFrequencies()
        let serial = Script.record("V1").serial
        for (index, value) in (measured + named).enumerated() {
            var record = Script.record("V1", frequency: value)
            (record.station, record.isFrequencyNamed) = ("S\(index)", index >= measured.count)
            frequencies.learn(record, at: .zero)
        }
        #expect(frequencies.frequencyMHz(of: serial) == frequency)
        #expect(frequencies.frequencyMHz(of: Script.record("V2").serial) == nil)
        // After 5 minutes a station no longer counts.
        var late = Script.record("V1", frequency: 403)
        late.station = "Z"
        frequencies.learn(late, at: Self.moment(300).monotonic)
        #expect(frequencies.frequencyMHz(of: serial) == 403)
    }

    /// A tuning is proposed only while SondeHub is the source and the receiver can be tuned.
    @Test(arguments: TelemetryState.allCases)
    func states(_ state: TelemetryState) {
        var bench = Bench()
        bench.facts.state = state
        #expect(bench.sonde(404, at: 0).isEmpty == !state.isAPRS)
        bench = Bench()
        bench.facts.receiver.listening = nil
        #expect(bench.sonde(404, at: 0).isEmpty)
    }

    @Test func proposalsAreMadeOncePerLinkAndComeBackAfterADeferral() throws {
        let proposal = Announcement.frequencyProposal(try Self.tuning(404))
        var bench = Bench()
        #expect(bench.sonde(404, at: 0) == [proposal])
        #expect(bench.sonde(404, at: 1).isEmpty)
        bench.sync.putOff(at: Self.moment(2).monotonic)
        #expect(bench.sync.open == nil)
        #expect(bench.sonde(404, at: 301.9).isEmpty)
        #expect(bench.sync.deadline == Self.moment(302).monotonic)
        #expect(bench.sonde(404, at: 302) == [proposal])
        #expect(bench.sonde(403.5, at: 303).isEmpty)
        #expect(bench.sonde(404, at: 304).isEmpty)
        bench.facts.receiver.session = 2
        #expect(bench.sonde(404, at: 305) == [proposal])
    }

    /// Deferring one proposal does not silence others. In an earlier version it did, for 5 minutes.
    @Test func aDeferralSilencesOneProposalOnly() throws {
        var bench = Bench()
        bench.sonde(404, at: 0)
        bench.sync.putOff(at: Self.moment(1).monotonic)
        #expect(bench.sonde(404, at: 2).isEmpty)
        #expect(bench.sonde(405, at: 3) == [.frequencyProposal(try Self.tuning(405))])
        #expect(bench.sonde(404, .m20, at: 4) == [.frequencyProposal(try Self.tuning(404, .m20))])
        #expect(bench.sonde(404, at: 5).isEmpty)
        #expect(bench.sonde(404, at: 301) == [.frequencyProposal(try Self.tuning(404))])
    }

    @Test func autoTunesOnceAMinuteAndOffNever() throws {
        var auto = Bench(.auto)
        #expect(auto.sonde(404, at: 0) == [.frequencyTuned(try Self.tuning(404))])
        #expect(auto.sync.order == TuningOrder(number: 1, tuning: try Self.tuning(404)))
        #expect(auto.sonde(404, at: 59.9).isEmpty)
        #expect(auto.sonde(404, at: 60) == [.frequencyTuned(try Self.tuning(404))])
        #expect(auto.sync.order?.number == 2)
        var off = Bench(.off)
        #expect(off.sonde(404, at: 0).isEmpty)
        #expect(off.sync.deadline == nil)
    }

    /// A proposal is announced once and retained until it is answered. Accepting it tunes the receiver.
    @Test func aProposalIsAcceptedOrDeferredByCommand() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let outcome = script.answerPoll([Script.record("V1", frequency: 404.2)])
        #expect(outcome.announcements.contains(.frequencyProposal(try Self.tuning(404.2))))
        #expect(script.proposal?.tuning == (try Self.tuning(404.2)))
        #expect(script.proposal?.serial?.canonical == "V1")
        #expect(outcome.objects(on: "/proposal").last?["receiver_frequency_mhz"] as? Double == 403.5)
        var deferring = script
        #expect(deferring.command("{\"accept_proposal\":false}").answers == ["done!"])
        #expect(deferring.proposal == nil)
        let accepted = script.command("{\"accept_proposal\":true}")
        #expect(accepted.answers == ["accepted"])
        #expect(accepted.written == ["o{f=404.20/tipo=1}o"])
        #expect(script.proposal == nil)
        #expect(accepted.objects(on: "/proposal").last?.isEmpty == true)
    }

    /// Sixteen commands wait for the receiver. A proposal that can't be accepted now stays open.
    @Test func aProposalStaysOpenWhileTheReceiverIsBusy() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.answerPoll([Script.record("V1", frequency: 404.2)])
        for _ in 0..<17 {
            script.advance(0.2)
            #expect(script.command("{\"mute\":true}").answers == ["accepted"])
        }
        script.advance(0.2)
        #expect(script.command("{\"accept_proposal\":true}").answers == ["rejected:busy!"])
        #expect(script.proposal?.tuning == (try Self.tuning(404.2)))
    }

    /// A stored policy -> the number of proposals.
    @Test(arguments: [(nil, 1), ("off", 0), ("propose", 1), ("nonsense", 1)] as [(String?, Int)])
    func thePolicyOutlivesTheProcess(_ stored: String?, _ proposals: Int) {
        var settings: [StoredSetting: String] = [:]
        settings[.frequencySync] = stored
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: GatewayMemory(settings: settings))
        script.connect()
        script.answerPoll([Script.record("V1", frequency: 404.2)])
        #expect(script.announcements.count { $0.name == "frequency_proposal" } == proposals)
    }
}
