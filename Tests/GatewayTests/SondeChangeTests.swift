import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Each frame and record belongs to one sonde. Data of one sonde is never shown as another's.
@Suite struct SondeChangeTests {
    // MARK: - Names

    /// The first sonde that the receiver hears needs one frame, even if SondeHub or the store named another before.
    /// In an earlier version it needed three.
    @Test(arguments: ["sondehub", "store", "hunt"])
    func theReceiversFirstSondeNeedsOneFrame(_ source: String) throws {
        let other = try #require(SondeSerial(name: "V9", type: .rs41))
        let stored = RecordedFlight(
            serial: other, sondeType: .rs41, points: [TrackPoint(Script.record("V9", at: -60))])
        let memory = source == "store" ? GatewayMemory(flight: stored) : GatewayMemory()
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: memory)
        script.connect()
        if source == "sondehub" { script.answerPoll([Script.record("V9")]) }
        if source == "hunt" { script.command("{\"hunt\":\"V9\"}") }
        #expect(script.serial == "V9")
        let outcome = script.frame(Script.position("V1"))
        #expect(outcome.positions.map { $0.serial?.canonical } == ["V1"])
        #expect(script.serial == "V1")
        #expect(script.state == .liveBLEFlying)
    }

    /// Held-back frames count as telemetry. In an earlier version the state left the receiver and came back while a new
    /// sonde was confirmed.
    @Test func aSondeChangeDoesNotFlapTheState() {
        var script = Script()
        script.connect()
        script.frame(Script.position("V1"))
        var outcome = Script.Outcome()
        for _ in 0..<5 {
            outcome += script.wait(6)
            outcome += script.frame(Script.position("V2"))
        }
        #expect(script.serial == "V2")
        #expect(outcome.announcements.map(\.name) == ["sonde_changed"])
        #expect(Set(outcome.states.map(\.state)) == [.liveBLEFlying])
    }

    /// Frames whose position is refused count for their serial. In an earlier version they counted for none.
    @Test func framesWithRefusedPositionsCountForTheirSerial() {
        var script = Script()
        script.connect()
        script.frame(Script.position("V1"))
        for _ in 0..<3 { script.frame(Script.position("V2", frequency: "404.000", latitude: "91")) }
        #expect(script.serial == "V2")
        #expect(script.health()?.unconfirmed == 0)
        // A frame of the old sonde breaks the row, with any position.
        for latitude in ["47.38", "91"] {
            script.wait(31)
            script.frame(Script.position("V3"))
            script.frame(Script.position("V3"))
            script.frame(Script.position("V2", latitude: latitude))
            script.frame(Script.position("V3"))
            #expect(script.serial == "V2")
            script.frame(Script.position("V2"))
        }
    }

    /// All spellings of a serial mean one sonde. An earlier version published three spellings.
    @Test(arguments: [
        ("RS41", "V4210150", ["v4210150", "V421 0150", "V421-0150"]),
        ("M10", "011-2-13333", ["011213333", "011-213333"]),
        ("DFM", "23072942", ["D17-23072942", "DFM-23072942"]),
    ])
    func oneSondeHasOneSpelling(_ type: String, _ canonical: String, _ spellings: [String]) {
        for spelling in spellings + [canonical] {
            var script = Script()
            script.connect()
            let outcome = script.frame(Script.position(spelling, type: type))
            #expect(outcome.positions.map { $0.serial?.canonical } == [canonical])
            #expect(outcome.positions.map(\.name) == [spelling], "as the receiver prints it")
            #expect(script.serial == canonical)
        }
    }

    /// `hunt` accepts the name on the receiver's display. In an earlier version a DFM's name never matched SondeHub's.
    @Test(
        arguments: [
            ("D17-23072942", "23072942", .dfm), ("23072942", "23072942", .dfm), ("v4210150", "V4210150", .rs41),
            ("V421 0150", "V4210150", .rs41), ("011213333", "011-2-13333", .m10),
        ] as [(String, String, SondeType)])
    func huntTakesTheReceiversNames(_ name: String, _ serial: String, _ type: SondeType) {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let answer = script.command("{\"hunt\":\"\(name)\"}").commandAnswers.first
        #expect(answer?.applied == ["hunt": .string(serial)])
        let outcome = script.answerPoll([Script.record("V9"), Script.record(serial, at: -10, type: type)])
        #expect(outcome.positions.map { $0.serial?.canonical } == [serial])
        #expect(script.serial == serial)
    }

    // MARK: - No data of another sonde

    /// A hunt clears the old sonde's flight, place and tracker. In an earlier version they stayed.
    @Test func aHuntShowsNothingOfTheOldSonde() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.answerPoll([Script.record("V1")])
        #expect(script.flight?.serial?.canonical == "V1")
        let hunt = script.command("{\"hunt\":\"V2\"}")
        #expect(script.serial == "V2")
        #expect(script.state == .noTelemetry)
        let flight = try #require(script.flight)
        #expect(flight.serial?.canonical == "V2" && flight.trackPoints == 0 && flight.last == nil)
        for topic in ["/position", "/tracker"] {
            #expect(hunt.messages(on: topic).map { $0.payload.isEmpty && $0.isRetained } == [true], "taken back")
        }
        script.brokerDisconnected()
        let again = script.brokerConnected()
        #expect(again.messages(on: "/position").isEmpty && again.messages(on: "/tracker").isEmpty)
    }

    /// A burst killer belongs to its sonde and link. An earlier version showed that of another sonde, or of an old
    /// link, with SondeHub's positions.
    @Test func aBurstKillerIsOfItsSondeAndLink() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.frame(Script.position("V1", burstKiller: 600))
        script.closeLink()
        script.advance(1)
        let own = script.answerPoll([Script.record("V1", at: 0.5, latitude: 47.38)])
        #expect(own.positions.map { $0.burstKillerAt == nil } == [false])
        // It is the same sonde, but a new link forgets the burst killer.
        script.openLink()
        script.frame(Script.searching)
        let anew = script.wait(17)
        let next = script.answer(anew.polls.first?.id, [Script.record("V1", at: 15, latitude: 47.38)])
        #expect(next.positions.map(\.burstKillerAt) == [nil])
    }

    @Test func aBurstKillerIsNeverAnothersAfterAHunt() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.frame(Script.position("V1", burstKiller: 600))
        script.closeLink()
        script.command("{\"hunt\":\"V2\"}")
        script.advance(1)
        let outcome = script.answerPoll([Script.record("V2", at: 0.5)])
        #expect(outcome.positions.map { $0.serial?.canonical } == ["V2"])
        #expect(outcome.positions.map(\.burstKillerAt) == [nil])
        #expect(outcome.radios.map { $0.frame == nil } == [true])
    }

    /// The receiver's data about another sonde is not shown as the followed sonde's.
    @Test func whatIsHeardOfAnotherSondeStaysItsOwn() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.frame(Script.position("V2"))
        script.closeLink()
        script.command("{\"hunt\":\"V1\"}")
        script.answerPoll([Script.record("V1", frequency: 404.2)])
        script.openLink()
        // A frame with a name but no position: the sonde is heard, not followed.
        let other = script.frame("2/RS41/403.500/V2/117.5/100/777/4274/0/3.10/o").radios.first
        #expect(other?.serial?.canonical == "V2")
        #expect(other?.sondeFrequencyMHz == nil)
        #expect(other?.afcMeanHz == nil)
        script.frame(Script.position("V2", latitude: "91", afc: 777, burstKiller: 600))
        #expect(script.serial == "V1")
        script.closeLink()
        let own = script.answer(script.wait(17).polls.first?.id, [Script.record("V1", at: 15, frequency: 404.2)])
        #expect(own.positions.map(\.burstKillerAt) == [nil])
    }

    /// Two sondes are named before either is followed. The mean AFC belongs to the sonde that the report names.
    @Test func theMeanAFCIsOfTheNamedSonde() {
        var script = Script()
        script.connect()
        let named = { (serial: String, afc: Int) in "2/RS41/403.500/\(serial)/117.5/100/\(afc)/4274/0/3.10/o" }
        #expect(script.frame(named("V1", 100)).radios.map(\.afcMeanHz) == [100])
        #expect(script.frame(named("V1", 200)).radios.map(\.afcMeanHz) == [150])
        #expect(script.frame(named("V2", 300)).radios.map(\.afcMeanHz) == [300])
    }

    /// On the next frequency of the grid the first sonde may still be heard, so another one must wait. 400.04 - 400.03 is
    /// more than 0.01 as binary fractions.
    @Test(arguments: [("400.040", "V1"), ("400.050", "V2")])
    func anotherSondeOnANeighbouringFrequency(_ frequency: String, _ followed: String) {
        var script = Script()
        script.connect()
        script.frame(Script.position("V1", frequency: "400.030"))
        for _ in 0..<3 { script.frame(Script.position("V2", frequency: frequency)) }
        #expect(script.serial == followed)
    }

    /// If SondeHub names no type, it is null, not an empty text.
    @Test func aMissingTypeIsNull() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.closeLink()
        let outcome = script.answerPoll([Script.record("V1", type: .other(""))])
        #expect(outcome.positions.map(\.sondeType) == [nil])
        for topic in ["/position", "/radio"] {
            let object = try #require(outcome.objects(on: topic).last)
            #expect(object["sonde_type"] as? String == nil && object.keys.contains("sonde_type"))
        }
        let event = try #require(outcome.objects(on: "/event").first { $0["event"] as? String == "sonde_changed" })
        #expect(event["text"] as? String == "First sonde V1.")
    }

    /// When the clock is set and an old flight is dropped, the state changes, too. In an earlier version it named
    /// SondeHub as the source for up to an hour, without a sonde.
    @Test func whenTheClockIsSetTheStateGoesWithTheSonde() throws {
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let points = (0..<900).map { second in
            let (up, down) = (min(Double(second), 400) * 5, max(0, min(Double(second), 800) - 400) * 5)
            return TrackPoint(
                time: WallTime(millisecondsSince1970: Script.noon + Int64(second) * 1000),
                coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 500 + up - down, source: .sondehub)
        }
        let memory = GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: points),
            lastHeard: [serial: try #require(points.last).time])
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: memory, isClockSynced: false)
        script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        script.advance(5)
        script.answerPoll([Script.record("V1", at: 900, altitude: 500)])
        #expect(script.state == .aprsLanded)
        script.now.wall = script.now.wall.advanced(by: .seconds(86_400))
        script.now.isClockSynced = true
        script.run(.healthDue(ProcessHealth()))
        #expect(script.serial == nil)
        #expect(script.state == .noTelemetry)
        #expect(script.flight?.trackPoints == 0)
    }
}
