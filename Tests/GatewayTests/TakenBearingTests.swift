import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Which bearings are taken: those of the sonde that the receiver hears, from a place and a course that are known.
@Suite struct TakenBearingTests {
    // MARK: - Two sondes

    /// The receiver hears another sonde than the followed one, without a place. Neither the state nor a bearing speaks
    /// of the followed one then.
    @Test func anotherSondesSignalIsNotTheFollowedOnes() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.wait(120)
        script.openLink()
        for _ in 0..<20 {
            script.wait(1)
            script.frame(BearingTests.name.replacingOccurrences(of: "V4210150", with: "W9999999"))
            #expect(script.machine.telemetry.reason != .noPosition)
        }
        #expect(script.serial == "V4210150")
        BearingTests.surround(&script, count: 1)
        script.run(.bearingHeard(HeardBearing(degrees: 10, isRelative: false, place: Script.car)))
        #expect(BearingTests.bearings(script) == nil)
        // Now both.
        script.frame(BearingTests.name)
        #expect(script.machine.telemetry.reason == .noPosition)
        #expect(BearingTests.surround(&script, count: 1).answers == ["done!"])
        #expect(BearingTests.bearings(script)?.serial?.canonical == "V4210150")
    }

    /// Which signal may be the followed sonde's: serial and seconds since its last frame of a sonde, the newest last.
    @Test(
        arguments: [
            ([("V4210150", 5)], true, false), ([("W9999999", 5)], false, true), ([(nil, 5)], true, false),
            ([("V4210150", 9), ("W9999999", 1)], true, false), ([("V4210150", 15), ("W9999999", 1)], true, true),
            ([("V4210150", 25), ("W9999999", 1)], false, true), ([("W9999999", 5), (nil, 1)], true, false),
            ([("W9999999", 61)], false, false), ([], false, false),
        ] as [([(String?, Double)], Bool, Bool)])
    func aSignalIsOfOneSonde(_ heard: [(String?, Double)], _ isHeard: Bool, _ isOther: Bool) {
        let now = MonotonicTime.zero.advanced(by: .seconds(1000))
        let signals = heard.map { name, age in
            let time = now.advanced(by: .seconds(-age))
            return HeardSignal(
                serial: name.flatMap { SondeSerial(name: $0, type: .rs41) }, heardAt: time, placelessAt: time)
        }
        let followed = SondeSerial(name: "V4210150", type: .rs41)
        #expect((Silence(since: signals.placelessAt(of: followed), at: now) == .none) == isHeard)
        #expect((signals.other(than: followed, at: now) != nil) == isOther)
        // While no sonde is followed, any counts.
        #expect(signals.other(than: nil, at: now) == nil)
        #expect((signals.placelessAt(of: nil) == nil) == heard.isEmpty)
    }

    /// A receiver that is not connected hears nothing, however lately it heard the sonde.
    @Test func anUnpluggedReceiverHearsNothing() {
        for frame in [Script.position(), BearingTests.name] {
            var script = Script()
            script.connect()
            script.frame(Script.position())
            script.wait(1)
            script.frame(frame)
            script.closeLink()
            script.wait(15)
            #expect(script.machine.telemetry.state == .noTelemetry)
            #expect(script.machine.telemetry.reason == .timedOut)
            // The first frame of the next link counts.
            script.openLink()
            #expect(script.machine.telemetry.reason == .timedOut)
            script.frame(BearingTests.name)
            #expect(script.machine.telemetry.reason == .noPosition)
        }
    }

    // MARK: - Direction finders

    @Test func aDirectionFinderTurnsWithTheCar() throws {
        var script = BearingTests.hunting()
        script.run(.bearingHeard(HeardBearing(degrees: 300, isRelative: true)))
        #expect(BearingTests.bearings(script) == nil)
        script.fix(course: 90)
        script.run(.bearingHeard(HeardBearing(degrees: 300, isRelative: true)))
        let entry = try #require(BearingTests.bearings(script)?.bearings.first)
        #expect(entry.bearing.degrees == 30 && entry.source == .horus)
    }

    /// A car that stands keeps the course of its last drive. It may have turned on the spot since: a crew that listens where
    /// it has stopped sees that, a direction finder does not.
    @Test func aStandingCarHasNoCourseForAFinder() {
        var script = BearingTests.hunting()
        script.fix(course: 90)
        script.wait(1)
        script.fix(speed: 0.3, course: nil)
        #expect(script.machine.road.car.position?.isCourseHeld == true)
        script.run(.bearingHeard(HeardBearing(degrees: 300, isRelative: true)))
        #expect(BearingTests.bearings(script) == nil)
        #expect(script.command("{\"bearing\":\"ahead\"}").answers == ["done!"])
        // Its place is known.
        #expect(script.command("{\"bearing\":30}").answers == ["done!"])
        script.wait(1)
        script.fix(course: 100)
        script.run(.bearingHeard(HeardBearing(degrees: 300, isRelative: true)))
        #expect(script.command("{\"bearing\":\"ahead\"}").answers == ["done!"])
        #expect(BearingTests.bearings(script)?.bearings.map(\.bearing.degrees) == [90, 30, 40, 100])
    }

    /// A phone sends its place now and then, and the car drives on.
    @Test(arguments: [(50.0, 25.0, false), (5, 25, true), (50, 3, true), (50, 0, true)])
    func aPlaceThatTheCarHasLeftIsNone(_ age: Double, _ speed: Double, _ isTaken: Bool) {
        var script = Script(chase: ChaseOptions(sources: [.owntracks]))
        script.connect()
        script.fix(.owntracks, speed: speed, age: age)
        #expect(script.machine.road.car.position != nil)
        let answer = isTaken ? "done!" : "rejected:unavailable!"
        #expect(script.command("{\"bearing\":90}").answers == [answer])
        script.run(.bearingHeard(HeardBearing(degrees: 30, isRelative: false)))
        #expect(BearingTests.bearings(script)?.bearings.count ?? 0 == (isTaken ? 2 : 0))
        guard !isTaken else { return }
        // Its course is as old.
        let here = "\"from\":{\"latitude\":47.1,\"longitude\":8.2}"
        #expect(script.command("{\"bearing\":{\"bearing_deg\":\"ahead\",\(here)}}").answers == [answer])
        #expect(script.command("{\"bearing\":{\"bearing_deg\":90,\(here)}}").answers == ["done!"])
    }

    /// A direction finder that stands says the same again and again. The estimate by the crew's bearings stays.
    @Test func aDirectionFinderThatStandsEndsNoEstimate() throws {
        var script = BearingTests.hunting()
        BearingTests.surround(&script)
        let before = try #require(BearingTests.bearings(script)?.estimate)
        let place = BearingTests.place(at: 1500, towards: 40)
        for _ in 0..<60 {
            script.wait(10)
            script.run(.bearingHeard(HeardBearing(degrees: 250, isRelative: false, place: place)))
        }
        let report = try #require(BearingTests.bearings(script))
        let after = try #require(report.estimate)
        #expect(report.bearings.count == 64 && report.bearings.prefix(4).allSatisfy { $0.isUsed == true })
        #expect(after.coordinate.distanceMetres(to: before.coordinate) < before.radius90Metres)
    }

    /// A direction finder sends many bearings; a person's stay.
    @Test func aDirectionFinderDisplacesNoPersonsBearing() {
        var script = BearingTests.hunting()
        BearingTests.surround(&script)
        for _ in 0..<200 {
            script.wait(10)
            script.run(.bearingHeard(HeardBearing(degrees: 10, isRelative: false, place: Script.car)))
        }
        let report = BearingTests.bearings(script)
        #expect(report?.bearings.count == 200)
        #expect(report?.bearings.prefix(4).allSatisfy { $0.source == .command } == true)
    }
}
