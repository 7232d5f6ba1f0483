import FlightMath
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// The car's own way is recorded with the flight, and with nothing else.
@Suite struct CarTrailTests {
    private func way(_ outcome: Script.Outcome) -> [(serial: SondeSerial, point: CarPoint)] {
        outcome.entries.compactMap { if case .carPoint(let serial, let point) = $0 { (serial, point) } else { nil } }
    }

    /// Drives east, with a fix each second.
    /// - Parameter start: where the drive begins, metres east.
    private func drive(
        _ script: inout Script, seconds: Int, speed: Double, from start: Double = 0, isHeard: Bool = true
    ) -> [(serial: SondeSerial, point: CarPoint)] {
        var all = Script.Outcome()
        for second in 0..<seconds {
            all += script.wait(1)
            if isHeard { all += script.frame(Script.position(altitude: 1000 + second)) }
            all += script.fix(at: Script.car.moved(east: start + speed * Double(second), north: 0), speed: speed)
        }
        return way(all)
    }

    @Test func aPointEachFiveSecondsOfADrive() throws {
        var script = Script()
        script.connect()
        let begin = script.now.wall
        let points = drive(&script, seconds: 61, speed: 20)
        #expect(12...13 ~= points.count, "\(points.count)")
        #expect(points.allSatisfy { $0.serial.canonical == script.serial })
        let first = try #require(points.first?.point)
        #expect(first.altitudeMetres == 430 && first.time > begin)
        for (one, next) in zip(points, points.dropFirst()) {
            #expect(next.point.time.duration(since: one.point.time) >= .seconds(5))
            #expect(next.point.coordinate.distanceMetres(to: one.point.coordinate) >= 20)
        }
    }

    /// A slow car has a point each 20 m, and one that stands has none.
    @Test func aCarThatStandsAddsNone() {
        var script = Script()
        script.connect()
        #expect(3...4 ~= drive(&script, seconds: 60, speed: 1).count)
        #expect(drive(&script, seconds: 120, speed: 0).count <= 1)
    }

    @Test func nothingWithoutASonde() {
        var script = Script()
        script.connect()
        #expect(drive(&script, seconds: 60, speed: 20, isHeard: false).isEmpty)
    }

    @Test func nothingIfTheConfigurationForbidsIt() {
        var script = Script(chase: ChaseOptions(recordsWay: false))
        script.connect()
        #expect(drive(&script, seconds: 60, speed: 20).isEmpty)
        script.run(.chaseChanged(ChaseOptions(recordsWay: true), []))
        #expect(!drive(&script, seconds: 10, speed: 20, from: 1200).isEmpty)
        script.run(.chaseChanged(ChaseOptions(recordsWay: false), []))
        #expect(drive(&script, seconds: 60, speed: 20, from: 1400).isEmpty)
    }

    /// The way goes on while the sonde is silent, for half a day.
    @Test func itEndsWithTheFlight() {
        var script = Script()
        script.connect()
        #expect(!drive(&script, seconds: 10, speed: 20).isEmpty)
        script.wait(3600)
        #expect(!drive(&script, seconds: 10, speed: 20, isHeard: false).isEmpty)
        script.wait(12 * 3600)
        #expect(drive(&script, seconds: 60, speed: 20, isHeard: false).isEmpty)
    }
}
