import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import GatewayCore

/// Which sonde matters out of what SondeHub tells, and how old that is.
@Suite struct SondeHubChoiceTests {
    @Test func newestUsableSondeIsChosen() {
        let bench = Script.record("V1", at: 50, latitude: 47, uploader: 47.005)
        let old = Script.record("V2", at: 10)
        let new = Script.record("V3", at: 20, latitude: 47, uploader: 46)
        let all = [bench, old, new]
        #expect(SondeHubChoice.newest(of: all, hunted: nil).record == new)
        #expect(SondeHubChoice.newest(of: all, hunted: nil).groundTests.map(\.serial.canonical) == ["V1"])
        #expect(SondeHubChoice.newest(of: all, hunted: bench.serial).record == bench)
        #expect(SondeHubChoice.newest(of: all, hunted: old.serial).record == old)
        #expect(SondeHubChoice.newest(of: [bench], hunted: nil).record == nil)
        #expect(SondeHubChoice.newest(of: [], hunted: nil).record == nil)
    }

    @Test func huntedSondeInOrder() throws {
        func at(_ seconds: Double) -> MonotonicTime { .zero.advanced(by: .seconds(seconds)) }
        let (pin, heard) = (try #require(SondeSerial(name: "P1", type: .rs41)), Script.record("H1").serial)
        var hunted = HuntedSonde(configured: nil)
        #expect(hunted.serial(at: .zero) == nil)
        hunted.heard(heard, at: .zero)
        #expect(hunted.serial(at: at(10_799.9)) == heard)
        #expect(hunted.serial(at: at(10_800)) == nil)
        hunted.told(heard, at: at(10_000))
        #expect(hunted.serial(at: at(20_799.9)) == heard)
        hunted.pin(pin)
        #expect(hunted.serial(at: at(99_999)) == pin)
        hunted.pin(nil)
        #expect(hunted.serial(at: at(20_000)) == heard)
    }

    /// Seconds on the gateway's line of time, cache age -> age of a frame made at second 0 when SondeHub answered.
    @Test(arguments: [(100, 0, 100), (100, 60, 40), (100, 200, 0), (-5, 0, 0)] as [(Double, Double, Double)])
    func ageWhenSondeHubAnswered(_ now: Double, _ cache: Double, _ age: Double) {
        let record = Script.record("V1")
        let answer = SondeHubAnswer(records: [record], cacheAge: .seconds(cache))
        let moment = Moment(
            monotonic: .zero, wall: record.time.advanced(by: .seconds(now)), isClockSynced: true)
        #expect(answer.age(of: record, at: moment) == .seconds(age))
    }
}
