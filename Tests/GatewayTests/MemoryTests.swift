import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The use of the stored memory of earlier runs at a start.
@Suite struct MemoryTests {
    /// The start time of ``Script``: 2026-01-01T12:00:00Z.
    private static let noon: Int64 = 1_767_268_800_000
    private static let hour: Int64 = 3_600_000

    private static func memory(
        hoursAgo hours: Double, settings: [StoredSetting: String] = [:]
    ) throws -> GatewayMemory {
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let end = noon - Int64(hours * Double(hour))
        let points = (0..<600).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: end - Int64(599 - second) * 1000),
                coordinate: Coordinate(latitude: 47, longitude: 8.54), altitudeMetres: 500 + Double(second) * 5,
                source: .ble)
        }
        return GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: points),
            lastHeard: [serial: WallTime(millisecondsSince1970: end)], settings: settings)
    }

    /// SondeHub answers with the sonde of the memory and a newer one. Without a hunt the gateway follows the newer one.
    private func followed(_ script: inout Script) -> String? {
        script.answerPoll([Script.record("V4210150", at: -150), Script.record("V9", at: -1)])
        return script.serial
    }

    @Test(arguments: [
        (0.01, true), (2.9, true), (11.9, true), (12.1, false), (48, false), (-0.5, false),
    ])
    func aYoungFlightIsResumed(_ hours: Double, _ isResumed: Bool) throws {
        var script = Script(memory: try Self.memory(hoursAgo: hours))
        #expect((script.serial != nil) == isResumed)
        #expect(script.flight?.trackPoints == (isResumed ? 600 : 0))
        #expect(script.begin.announcements.map(\.name) == (isResumed ? ["flight_resumed"] : []))
        let outcome = script.brokerConnected()
        // An old balloon must never appear as a live one.
        for topic in ["/position", "/tracker", "/radio"] { #expect(outcome.messages(on: topic).isEmpty) }
        #expect(outcome.objects(on: "/test/state").map { $0["state"] as? String } == ["startup"])
        #expect(outcome.objects(on: "/flight").map { $0["track_points"] as? Int } == [isResumed ? 600 : 0])
    }

    @Test func theFlightGoesOnWithItsBurst() throws {
        var memory = try Self.memory(hoursAgo: 0.005)
        let rising = try #require(memory.flight).points
        memory.flight?.points = rising.enumerated().map { index, point in
            var point = point
            point.altitudeMetres = 20_000 - abs(Double(index) - 400) * 8
            return point
        }
        var script = Script(memory: memory)
        script.openLink()
        let outcome = script.frame(Script.position(latitude: "47.0", altitude: 18_000))
        #expect(outcome.announcements.allSatisfy { $0.name != "sonde_changed" && $0.name != "burst" })
        #expect(script.flight?.burst?.altitudeMetres == 20_000)
        #expect(script.flight?.trackPoints == 601)
    }

    /// The gap since the last run is filled from SondeHub, and the sonde is hunted until it has been silent for three
    /// hours.
    @Test(arguments: [(1.0, true), (4.0, false)])
    func theStoredHuntIsResumed(_ hours: Double, _ isHunted: Bool) throws {
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: try Self.memory(hoursAgo: hours))
        #expect(script.begin.tracks.map(\.serial.canonical) == ["V4210150"])
        #expect(followed(&script) == (isHunted ? "V4210150" : "V9"))
    }

    /// A sonde's times continue after the last published one, also if the clock is an hour behind after a power cut.
    @Test func withoutAClockTimesGoOnFromTheLastPoint() throws {
        var script = Script(memory: try Self.memory(hoursAgo: -1), isClockSynced: false)
        #expect(script.flight?.trackPoints == 600)
        let firstAt = script.flight?.firstAt
        script.openLink()
        for _ in 0..<10 {
            script.advance(1)
            script.frame(Script.position(latitude: "47.0", altitude: 4000))
        }
        #expect(script.flight?.trackPoints == 610)
        #expect(try #require(script.flight?.last).time > WallTime(millisecondsSince1970: Self.noon + Self.hour))
        // The clock is set two hours ahead. This run's points move, the earlier run's stay.
        script.now.wall = script.now.wall.advanced(byMilliseconds: 2 * Self.hour)
        script.now.isClockSynced = true
        let outcome = script.frame(Script.searching)
        #expect(script.flight?.trackPoints == 610)
        #expect(script.flight?.firstAt == firstAt)
        #expect(abs(try #require(script.flight?.last).time.seconds(since: script.now.wall)) < 1)
        let shifts = outcome.entries.compactMap { if case .clockSet(let step) = $0 { step.since } else { nil } }
        #expect(shifts == [WallTime(millisecondsSince1970: Self.noon + Self.hour + 1)])
    }

    /// The newest of all stored times counts. A time beyond any clock is damage or comes from a wrong clock.
    @Test func theNewestStoredTimeMayBelongToACommand() throws {
        let now = WallTime(millisecondsSince1970: Self.noon)
        var memory = try Self.memory(hoursAgo: 1)
        let heard = try #require(memory.lastHeard.values.max())
        #expect(memory.newestTime(at: now) == heard)
        memory.newestSideRecord = heard.advanced(byMilliseconds: 1000)
        #expect(memory.newestTime(at: now) == heard.advanced(byMilliseconds: 1000))
        memory.settings[.hunt] = "V4210150 \(Self.noon - 60_000)"
        #expect(memory.newestTime(at: now) == now.advanced(byMilliseconds: -60_000))
        memory.settings[.landingPoint] = "V4210150 47 8 \(Self.noon - 30_000)"
        #expect(memory.newestTime(at: now) == now.advanced(byMilliseconds: -30_000))
        memory.settings[.landingPoint] = "V4210150 47 8 \(Self.noon + 13 * Self.hour)"
        #expect(memory.newestTime(at: now) == now.advanced(byMilliseconds: -60_000))
        memory.settings[.landingPoint] = "V4210150 47 8 \(Int64.max)"
        #expect(memory.newestTime(at: WallTime(millisecondsSince1970: 0)) == now.advanced(byMilliseconds: -60_000))
    }

    /// A box without a clock battery was off for a day. By its clock nothing of the flight is missing. When the network
    /// sets the clock, the old flight ends.
    @Test func aClockChangeEndsAnOldFlight() throws {
        let settings = [StoredSetting.hunt: "V4210150 \(Self.noon)"]
        var script = Script(
            sondeHub: SondeHubOptions.payerne, memory: try Self.memory(hoursAgo: -0.5, settings: settings),
            isClockSynced: false)
        #expect(script.serial == "V4210150")
        #expect(script.begin.tracks.isEmpty)
        script.advance(5)
        script.now.wall = script.now.wall.advanced(byMilliseconds: 24 * Self.hour)
        script.now.isClockSynced = true
        script.run(.healthDue(ProcessHealth()))
        #expect(script.serial == nil)
        #expect(script.flight?.trackPoints == 0)
        // The old sonde is not hunted any more, either.
        let day = 86_405.0
        script.answerPoll([Script.record("V4210150", at: day - 30), Script.record("V9", at: day - 1)])
        #expect(script.serial == "V9")
    }

    @Test(arguments: [(1, "V4210150"), (11, "V4210150"), (13, "V9"), (-1, "V9")] as [(Int64, String)])
    func aHuntOutlivesTheProcess(_ hours: Int64, _ serial: String) {
        let stored = "V4210150 \(Self.noon - hours * Self.hour)"
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: GatewayMemory(settings: [.hunt: stored]))
        #expect(followed(&script) == serial)
    }

    @Test(arguments: ["", "V4210150", "V4210150 soon", " 5"])
    func anUnreadableHuntIsIgnored(_ stored: String) {
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: GatewayMemory(settings: [.hunt: stored]))
        #expect(followed(&script) == "V9")
    }

    /// A serial may have two words.
    @Test func aHuntIsReadAsItWasWritten() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        let entries = script.command("{\"hunt\":\"LMS6 12\"}").entries
        guard case .setting(.hunt, let stored?)? = entries.first else { return #expect(Bool(false), "\(entries)") }
        #expect(StoredHunt(stored: stored)?.serial == SondeSerial(name: "LMS6 12", type: .other("")))
        #expect(StoredHunt(stored: stored)?.at == script.now.wall)
    }

    @Test func settingsFromCommandsAreStored() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        let hunt = "{\"at\":\(Self.noon),\"serial\":\"V4210150\"}"
        #expect(script.command("{\"hunt\":\"V4210150\"}").entries == [.setting(.hunt, hunt)])
        #expect(script.command("{\"hunt\":null}").entries == [.setting(.hunt, nil)])
        for (body, stored, applied) in [
            ("\"auto\"", #"{"policy":"auto"}"#, "auto"), ("\"off\"", #"{"policy":"off"}"#, "off"),
            ("null", nil, "propose"),
        ] as [(String, String?, String)] {
            let outcome = script.command("{\"options\":{\"frequency_sync\":\(body)}}")
            #expect(outcome.entries == [.setting(.frequencySync, stored)])
            #expect(outcome.commandAnswers.first?.applied == ["frequency_sync": .string(applied)])
        }
    }

    /// The store gets the points of the track, and no others.
    @Test func everyPointOfTheTrackIsRecorded() {
        var script = Script()
        script.connect()
        var recorded: [TrackPoint] = []
        for second in 0..<50 {
            script.advance(second % 3 == 0 ? 0.4 : 1)
            for entry in script.frame(Script.position(altitude: 500 + second)).entries {
                guard case .points(let serial, let type, let points) = entry else { continue }
                #expect(serial.canonical == "V4210150" && type == .rs41)
                recorded += points
            }
        }
        #expect(recorded.count == script.flight?.trackPoints)
        #expect(recorded.last == script.flight?.last)
        #expect(Set(recorded.map(\.time.wholeSeconds)).count == recorded.count)
        #expect(recorded.count > 30)
    }
}
