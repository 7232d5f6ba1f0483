import GatewayTestSupport
import RealModule
import ReceiverProtocol
import ReceiverSimulator
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A hunt on foot and by car: a simulated receiver hears a sonde that lies on the ground and says no place, and the crew
/// takes eight bearings on its way in.
@Suite struct PlayedHuntTests {
    private static let distances = [2000.0, 1500, 1100, 800, 600, 450, 250, 100]

    /// The frames of one second as texts.
    private static func frames(_ receiver: inout ReceiverSimulator, at place: Coordinate) -> [String] {
        let outputs = receiver.nextSecond(
            at: CarModel.Place(latitude: place.latitude, longitude: place.longitude))
        let bytes = outputs.flatMap { output -> [UInt8] in
            if case .bytes(let bytes) = output { bytes } else { [] }
        }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0) }
    }

    @Test(arguments: 0..<10) func eightBearingsLeadToTheSonde(_ seed: Int) throws {
        let long = Duration.seconds(100_000)
        var receiver = ReceiverSimulator(
            options: SimulatorOptions(
                seed: UInt64(seed), launchDelay: long,
                faults: [SimulatedFault(kind: .placeless, start: .zero, duration: long)]))
        let sonde = Coordinate(latitude: receiver.flight.latitude, longitude: receiver.flight.longitude)
        var random = SeededGenerator(seed: UInt64(seed))
        var side = Double.random(in: 0..<360, using: &random)
        var script = Script()
        script.connect()
        var levels: [Double] = []
        for metres in Self.distances {
            let angle = side * .pi / 180
            let place = sonde.moved(east: metres * Double.sin(angle), north: metres * Double.cos(angle))
            // The drive there takes a minute, without GPS on the way.
            for second in 0..<65 {
                if second >= 60 { script.fix(at: place) }
                for frame in Self.frames(&receiver, at: place) {
                    let heard = script.frame(frame).radios.compactMap(\.frame).filter { $0.kind == .nameOnly }
                    levels += heard.compactMap(\.rssiDBm)
                }
                script.wait(1)
            }
            script.fix(at: place)
            let degrees = place.bearingDegrees(to: sonde) + random.normal(20) + 720
            let answer = script.command(
                "{\"bearing\":{\"bearing_deg\":\(degrees.truncatingRemainder(dividingBy: 360))}}")
            #expect(answer.answers == ["done!"])
            side += random.normal(30)
        }
        guard case .landing(let report?)? = script.newest[.landing] else {
            Issue.record("seed \(seed): there is no landing point")
            return
        }
        #expect(report.source == "bearings")
        let radius = try #require(report.point.radius90Metres)
        let error = report.coordinate.distanceMetres(to: sonde)
        #expect(error < max(400, radius), "seed \(seed): \(error) m beside the sonde, R90 is \(radius) m")
        // 100 m before the sonde it is heard louder than at first.
        let (first, last) = (try #require(levels.first), try #require(levels.last))
        #expect(last > first && levels.count >= 20, "seed \(seed): \(first) dBm, then \(last) dBm")
    }
}
