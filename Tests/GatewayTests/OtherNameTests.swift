import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// One sonde that the receiver and SondeHub name differently.
@Suite struct OtherNameTests {
    private static func record(
        _ name: String = "501-1-00017", at seconds: Double, latitude: Double = 47.38, type: SondeType = .m20,
        frequency: Double? = 405.01
    ) -> SondeHubRecord {
        var record = Script.record(name, at: seconds, altitude: 1500, type: type, frequency: frequency)
        record.coordinate = Coordinate(latitude: latitude, longitude: 8.54)
        return record
    }

    /// The receiver hears an M20 for 10 s and goes away; 15 s later SondeHub may be asked.
    private func lost(_ name: String = "501200017", type: String = "M20") -> Script {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        script.answerPoll([])
        for _ in 0..<10 {
            script.advance(1)
            script.frame(Script.position(name, type: type, frequency: "405.000"))
        }
        script.closeLink()
        return script
    }

    /// SondeHub's frames under the other name continue the flight. In an earlier version the page said "Nobody hears
    /// the sonde" for 3 h.
    @Test func sondeHubGoesOnUnderItsOwnName() throws {
        var script = lost()
        let found = script.answerPoll([Self.record(at: 8), Self.record("V4210150", at: 9, type: .rs41)])
        #expect(script.state == .aprsFlying && script.serial == "501-2-00017")
        #expect(script.flight?.otherName?.canonical == "501-1-00017")
        #expect(found.announcements.compactMap(\.newSerial).isEmpty)
        #expect(found.notes.filter { $0.message.contains("another name") }.count == 1)
        // The missed points are fetched under the name that SondeHub knows.
        let track = try #require(found.tracks.last)
        #expect(track.serial.canonical == "501-1-00017")
        script.answerTrack(track.id, [Self.record(at: -60), Self.record(at: -59)])
        #expect(script.flight?.trackPoints == 12)
        // The next answers are positions of this sonde, wherever it flies. The other name is announced once.
        script.advance(20)
        var polls: [SondeHubQuery] = []
        var later = Script.Outcome()
        for round in 1...4 {
            let poll = script.wait(20).polls.first
            if let poll { polls.append(poll.query) }
            let seconds = script.now.wall.duration(since: WallTime(millisecondsSince1970: Script.noon)).inSeconds
            later += script.answer(poll?.id, [Self.record(at: seconds - 2, latitude: 47.38 + Double(round) * 0.1)])
        }
        #expect(later.positions.map(\.serial?.canonical) == Array(repeating: "501-2-00017", count: 4))
        #expect(later.positions.map(\.name) == Array(repeating: "501-1-00017", count: 4))
        #expect(later.notes.filter { $0.message.contains("another name") }.isEmpty)
        // The receiver is back, and hears the same sonde.
        script.openLink()
        let back = script.frame(Script.position("501200017", type: "M20", frequency: "405.000", latitude: "47.8"))
        #expect(back.announcements.compactMap(\.newSerial).isEmpty && script.state == .liveBLEFlying)
    }

