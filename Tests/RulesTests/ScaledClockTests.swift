import FlightMath
import Gateway
import GatewayRuntime
import ReceiverProtocol
import Synchronization
import Testing

@Suite struct ScaledClockTests {
    /// The system's clock, moved by the test.
    private final class HandClock: GatewayClock {
        private let uptime = Mutex(Duration.seconds(100))
        var now: Moment {
            let uptime = uptime.withLock { $0 }
            return Moment(
                monotonic: MonotonicTime.zero.advanced(by: uptime),
                wall: WallTime(millisecondsSince1970: 0).advanced(by: uptime), isClockSynced: true)
        }
        func pass(_ more: Duration) { uptime.withLock { $0 += more } }
        func sleep(until deadline: MonotonicTime) async {}
    }

    private func uptime(_ clock: ScaledGatewayClock) -> Duration {
        .milliseconds(clock.now.monotonic.duration(since: .zero).wholeMilliseconds)
    }

    @Test func runsAtItsRate() {
        let machine = HandClock()
        let clock = ScaledGatewayClock(rate: 60, system: machine)
        machine.pass(.seconds(2))
        #expect(uptime(clock) == .seconds(220))
        #expect(clock.now.wall.millisecondsSince1970 == 220_000)
        // It does not show the time of day.
        #expect(!clock.now.isClockSynced)
    }

    @Test func atRateOneItFollowsTheSystemsClock() {
        let machine = HandClock()
        let clock = ScaledGatewayClock(rate: 1, system: machine)
        machine.pass(.seconds(3600))
        #expect(clock.now == machine.now)
    }

    /// If a frame is late, the clock waits at its time, and does not catch up later.
    @Test func waitsForALateSource() {
        let machine = HandClock()
        let clock = ScaledGatewayClock(rate: 10, system: machine)
        clock.hold(at: MonotonicTime.zero.advanced(by: .seconds(105)))
        machine.pass(.seconds(60))
        #expect(uptime(clock) == .seconds(105))
        clock.hold(at: MonotonicTime.zero.advanced(by: .seconds(106)))
        machine.pass(.milliseconds(50))
        #expect(uptime(clock) == .milliseconds(105_500))
        clock.hold(at: nil)
        machine.pass(.seconds(1))
        #expect(uptime(clock) == .milliseconds(115_500))
    }

    @Test(.timeLimit(.minutes(10))) func sleepsScaled() async {
        let clock = ScaledGatewayClock(rate: 1000)
        let deadline = clock.now.monotonic.advanced(by: .seconds(200))
        let began = ContinuousClock.now
        await clock.sleep(until: deadline)
        #expect(clock.now.monotonic >= deadline)
        #expect(ContinuousClock.now - began < .seconds(100))
    }
}
