import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The store opens after the first frames. The memory of earlier runs is joined with this run's data.
@Suite struct LateMemoryTests {
    private static let minute: Int64 = 60_000

    private func memory(
        of name: String = "V4210150", endsMinutesAgo minutes: Int64 = 1, settings: [StoredSetting: String] = [:]
    ) throws -> GatewayMemory {
        let serial = try #require(SondeSerial(name: name, type: .rs41))
        let end = Script.noon - minutes * Self.minute
        let points = (0..<600).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: end - Int64(599 - second) * 1000),
                coordinate: Coordinate(latitude: 47.37, longitude: 8.54),
                altitudeMetres: 20_000 - abs(Double(second) - 400) * 8, source: .ble)
        }
        return GatewayMemory(
            flight: RecordedFlight(
                serial: serial, sondeType: .rs41, points: points,
                landingPoints: [
                    EarlierLandingPoint(coordinate: Coordinate(latitude: 47, longitude: 8), time: points[500].time)
                ]),
            lastHeard: [serial: WallTime(millisecondsSince1970: end)], settings: settings)
    }

    private func fly(_ script: inout Script, _ count: Int, from altitude: Int = 18_000) -> Script.Outcome {
        var outcome = Script.Outcome()
        for second in 0..<count {
            script.advance(1)
            outcome += script.frame(Script.position(altitude: altitude - second * 8))
        }
        return outcome
    }

    @Test func theFlightGoesOn() throws {
        var script = Script(memory: nil)
        script.connect()
        let before = fly(&script, 5)
        #expect(before.positions.count == 5)
        let outcome = script.run(.recalled(try memory()))
        #expect(outcome.announcements.map(\.name) == ["flight_resumed"])
        #expect(script.flight?.trackPoints == 605)
        #expect(script.flight?.burst?.altitudeMetres == 20_000)
        let after = fly(&script, 5, from: 17_960)
        #expect(script.flight?.trackPoints == 610)
        #expect(after.announcements.allSatisfy { $0.name != "sonde_changed" && $0.name != "burst" })
        let times = (before + after).positions.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// The result is the same whether the memory comes first or after some frames.
    @Test func theOrderDoesNotMatter() throws {
        var early = Script(memory: try memory())
        var late = Script(memory: nil)
        early.connect()
        late.connect()
        _ = fly(&early, 5)
        _ = fly(&late, 5)
        late.run(.recalled(try memory()))
        _ = fly(&early, 5, from: 17_960)
        _ = fly(&late, 5, from: 17_960)
        #expect(late.flight == early.flight)
        #expect(late.stateReport?.serial == early.stateReport?.serial)
    }

    @Test func anotherSondesFlightIsNotResumed() throws {
        var script = Script(memory: nil)
        script.connect()
        _ = fly(&script, 5)
        let outcome = script.run(.recalled(try memory(of: "W9")))
        #expect(outcome.announcements.isEmpty && script.serial == "V4210150")
        #expect(script.flight?.trackPoints == 5)
    }

    @Test func aFlightIsResumedDuringSilence() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: nil)
        let outcome = script.run(.recalled(try memory()))
        #expect(script.serial == "V4210150" && script.flight?.trackPoints == 600)
        #expect(outcome.tracks.map(\.serial.canonical) == ["V4210150"])
    }

    /// Settings of this run stay. The others come from the earlier run.
    @Test func settingsOfThisRunStay() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne, memory: nil)
        script.command("{\"options\":{\"frequency_sync\":\"off\"}}")
        script.run(.recalled(try memory(settings: [.frequencySync: "auto", .hunt: "V9 \(Script.noon)"])))
        #expect(script.machine.tuning.sync.policy == .off)
        #expect(script.machine.sondeHub.hunted.pinned?.canonical == "V9")
        var other = Script(sondeHub: SondeHubOptions.payerne, memory: nil)
        other.command("{\"hunt\":null}")
        other.run(.recalled(try memory(settings: [.frequencySync: "auto", .hunt: "V9 \(Script.noon)"])))
        #expect(other.machine.tuning.sync.policy == .auto)
        #expect(other.machine.sondeHub.hunted.pinned == nil)
    }

    /// A landing point set in this run and one of an earlier run for another sonde are both kept.
    @Test func placesSetByHandAreJoined() throws {
        var script = Script(memory: nil)
        script.connect()
        _ = fly(&script, 5)
        script.command("{\"landing_point\":{\"latitude\":47.5,\"longitude\":8.5}}")
        let stored = "V4210150 1 2 5\nW9 3 4 5"
        let outcome = script.run(.recalled(try memory(settings: [.landingPoint: stored])))
        guard case .setting(.landingPoint, let text?)? = outcome.entries.first else {
            return #expect(Bool(false), "\(outcome.entries)")
        }
        let places = try #require(StoredPlaceList(stored: text)).places.elements
        #expect(outcome.entries.count == 1 && places.map(\.serial.canonical) == ["W9", "V4210150"])
        #expect(places.map(\.place.latitude) == [3, 47.5] && places.map(\.place.longitude) == [4, 8.5])
        #expect(places.map(\.at) == [WallTime(millisecondsSince1970: 5), script.now.wall])
    }

    /// A restored landing point is not written again.
    @Test func placesOfAnEarlierRunAreRecalled() throws {
        var script = Script(memory: nil)
        let outcome = script.run(.recalled(try memory(settings: [.landingPoint: "W9 3 4 5"])))
        let places = script.machine.kept.placesSetByHand.all(by: RunClock())
        #expect(places.map(\.serial.canonical) == ["W9"] && places.first?.place.latitude == 3)
        #expect(!outcome.entries.contains { if case .setting = $0 { true } else { false } })
    }

    /// If the clock was behind the stored times, this run's points move when it is corrected.
    @Test func aClockThatIsBehindIsPutRight() throws {
        var script = Script(memory: nil, isClockSynced: false)
        script.connect()
        _ = fly(&script, 3)
        let outcome = script.run(.recalled(try memory(endsMinutesAgo: -60)))
        let shifts = outcome.entries.compactMap { if case .clockSet(let step) = $0 { step.milliseconds } else { nil } }
        #expect(shifts == [60 * Self.minute + 1])
        let next = fly(&script, 1, from: 17_970)
        #expect(
            next.positions.first.map { $0.time > WallTime(millisecondsSince1970: Script.noon + 60 * Self.minute) }
                == true)
        #expect(script.flight?.trackPoints == 604)
    }

    /// SondeHub is asked only after the start, because the memory may name the hunted sonde.
    @Test func sondeHubIsAskedAfterTheStart() throws {
        let now = Moment(monotonic: .zero, wall: WallTime(millisecondsSince1970: Script.noon), isClockSynced: true)
        var machine = GatewayMachine(
            info: InfoReport(version: "1", id: "test", machine: "m"), sondeHub: SondeHubOptions.payerne, startedAt: now)
        func asks(_ event: GatewayEvent) -> Bool {
            machine.handle(event, at: now).contains { if case .setTimer(.sondeHub, _) = $0 { true } else { false } }
        }
        #expect(!asks(.linkFailed(TransportError(.unreachable, "away"))))
        #expect(asks(.started(nil)))
    }
}