    /// The ages of the records under the receiver's name, the name that SondeHub used before, and a third name -> the
    /// name that is used. An answer keeps old records of a name that no decoder uses any more.
    @Test(
        arguments: [
            (nil, nil, 5.0, "501-1-00017"), (5, nil, 5, nil), (100, nil, 5, nil), (180, nil, 30, "501-1-00017"),
            (nil, 5, 5, "101-1-00017"), (nil, 180, 30, "501-1-00017"), (180, 5, nil, "101-1-00017"), (5, 180, nil, nil),
        ] as [(Double?, Double?, Double?, String?)])
    func aStaleNameGivesWay(_ own: Double?, _ before: Double?, _ third: Double?, _ name: String?) throws {
        let serial = try #require(SondeSerial(name: "501200017", type: .m20))
        let place = Coordinate(latitude: 47.38, longitude: 8.54)
        let points = (0..<600).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: Script.noon + Int64(second) * 1000), coordinate: place,
                altitudeMetres: 1500, source: .ble)
        }
        let likeness = SondeLikeness(
            serial: serial, otherName: SondeSerial(name: "101-1-00017", type: .m20), sondeType: .m20,
            frequencyMHz: 405, points: points)
        let records = [("501-2-00017", own), ("101-1-00017", before), ("501-1-00017", third)].compactMap { name, age in
            age.map { Self.record(name, at: 600 - $0) }
        }
        #expect(likeness.name(in: records)?.canonical == name)
    }

    /// If neither site nor area has the sonde, it is asked for itself, under the other name as soon as that is known.
    @Test func theSondeItselfIsAskedForByItsOtherName() throws {
        var script = lost()
        script.answerPoll([Self.record(at: 8)])
        var queries: [SondeHubQuery] = []
        for _ in 0..<120 {
            for poll in script.wait(1).polls {
                queries.append(poll.query)
                script.answer(poll.id, [])
            }
        }
        let other = try #require(SondeSerial(name: "501-1-00017", type: .m20))
        #expect(queries.contains(.sonde(other)))
    }

    /// A record of SondeHub -> whether it is the sonde that the receiver heard 2 s before, at 47.38° N on 405.000 MHz.
    @Test(
        arguments: [
            ("501-1-00017", 12.0, 47.38, .m20, 405.0, true), ("ME9A03859", 12, 47.38, .m20, 405, true),
            ("501-1-00017", 12, 47.38, .m20, 404.99, true), ("501-1-00017", 12, 47.399, .m20, 405, true),
            // 47.42° is 4.4 km away: too far after 3 s, near enough after a minute.
            ("501-1-00017", 12, 47.42, .m20, 405, false), ("501-1-00017", 70, 47.42, .m20, 405, true),
            // Another type, another frequency, no frequency, an old one.
            ("501-1-00017", 12, 47.38, .rs41, 405, false), ("501-1-00017", 12, 47.38, .m20, 405.02, false),
            // Some decoders confuse M10 and M20. Some records have no type.
            ("501-1-00017", 12, 47.38, .m10, 405, true), ("501-1-00017", 12, 47.38, .other("MXX"), 405, true),
            ("501-1-00017", 12, 47.38, .other(""), 405, true),
            ("501-1-00017", 12, 47.38, .m20, nil, false), ("501-1-00017", -1830, 47.38, .m20, 405, false),
        ] as [(String, Double, Double, SondeType, Double?, Bool)])
    func likeness(
        _ name: String, _ seconds: Double, _ latitude: Double, _ type: SondeType, _ frequency: Double?, _ isSame: Bool
    ) throws {
        let record = Self.record(name, at: seconds, latitude: latitude, type: type, frequency: frequency)
        let likeness = try #require(lost().machine.sonde.likeness(listeningOnMHz: nil))
        #expect(likeness.name(in: [record]) == (isSame ? record.serial : nil))
    }

    /// The receiver's type, SondeHub's name and type of one sonde. There is no proposal to tune to the other type.
    @Test(
        arguments: [
            ("901311104", "M20", "901-2-11104", .m10), ("901211104", "M20", "901-2-11104", .m10),
            ("P1234567", "PILOT", "PS15-1234567", .other("PS-15")),
        ] as [(String, String, String, SondeType)])
    func typesThatOneDecoderTakesForTheOther(_ name: String, _ type: String, _ other: String, _ record: SondeType) {
        var script = lost(name, type: type)
        script.answerPoll([Self.record(other, at: 8, type: record)])
        #expect(script.state == .aprsFlying)
        // The receiver comes back, and hears nothing behind a hill.
        script.openLink()
        var outcome = script.frame(Script.searching.replacing("RS41/403.500", with: "\(type)/405.000"))
        for _ in 0..<20 {
            outcome += script.wait(2) + script.frame(Script.searching.replacing("RS41/403.5", with: "\(type)/405.0"))
        }
        #expect(script.state?.isAPRS == true)
        #expect(outcome.announcements.filter { $0.event == .frequencyProposal }.isEmpty)
    }

    /// If SondeHub has the sonde under its own name, no other record counts as this sonde.
    @Test func itsOwnNameIsBetter() {
        var script = lost()
        script.answerPoll([Self.record("501-2-00017", at: 5), Self.record(at: 8)])
        #expect(script.state == .aprsFlying && script.flight?.otherName == nil)
    }

    /// Of two records that fit, the nearer one is the sonde, for example with a DFM's second serial.
    @Test func theNearestOfTwo() {
        var script = lost("D17-23072942", type: "DFM")
        script.answerPoll([
            Self.record("23072943", at: 9, latitude: 47.39, type: .dfm), Self.record("23072944", at: 9, type: .dfm),
        ])
        #expect(script.flight?.otherName?.canonical == "23072944")
    }

    /// Some decoders give one sonde two names in turn. Each is announced once, and the track is not fetched again.
    @Test func namesThatTakeTurns() {
        var script = lost("D17-23072942", type: "DFM")
        let names = ["23072943", "23072944"]
        var outcome = script.answerPoll([Self.record(names[0], at: 8, type: .dfm)])
        for track in outcome.tracks { outcome += script.answerTrack(track.id, []) }
        var round = 0
        for second in 11..<200 {
            var step = script.wait(1)
            for poll in step.polls {
                round += 1
                let record = Self.record(
                    names[round % 2], at: Double(second - 2), latitude: 47.38 + Double(second) * 1e-4, type: .dfm)
                step += script.answer(poll.id, [record])
            }
            for track in step.tracks { step += script.answerTrack(track.id, []) }
            outcome += step
        }
        #expect(round >= 10)
        #expect(outcome.announcements.compactMap(\.newSerial).isEmpty)
        #expect(Set(outcome.positions.map(\.serial?.canonical)) == ["23072942"])
        #expect(outcome.notes.filter { $0.message.contains("another name") }.count == 2)
        #expect(outcome.tracks.count <= 2, "\(outcome.tracks)")
    }

    /// After a restart SondeHub's name is known, even if the receiver has not heard the sonde again.
    @Test func theNameOutlivesARestart() throws {
        var script = lost()
        let found = script.answerPoll([Self.record(at: 8)])
        let stored = found.entries.compactMap { entry -> String? in
            if case .setting(.otherName, let text) = entry { text } else { nil }
        }
        let flight = try recordedFlight()
        var next = Script(
            sondeHub: SondeHubOptions.payerne,
            memory: GatewayMemory(flight: flight, settings: [.otherName: try #require(stored.last)]))
        next.closeLink()
        next.run(.linkFailed(TransportError(.notFound, "away")))
        #expect(next.flight?.otherName?.canonical == "501-1-00017")
        next.answerPoll([Self.record(at: 3)])
        #expect(next.state == .aprsFlying && next.serial == "501-2-00017")
        // Another sonde's name, or a damaged one, is not taken.
        for text in ["V4210150\t501-1-00017", "501-2-00017", ""] {
            let other = Script(memory: GatewayMemory(flight: flight, settings: [.otherName: text]))
            #expect(other.flight?.otherName == nil)
        }
    }

    /// After a restart the receiver listens on the sonde's frequency, but hears nothing. The name was not known before.
    @Test(arguments: [("405.000", true), ("403.500", false)])
    func theNameIsFoundAfterARestart(_ frequency: String, _ isFound: Bool) throws {
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: GatewayMemory(flight: try recordedFlight()))
        script.openLink()
        for round in 1...20 {
            let step =
                script.wait(2) + script.frame(Script.searching.replacing("RS41/403.500", with: "M20/\(frequency)"))
            for poll in step.polls { script.answer(poll.id, [Self.record(at: Double(2 * round - 2))]) }
        }
        #expect(script.serial == "501-2-00017")
        #expect((script.state == .aprsFlying) == isFound)
        #expect((script.flight?.otherName?.canonical == "501-1-00017") == isFound)
    }

    /// The receiver heard the sonde in an earlier run, for a minute before this one.
    private func recordedFlight() throws -> RecordedFlight {
        let serial = try #require(SondeSerial(name: "501-2-00017", type: .m20))
        let points = (0..<60).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: Script.noon - Int64(60 - second) * 1000),
                coordinate: Coordinate(latitude: 47.38, longitude: 8.54), altitudeMetres: 1500, source: .ble)
        }
        return RecordedFlight(serial: serial, sondeType: .m20, points: points)
    }

    // MARK: - SondeHub names the sonde first

    /// SondeHub has the sonde, at 1500 m and rising by 5 m/s at 12:00:00. The receiver is away.
    private func followed(
        _ name: String = "501-1-00017", type: SondeType = .m20, memory: GatewayMemory = GatewayMemory()
    ) -> Script {
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: memory)
        script.run(.linkFailed(TransportError(.notFound, "away")))
        var record = Self.record(name, at: 0, type: type)
        record.verticalSpeed = 5
        script.answerPoll([record])
        return script
    }

    /// The receiver hears 5 frames of the sonde, the first one 10 s after SondeHub's.
    private func hear(
        _ name: String, type: String, altitude: Int = 1550, frequency: String = "405.000", up: Double = 5,
        in script: inout Script
    ) -> Script.Outcome {
        script.advance(10)
        script.openLink()
        var outcome = Script.Outcome()
        for second in 0..<5 {
            outcome += script.frame(
                Script.position(
                    name, type: type, frequency: frequency, altitude: altitude + 5 * second, up: up))
            outcome += script.wait(1)
        }
        return outcome
    }

    /// SondeHub's name and type, the receiver's name and type -> one flight under SondeHub's name.
    @Test(
        arguments: [
            ("501-1-00017", .m20, "501200017", "M20"), ("901-2-11104", .m10, "901311104", "M20"),
            ("23072943", .dfm, "D17-23072942", "DFM"), ("ME9A03859", .m20, "501200017", "M20"),
        ] as [(String, SondeType, String, String)])
    func theReceiverGoesOnUnderSondeHubsName(
        _ name: String, _ type: SondeType, _ other: String, _ otherType: String
    ) throws {
        var script = followed(name, type: type)
        #expect(script.serial == name && script.state?.isAPRS == true)
        let outcome = hear(other, type: otherType, in: &script)
        #expect(outcome.announcements.compactMap(\.newSerial).isEmpty)
        #expect(script.serial == name && script.state?.isLiveBLE == true)
        #expect(script.flight?.trackPoints == 6, "one point of SondeHub and five of the receiver")
        #expect(outcome.positions.count == 5)
        #expect(outcome.positions.allSatisfy { $0.serial?.canonical == name && $0.name == other })
        let times = outcome.positions.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(script.flight?.otherName == SondeSerial(name: other, type: SondeType(name: otherType)))
        #expect(outcome.notes.filter { $0.message.contains("another name") }.count == 1)
        // After a pause it is still the same sonde.
        script.closeLink()
        let again = hear(other, type: otherType, altitude: 1650, in: &script)
        #expect(again.announcements.compactMap(\.newSerial).isEmpty && script.serial == name)
        #expect(again.notes.filter { $0.message.contains("another name") }.isEmpty)
    }

    /// SondeHub follows a sonde, and the receiver hears one that is not it.
    @Test(
        arguments: [
            // 30 s behind: 150 m lower. Falling past it. On another frequency. Of another type.
            ("23072943", .dfm, "D17-23072950", "DFM", 1400, "405.000", 5),
            ("23072943", .dfm, "D17-23072950", "DFM", 1550, "405.000", -8),
            ("501-1-00017", .m20, "501200018", "M20", 1400, "405.000", 5),
            ("501-1-00017", .m20, "501200017", "M20", 1550, "405.050", 5),
            ("501-1-00017", .m20, "23072942", "DFM", 1550, "405.000", 5),
            ("V4210150", .rs41, "V4210151", "RS41", 1550, "405.000", 5),
        ] as [(String, SondeType, String, String, Int, String, Double)])
    func anotherSondeStaysAnother(
        _ name: String, _ type: SondeType, _ other: String, _ otherType: String, _ altitude: Int, _ frequency: String,
        _ up: Double
    ) {
        var script = followed(name, type: type)
        let outcome = hear(
            other, type: otherType, altitude: altitude, frequency: frequency, up: up, in: &script)
        #expect(outcome.announcements.compactMap(\.newSerial).count == 1)
        #expect(script.serial != name)
    }

    /// SondeHub has both sondes, at one place.
    @Test func twoNamesThatSondeHubHasAreTwoSondes() {
        var script = followed()
        _ = script.command("{\"hunt\":\"501-1-00017\"}")
        script.answerPoll([Self.record(at: 1), Self.record("501-2-00017", at: 0)])
        let outcome = hear("501200017", type: "M20", in: &script)
        #expect(script.serial == "501-2-00017")
        #expect(outcome.announcements.compactMap(\.newSerial).count == 1)
    }

    /// The sonde is chosen by a command. After a restart the receiver's name is still known.
    @Test func theReceiversNameOutlivesARestart() throws {
        var script = followed()
        _ = script.command("{\"hunt\":\"501-1-00017\"}")
        let found = hear("501200017", type: "M20", in: &script)
        #expect(script.serial == "501-1-00017")
        let stored = found.entries.compactMap { entry -> String? in
            if case .setting(.otherName, let text) = entry { text } else { nil }
        }
        #expect(stored == [#"{"atReceiver":"501-2-00017","onSondeHub":"501-1-00017"}"#])
        var flight = try recordedFlight()
        flight.serial = try #require(SondeSerial(name: "501-1-00017", type: .m20))
        var next = Script(
            sondeHub: SondeHubOptions.payerne, memory: GatewayMemory(flight: flight, settings: [.otherName: stored[0]]))
        let outcome = hear("501200017", type: "M20", in: &next)
        #expect(next.serial == "501-1-00017")
        #expect(outcome.announcements.compactMap(\.newSerial).isEmpty)
    }
}
