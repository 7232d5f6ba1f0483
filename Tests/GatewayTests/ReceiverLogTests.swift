import FlightMath
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// What happens to the receiver is recorded with the flight.
@Suite struct ReceiverLogTests {
    private func events(_ outcome: Script.Outcome) -> [ReceiverEvent] {
        outcome.entries.compactMap { if case .receiver(_, let event) = $0 { event } else { nil } }
    }

    /// The flight begins later than the link, and begins with the firmware.
    @Test func aFlightBeginsWithTheFirmware() throws {
        var script = Script()
        script.connect()
        script.wait(5)
        #expect(events(script.frame(Script.searching)).isEmpty)
        script.wait(5)
        let first = script.frame(Script.position())
        let event = try #require(events(first).first)
        #expect(events(first).count == 1 && event.kind == .connected && event.firmware == "3.10")
        #expect(event.millivolts != nil && event.time == script.now.wall)
        script.wait(1)
        #expect(events(script.frame(Script.position())).isEmpty)
    }

    @Test func aLossAndAReturn() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.wait(1)
        #expect(events(script.closeLink()).map(\.kind) == [.lost])
        script.wait(20)
        script.openLink()
        #expect(events(script.frame(Script.position())).map(\.kind) == [.connected])
        #expect(events(script.closeLink(.stopping)).isEmpty)
    }

    /// The chip's start sends several texts.
    @Test func aRestartIsOne() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        for _ in 0..<10 {
            script.wait(1)
            script.frame(Script.position())
        }
        let restartedAt = script.now.wall
        for _ in 0..<3 { script.run(.frameRejected(.bootText)) }
        script.wait(3)
        let recorded = events(script.frame(Script.position()))
        #expect(recorded.map(\.kind) == [.restarted] && recorded.map(\.time) == [restartedAt])
    }

    @Test func withoutASondeNothingIsRecorded() {
        var script = Script()
        script.connect()
        #expect(events(script.frame(Script.searching) + script.closeLink()).isEmpty)
    }
}
