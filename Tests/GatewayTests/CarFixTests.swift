import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The fixes of a source that are used, and the log entries about those that are refused.
@Suite struct CarFixTests {
    /// A GPS receiver's source; how far its clock is behind, its speed -> how many of ten fixes, a second apart, are used.
    @Test(
        arguments: [CarSource.gpsd, .nmea],
        [
            // A week rollover (1024 weeks), wrong leap seconds, a date in the future, a right clock, a stopped one.
            (619_315_200, 1, 7), (18, 1, 7), (-619_315_200, 1, 7), (0, 1, 10), (619_315_200, 0, 0),
            // A clock that runs four times as fast as ours, and one that runs backwards.
            (619_315_200, 4, 0), (619_315_200, -1, 0),
        ] as [(Double, Double, Int)])
    func fixesWithAWrongButRunningDateAreUsed(_ source: CarSource, _ clock: (Double, Double, Int)) {
        let (off, rate, used) = clock
        var script = Script()
        var notes: [String] = []
        for second in 0..<10 {
            let age = off - (rate - 1) * Double(second)
            let outcome = script.fix(
                source, at: Script.car.moved(east: Double(second) * 20, north: 0), age: age)
            notes += outcome.notes.map(\.message)
            let time = script.chase?.car?.time ?? script.now.wall
            #expect(time.duration(since: script.now.wall).magnitude <= .seconds(1))
            script.wait(1)
        }
        #expect(script.health()?.car.used == (used == 0 ? [:] : [source: used]))
        let told = notes.filter { $0 == "the GPS receiver's date is wrong; its fixes count by their arrival" }
        #expect(told.count == (used == 7 ? 1 : 0))
    }

    @Test(
        arguments: [
            (.seconds(18), "18 seconds"), (.seconds(619_315_200), "19 years"), (.seconds(-7200), "2 hours"),
            (.seconds(400_000), "4 days"), (.seconds(600), "10 minutes"),
        ] as [(Duration, String)])
    func dateErrorsAreShownInWords(_ off: Duration, _ words: String) {
        #expect(CarFixJudge.words(off) == words)
    }

    /// A phone with a wrong date is never used, because its messages come seldom.
    @Test func aPhoneWithAWrongDateIsRefused() {
        var script = Script()
        for _ in 0..<10 {
            script.fix(.owntracks, age: 3600)
            script.wait(1)
        }
        #expect(script.chase?.car == nil)
    }

    /// The log names a source that is refused for 30 s once, and its recovery.
    @Test(
        arguments: [
            (.gpsd, 500, 0, "inaccurate"), (.owntracks, 5, 7200, "time"), (.rdz, 5, 0, "car.sources"),
        ] as [(CarSource, Double, Double, String)])
    func aRefusedFixIsReported(_ source: CarSource, _ accuracy: Double, _ age: Double, _ word: String) {
        var script = Script(chase: ChaseOptions(sources: [.gpsd, .owntracks]))
        var told: [(second: Int, note: GatewayNote)] = []
        for second in 0..<120 {
            let notes = script.fix(source, accuracy: accuracy, age: age).notes
            told += notes.filter { $0.level == .warning }.map { (second, $0) }
            script.wait(1)
        }
        #expect(told.map(\.second) == [30])
        #expect("\(told.map(\.note.facts))".contains(word) || word == "inaccurate" && "\(told)".contains("100 m"))
        guard source != .rdz else { return }
        #expect(script.fix(source).notes.contains { $0.message == "the car's fixes are used again" })
    }

