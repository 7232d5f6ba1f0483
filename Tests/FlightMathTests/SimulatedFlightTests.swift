import ReceiverProtocol
import ReceiverSimulator
import TestSupport
import Testing

@testable import FlightMath

@Suite struct SimulatedFlightTests {
    /// Whole flights of each sonde type with noise, outages and early bursts have the phases in order, one burst and
    /// one landing, all in time.
    @Test(arguments: TestLength.share(of: 0..<200))
    func wholeFlights(_ seed: UInt64) {
        let result = SimulatedFlight(seed: seed).run()
        #expect(result.falseLandings == 0)
        #expect(
            result.landingDelay.map { $0 <= 90 } ?? false, "landed after \(String(describing: result.landingDelay))")
        #expect(result.bursts == 1)
        #expect(result.wrongPhases == [])
        #expect(abs(result.burstError) < 20)
    }
}

/// A whole flight, heard with noise and gaps, through the flight logic.
struct SimulatedFlight {
    struct Result {
        /// The phases that were still wrong a minute after the last change or gap, as `true/found`.
        var wrongPhases: Set<String> = []
        /// The number of landings announced in flight or before it.
        var falseLandings = 0
        var bursts = 0
        /// The found burst altitude minus the highest one heard, metres.
        var burstError = Double.infinity
        /// Seconds from touch-down to the landing's announcement; nil if there was none.
        var landingDelay: Double?
    }

    let seed: UInt64

    private static let types: [SondeType] = [.rs41, .m20, .m10, .pilot, .dfm, .rd41, .c50, .imet4]

    func run() -> Result {
        var random = SeededGenerator(seed: seed &* 7919)
        let burst = seed % 3 == 0 ? Double.random(in: 15_000...20_000, using: &random) : nil
        var simulator = ReceiverSimulator(
            options: SimulatorOptions(
                seed: seed, firmware: seed % 2 == 0 ? .three : .two,
                sondeType: Self.types[Int(seed) % Self.types.count], launchDelay: .seconds(120),
                burstAltitudeMetres: burst))
        var flight = Flight()
        var result = Result()
        var touchDown: Duration?
        var highestHeard = 0.0
        var deafUntil = Duration.zero
        var (lastHeard, steadySince, lastPhase) = (Duration.zero, Duration.zero, FlightModel.Phase.onGround)
        while simulator.elapsed < touchDown.map({ $0 + .seconds(200) }) ?? .seconds(20_000) {
            let outputs = simulator.nextSecond()
            if simulator.flight.phase == .landed, touchDown == nil { touchDown = simulator.elapsed }
            // Outages of up to five minutes; none after touch-down.
            if touchDown == nil, Int.random(in: 0..<900, using: &random) == 0 {
                deafUntil = simulator.elapsed + .seconds(Double.random(in: 1...300, using: &random))
            }
            guard touchDown != nil || simulator.elapsed >= deafUntil,
                let point = Self.point(outputs, at: simulator.elapsed.inSeconds)
            else { continue }
            if simulator.elapsed - lastHeard > .seconds(2) || simulator.flight.phase != lastPhase {
                steadySince = simulator.elapsed
            }
            (lastHeard, lastPhase) = (simulator.elapsed, simulator.flight.phase)
            highestHeard = max(highestHeard, simulator.flight.altitudeMetres)
            for change in flight.insert(point).changes {
                switch change {
                case .burst(let point):
                    result.bursts += 1
                    result.burstError = point.altitudeMetres - highestHeard
                case .landed, .heardOnGround:
                    if let touchDown {
                        result.landingDelay = (simulator.elapsed - touchDown).inSeconds
                    } else {
                        result.falseLandings += 1
                    }
                case .moved, .newFlight, .burstRevoked, .landingRevoked: result.falseLandings += 1
                case .landedInSilence, .heardAgain, .trackTruncated: break  // These need silence or a gap.
                }
            }
            if simulator.elapsed - steadySince > .seconds(60), !Self.isRight(flight.phase.phase, simulator.flight) {
                result.wrongPhases.insert("\(simulator.flight.phase)/\(flight.phase.phase)")
            }
        }
        return result
    }

    private static func isRight(_ phase: FlightPhase, _ truth: FlightModel) -> Bool {
        switch truth.phase {
        case .onGround: phase == .unknown
        case .ascending: phase == .ascending
        case .descending where abs(truth.altitudeMetres - 10_000) < 100:
            phase == .descendingAbove10k || phase == .descendingBelow10k
        case .descending: phase == (truth.altitudeMetres > 10_000 ? .descendingAbove10k : .descendingBelow10k)
        case .landed: phase == .landed
        }
    }

    /// The position that the receiver printed in this second.
    private static func point(_ outputs: [ReceiverSimulator.Output], at elapsed: Double) -> TrackPoint? {
        for case .bytes(let bytes) in outputs {
            guard case .radio(let radio)? = try? FrameParser.parse(bytes.span.extracting(0..<(bytes.count - 2))),
                case .plausible(let position)? = radio.position
            else { continue }
            return TrackPoint(
                time: WallTime(millisecondsSince1970: Int64(elapsed * 1000)), coordinate: position.coordinate,
                altitudeMetres: position.altitudeMetres, source: .ble)
        }
        return nil
    }
}
