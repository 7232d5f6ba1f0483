import ReceiverProtocol
import Testing

@testable import GatewayCore

/// What a start makes of what earlier runs have left.
@Suite struct MemoryTests {
    /// Of ``Script``: 2026-01-01T12:00:00Z.
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
                coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 500 + Double(second) * 5,
                source: .ble)
        }
        return GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: points),
            lastHeard: [serial: WallTime(millisecondsSince1970: end)], settings: settings)
    }

    @Test(arguments: [
        (0.01, true), (2.9, true), (11.9, true), (12.1, false), (48, false), (-0.5, false),
    ])
    func aYoungFlightIsTakenUp(_ hours: Double, _ isTakenUp: Bool) throws {
        var script = Script(memory: try Self.memory(hoursAgo: hours))
        #expect((script.machine.identity.current != nil) == isTakenUp)
        #expect(script.machine.flight.track.points.count == (isTakenUp ? 600 : 0))
        let actions = script.run(.brokerConnected)
        // No old balloon is shown as a live one.
        #expect(actions.texts(on: "/position").isEmpty && actions.texts(on: "/tracker").isEmpty)
        #expect(actions.texts(on: "/radio").isEmpty)
        #expect(actions.texts(on: "/test/state").allSatisfy { $0.contains("\"state\":\"startup\"") })
        #expect(actions.texts(on: "/flight").allSatisfy { $0.contains("\"track_points\":600") })
        #expect(actions.texts(on: "/flight").isEmpty == !isTakenUp)
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
        script.run(.brokerConnected)
        script.run(.linkOpened(ReceiverPeer(name: "receiver", maximumWriteLength: 128)))
        let actions = script.frame(Script.position(latitude: "47.0", altitude: 18_000))
        #expect(actions.texts(on: "/event").allSatisfy { !$0.contains("sonde_changed") && !$0.contains("burst") })
        #expect(actions.texts(on: "/flight").last?.contains("\"altitude_m\":20000") == true)
        #expect(actions.texts(on: "/flight").last?.contains("\"track_points\":601") == true)
    }

    /// The gap since then is filled from SondeHub, and the sonde is hunted until it has been silent for three hours.
    @Test(arguments: [(1.0, true), (4.0, false)])
    func theSondeIsHunted(_ hours: Double, _ isHunted: Bool) throws {
        let script = Script(sondeHub: SondeHubOptions(), memory: try Self.memory(hoursAgo: hours))
        #expect(script.machine.gapFill != nil)
        #expect((script.machine.hunted.serial(at: script.now.monotonic) != nil) == isHunted)
    }

    /// Times of a sonde go on from what was published, also when the clock is an hour behind after a power cut.
    @Test func withoutAClockTimesGoOnFromTheLastPoint() throws {
        var script = Script(memory: try Self.memory(hoursAgo: -1), isClockSynced: false)
        #expect(script.machine.flight.track.points.count == 600)
        script.run(.brokerConnected)
        script.run(.linkOpened(ReceiverPeer(name: "receiver", maximumWriteLength: 128)))
        for _ in 0..<10 {
            script.advance(1)
            script.frame(Script.position(latitude: "47.0", altitude: 4000))
        }
        #expect(script.machine.flight.track.points.count == 610)
        let last = try #require(script.machine.flight.newest)
        #expect(last.time > WallTime(millisecondsSince1970: Self.noon + Self.hour))
        // Set two hours ahead: this run's points move, the earlier run's stay.
        script.now.wall = script.now.wall.advanced(byMilliseconds: 2 * Self.hour)
        script.now.isClockSynced = true
        let actions = script.frame(Script.searching)
        let points = script.machine.flight.track.points
        #expect(points.count == 610)
        #expect(points[599].time == WallTime(millisecondsSince1970: Self.noon + Self.hour))
        #expect(abs(points[609].time.seconds(since: script.now.wall)) < 1)
        let shifts = actions.compactMap {
            if case .record(.clockSet(let since, let change)) = $0 { (since, change) } else { nil }
        }
        #expect(shifts.map(\.0) == [WallTime(millisecondsSince1970: Self.noon + Self.hour + 1)])
    }

    /// A box that was off for a day and has no clock battery: with the network the clock comes, and the old flight goes.
    @Test func anOldFlightIsLetGoWhenTheClockIsSet() throws {
        let settings = [StoredSetting.hunt: "V4210150 \(Self.noon)"]
        var script = Script(
            sondeHub: SondeHubOptions(), memory: try Self.memory(hoursAgo: -0.5, settings: settings),
            isClockSynced: false)
        #expect(script.machine.identity.current != nil)
        script.run(.brokerConnected)
        script.advance(5)
        script.now.wall = script.now.wall.advanced(byMilliseconds: 24 * Self.hour)
        script.now.isClockSynced = true
        let actions = script.run(.healthDue(ProcessHealth()))
        #expect(script.machine.identity.current == nil)
        #expect(script.machine.hunted.serial(at: script.now.monotonic) == nil)
        #expect(script.machine.gapFill == nil)
        #expect(actions.texts(on: "/flight").last?.contains("\"track_points\":0") == true)
    }

    @Test(arguments: [(1, "V4210150"), (11, "V4210150"), (13, nil), (-1, nil)] as [(Int64, String?)])
    func aHuntOutlivesTheProcess(_ hours: Int64, _ serial: String?) {
        let stored = "V4210150 \(Self.noon - hours * Self.hour)"
        let script = Script(sondeHub: SondeHubOptions(), memory: GatewayMemory(settings: [.hunt: stored]))
        #expect(script.machine.hunted.serial(at: script.now.monotonic)?.canonical == serial)
    }

    @Test(arguments: ["", "V4210150", "V4210150 soon", " 5"])
    func aHuntThatCannotBeReadIsNone(_ stored: String) {
        let script = Script(sondeHub: SondeHubOptions(), memory: GatewayMemory(settings: [.hunt: stored]))
        #expect(script.machine.hunted.pinned == nil)
    }

    @Test func whatCommandsSetIsStored() {
        var script = Script(sondeHub: SondeHubOptions())
        script.run(.brokerConnected)
        func stored(_ body: String) -> [FlightLogEntry] {
            script.command(body).compactMap { if case .record(let entry) = $0 { entry } else { nil } }
        }
        #expect(stored("{\"hunt\":\"V4210150\"}") == [.setting(.hunt, "V4210150 \(Self.noon)")])
        #expect(stored("{\"hunt\":null}") == [.setting(.hunt, nil)])
        #expect(stored("{\"options\":{\"frequency_sync\":\"auto\"}}") == [.setting(.frequencySync, "auto")])
        #expect(script.machine.frequencySync.policy == .auto)
        #expect(stored("{\"options\":{\"frequency_sync\":null}}") == [.setting(.frequencySync, nil)])
        #expect(script.machine.frequencySync.policy == .propose)
        let next = Script(sondeHub: SondeHubOptions(), memory: GatewayMemory(settings: [.frequencySync: "off"]))
        #expect(next.machine.frequencySync.policy == .off)
    }

    /// What goes into the track goes into the store, and nothing else.
    @Test func everyPointOfTheTrackIsRecorded() {
        var script = Script()
        script.connect()
        var recorded: [TrackPoint] = []
        for second in 0..<50 {
            script.advance(second % 3 == 0 ? 0.4 : 1)
            for action in script.frame(Script.position(altitude: 500 + second)) {
                if case .record(.points(let serial, let type, let points)) = action {
                    #expect(serial.canonical == "V4210150" && type == .rs41)
                    recorded += points
                }
            }
        }
        #expect(recorded == script.machine.flight.track.points)
        #expect(recorded.count > 30)
    }
}