    /// A GPS receiver that has hung repeats its last fix with its last time. The machine's clock is not set.
    @Test func aTimeThatStandsStillIsRefused() {
        var script = Script(isClockSynced: false)
        let hung = script.now.wall
        var told: [(second: Int, note: GatewayNote)] = []
        for second in 0..<60 {
            let age = script.now.wall.duration(since: hung).inSeconds
            let notes = script.fix(age: age).notes
            told += notes.filter { $0.level == .warning }.map { (second, $0) }
            script.wait(1)
        }
        #expect(told.map(\.second) == [40])
        #expect("\(told.map(\.note.facts))".contains("stands still"))
        #expect(script.chase?.car == nil)
        #expect(script.health()?.car.used == [.gpsd: 10] && script.health()?.car.refused == [.standsStill: 50])
        #expect(script.fix().notes.contains { $0.message == "the car's fixes are used again" })
    }

    /// A few refused fixes between good ones are not logged.
    @Test func occasionalRefusalsAreNotReported() {
        var script = Script()
        for second in 0..<120 {
            let notes = script.fix(accuracy: second % 10 == 0 ? 5 : 500).notes
            #expect(notes.allSatisfy { $0.level != .warning })
            script.wait(1)
        }
    }

    /// The jump in metres, seconds since the last fix -> the number of fixes, a second apart, until the new place is
    /// used. It needs three that agree over 10 s, or enough time to have driven there.
    @Test(
        arguments: [
            (350_000, 1, 11), (500, 1, 5), (189, 1, 1), (900, 10, 1), (1100, 10, 3), (80_000, 3600, 1),
        ] as [(Double, Double, Int)])
    func aJumpIsUsedOnlyWhenConfirmed(_ metres: Double, _ pause: Double, _ expected: Int) {
        var script = Script()
        script.fix(.rdz, age: nil)
        script.wait(pause)
        let there = Script.car.moved(east: metres, north: 0)
        var notes: [GatewayNote] = []
        var count = 0
        repeat {
            count += 1
            notes += script.fix(.rdz, at: there.moved(east: Double(count - 1) * 10, north: 0), age: nil).notes
            if script.health()?.car.used == [.rdz: 2] { break }
            script.wait(1)
        } while count < 30
        #expect(count == expected)
        #expect(notes.filter { $0.level == .warning }.count == (expected == 1 ? 0 : 1))
    }

    /// A gpsd with two receivers, 30 m apart. One is used, and the other after the first has been silent for 10 s.
    @Test func twoReceiversInOneCar() {
        var script = Script()
        var notes: [GatewayNote] = []
        let beside = Script.car.moved(east: 30, north: 0)
        for _ in 0..<30 {
            notes += script.fix(device: "/dev/ttyACM0").notes
            notes += script.fix(at: beside, device: "/dev/ttyACM1").notes
            #expect(script.chase?.car?.coordinate == Script.car)
            script.wait(1)
        }
        #expect(script.health()?.car.refused == [.otherDevice: 30])
        var seconds = 0
        while script.chase?.car?.coordinate != beside, seconds < 60 {
            // The first has no usable fix any more.
            notes += script.fix(accuracy: 500, device: "/dev/ttyACM0").notes
            notes += script.fix(at: beside, device: "/dev/ttyACM1").notes
            seconds += 1
            script.wait(1)
        }
        #expect((9...11).contains(seconds), "\(seconds)")
        #expect(notes.filter { $0.level == .notice }.count == 1 && notes.allSatisfy { $0.level != .warning })
    }

    /// The car's position does not follow a single message from elsewhere, nor two phones in two cars with one name.
    @Test func fixesFromElsewhereAreRefused() {
        var script = Script()
        var warnings = 0
        for second in 0..<60 {
            script.fix(.rdz, at: Script.car.moved(east: Double(second) * 20, north: 0), age: nil)
            if second % 2 == 1 {
                let elsewhere = Coordinate(latitude: 50 + Double(second % 3), longitude: 10)
                let notes = script.fix(.rdz, at: elsewhere, age: nil).notes
                warnings += notes.filter { $0.level == .warning }.count
            }
            #expect(script.chase.flatMap(\.car).map { $0.coordinate.latitude < 48 } ?? false)
            script.wait(1)
        }
        #expect(script.health()?.car.refused == [.jump: 30])
        #expect(warnings == 1)
    }
}
