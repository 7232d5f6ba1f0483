import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Refuses positions that can't belong to the followed sonde.
@Suite struct JumpFilterTests {
    /// A position without a name is used only near the current sonde. In an earlier version it entered the flight from
    /// anywhere, with a null serial.
    @Test func anUnnamedPositionIsTheSondesOnlyWhenItIsNear() {
        var script = Script()
        script.connect()
        script.frame(Script.position("V1", latitude: "47.00"))
        script.advance(1)
        let far = script.frame(Script.position("No data", latitude: "47.50"))
        #expect(far.positions.isEmpty)
        #expect(far.radios.map(\.serial) == [nil])
        #expect(script.health()?.rejects == ["unnamed_position": 1])
        script.advance(1)
        let near = script.frame(Script.position("No data", latitude: "47.005"))
        #expect(near.positions.map { $0.serial?.canonical } == ["V1"])
        #expect(script.flight?.trackPoints == 2)
    }

    /// The older the last position, the farther the next may be.
    @Test(arguments: [(1.0, "47.011", true), (1, "47.013", false), (100, "47.25", true), (100, "47.30", false)])
    func nearIsByTime(_ seconds: Double, _ latitude: String, _ isTaken: Bool) {
        var script = Script()
        script.connect()
        script.frame(Script.position("V1", latitude: "47.00"))
        script.advance(seconds)
        #expect(script.frame(Script.position("No data", latitude: latitude)).positions.isEmpty == !isTaken)
    }

    /// SondeHub's places, degrees north -> whether an unnamed position at 47.0 degrees is the sonde's. One false record
    /// does not take the receiver's positions away.
    @Test(
        arguments: [
            ([47], true), ([47, 55], true), ([47, 55, 47], true), ([47, 55, -20], true), ([47, 55, 55.01], false),
            ([55, 47, 47.01], true), ([55], false), ([], false),
        ] as [([Double], Bool)])
    func oneFalseRecordMovesNothing(_ latitudes: [Double], _ isTaken: Bool) throws {
        var filter = JumpFilter()
        let script = Script()
        var now = script.now
        for latitude in latitudes {
            now.monotonic = now.monotonic.advanced(by: .seconds(1))
            filter.learn(Coordinate(latitude: latitude, longitude: 8.54), at: now.monotonic)
        }
        now.monotonic = now.monotonic.advanced(by: .seconds(1))
        let bytes = Array(Script.position("No data", latitude: "47.0").utf8)
        guard case .radio(let frame) = try FrameParser.parse(bytes.span) else { return }
        let heard = HeardFrame(frame, at: now, after: nil)
        let verdict = filter.judge(try #require(heard.position), of: heard, isSondeKnown: true)
        #expect((verdict == .accept) == isTaken)
    }

    @Test func withoutASondeAnUnnamedPositionIsShownAndEntersNoTrack() {
        var script = Script()
        script.connect()
        let outcome = script.frame(Script.position("No data"))
        #expect(outcome.positions.map(\.serial) == [nil])
        #expect(outcome.entries.isEmpty)
        #expect(script.state == .liveBLEFlying)
        #expect(script.flight?.trackPoints == 0)
    }

    /// A wrong first position (a cold GPS) does not block the right ones. In an earlier version it blocked them for
    /// ever.
    @Test func aWrongFirstPositionDoesNotBlockLaterOnes() {
        var script = Script()
        script.connect()
        #expect(script.frame(Script.position("V1", latitude: "-33")).positions.count == 1)
        var outcome = Script.Outcome()
        for _ in 0..<2 {
            script.advance(1)
            outcome += script.frame(Script.position("V1"))
        }
        #expect(outcome.positions.isEmpty)
        #expect(script.health()?.rejects["position_jump"] == 2)
        script.advance(1)
        outcome = script.frame(Script.position("V1"))
        #expect(outcome.positions.map(\.coordinate.latitude) == [47.38, 47.38, 47.38])
        #expect(script.flight?.trackPoints == 3, "the wrong one left the track")
        #expect(outcome.entries.first { if case .forgotten = $0 { true } else { false } } != nil, "and the store")
        #expect(script.health()?.rejects["position_jump"] ?? 0 == 0, "none of the three was refused in the end")
    }

    /// A track from an earlier run or from SondeHub is not replaced either.
    @Test func aTrackFromMemoryStays() throws {
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let known = (0..<300).map { TrackPoint(Script.record("V1", at: Double($0) - 305, latitude: 47.38)) }
        let memory = GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: known),
            lastHeard: [serial: try #require(known.last).time])
        var script = Script(memory: memory)
        script.openLink()
        var outcome = Script.Outcome()
        for _ in 0..<3 {
            script.advance(1)
            outcome += script.frame(Script.position("V1", latitude: "-33"))
        }
        #expect(outcome.positions.count == 3)
        #expect(script.flight?.trackPoints == 303)
        #expect(!outcome.entries.contains { if case .forgotten = $0 { true } else { false } })
    }

    /// A flight of three positions or more is kept. Three positions that disagree with one another are refused.
    @Test func anEstablishedTrackStays() {
        var script = Script()
        script.connect()
        for _ in 0..<3 {
            script.advance(1)
            script.frame(Script.position("V1"))
        }
        for latitude in ["-33", "10", "-60", "80"] {
            script.advance(1)
            #expect(script.frame(Script.position("V1", latitude: latitude)).positions.isEmpty)
        }
        #expect(script.flight?.trackPoints == 3)
        for _ in 0..<3 {
            script.advance(1)
            script.frame(Script.position("V1", latitude: "-33"))
        }
        #expect(script.flight?.trackPoints == 6)
    }
}
