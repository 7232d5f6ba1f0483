import GatewayCore
import GatewayRuntime
import ReceiverProtocol
import Synchronization
import Testing

@Suite struct ScaledClockTests {
    /// The machine's clock, moved by the test.
    private final class HandClock: GatewayClock {
        private let seconds = Mutex(100.0)
        var now: Moment {
            let seconds = seconds.withLock { $0 }
            return Moment(
                monotonic: MonotonicTime.zero.advanced(by: seconds),
                wall: WallTime(millisecondsSince1970: Int64(seconds * 1000)), isClockSynced: true)
        }
        func pass(_ more: Double) { seconds.withLock { $0 += more } }
        func sleep(until deadline: MonotonicTime) async {}
    }

    private func seconds(_ clock: ScaledGatewayClock) -> Double {
        Double(clock.now.monotonic.milliseconds(since: .zero)) / 1000
    }

    @Test func runsAtItsRate() {
        let machine = HandClock()
        let clock = ScaledGatewayClock(rate: 60, system: machine)
        machine.pass(2)
        #expect(seconds(clock) == 220)
        #expect(clock.now.wall.millisecondsSince1970 == 220_000)
        // What it shows is not the time of day.
        #expect(!clock.now.isClockSynced)
    }

    @Test func atRateOneItIsTheMachines() {
        let machine = HandClock()
        let clock = ScaledGatewayClock(rate: 1, system: machine)
        machine.pass(3600)
        #expect(clock.now == machine.now)
    }

    /// A machine that stands still while a frame is due holds the flight up; nothing is caught up with.
    @Test func waitsForALateSource() {
        let machine = HandClock()
        let clock = ScaledGatewayClock(rate: 10, system: machine)
        clock.hold(at: MonotonicTime.zero.advanced(by: 105))
        machine.pass(60)
        #expect(seconds(clock) == 105)
        clock.hold(at: MonotonicTime.zero.advanced(by: 106))
        machine.pass(0.05)
        #expect(seconds(clock) == 105.5)
        clock.hold(at: nil)
        machine.pass(1)
        #expect(seconds(clock) == 115.5)
    }

    @Test(.timeLimit(.minutes(1))) func sleepsScaled() async {
        let clock = ScaledGatewayClock(rate: 1000)
        let deadline = clock.now.monotonic.advanced(by: 50)
        let began = ContinuousClock.now
        await clock.sleep(until: deadline)
        #expect(clock.now.monotonic >= deadline)
        #expect(ContinuousClock.now - began < .seconds(25))
    }
}
