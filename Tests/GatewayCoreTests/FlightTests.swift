import ReceiverProtocol
import ReceiverSimulator
import Testing

@testable import GatewayCore

@Suite struct FlightTests {
    private static func point(
        _ second: Int64, altitude: Double = 500, latitude: Double = 47, source: TelemetrySource = .ble
    ) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: 1_767_268_800_000 + second * 1000),
            coordinate: Coordinate(latitude: latitude, longitude: 8), altitudeMetres: altitude, source: source)
    }

    /// From, to -> metres, degrees.
    @Test(
        arguments: [
            ((47.0, 8.0), (48.0, 8.0), 111_195, 0), ((47.0, 8.0), (46.0, 8.0), 111_195, 180),
            ((0.0, 8.0), (0.0, 9.0), 111_195, 90), ((0.0, 8.0), (0.0, 7.0), 111_195, 270),
            ((0.0, 179.5), (0.0, -179.5), 111_195, 90), ((90.0, 0.0), (89.0, 90.0), 111_195, 90),
        ] as [((Double, Double), (Double, Double), Double, Double)])
    func distanceAndBearing(
        _ from: (Double, Double), _ to: (Double, Double), _ metres: Double, _ degrees: Double
    ) {
        let start = Coordinate(latitude: from.0, longitude: from.1)
        let end = Coordinate(latitude: to.0, longitude: to.1)
        #expect(abs(start.distanceMetres(to: end) - metres) < 1)
        #expect(abs(start.bearingDegrees(to: end) - degrees) < 0.001)
    }

    @Test func oneTrackPointASecondAndTheReceiverWins() {
        var track = Track()
        let first = track.insert(Self.point(10, altitude: 1, source: .sondehub))
        let replaced = track.insert(Self.point(10, altitude: 2))
        let second = track.insert(Self.point(10, altitude: 3))
        let worse = track.insert(Self.point(10, altitude: 4, source: .sondehub))
        let appended = track.insert(Self.point(12))
        let filledIn = track.insert(Self.point(11))
        #expect(
            [first, replaced, second, worse, appended, filledIn] == [
                .newest, .between, .none, .none, .newest, .between,
            ])
        #expect(track.points.map(\.altitudeMetres) == [2, 500, 500])
        #expect(track.points == track.points.sorted { $0.time < $1.time })
    }

    /// Points in any order give the same track as the same points one by one.
    @Test(arguments: 0..<20)
    func insertionOrderDoesNotMatter(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let points = (0..<400).map { _ in
            Self.point(
                Int64.random(in: 0..<200, using: &random), altitude: Double.random(in: 0...9, using: &random),
                source: Bool.random(using: &random) ? .ble : .sondehub)
        }
        var single = Track()
        var bulk = Track()
        for point in points.prefix(100) {
            single.insert(point)
            bulk.insert(point)
        }
        for point in points.dropFirst(100) { single.insert(point) }
        bulk.insert(contentsOf: Array(points.dropFirst(100)))
        #expect(single.points.map(\.time) == bulk.points.map(\.time))
        #expect(single.points.map(\.source) == bulk.points.map(\.source))
        #expect(Set(single.points.map(\.time.wholeSeconds)).count == single.points.count)
    }

    @Test func trackIsBounded() {
        var track = Track()
        for second in 0..<Int64(Track.limit + 10) { track.insert(Self.point(second)) }
        #expect(track.points.count <= Track.limit)
        #expect(track.newest == Self.point(Int64(Track.limit + 9)))
    }

    /// Values -> median.
    @Test(arguments: [([], 0), ([3], 3), ([3, 1], 2), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5)] as [([Double], Double)])
    func median(_ values: [Double], _ median: Double) {
        #expect(values.median == median)
    }

    @Test func motionIgnoresOutliersAndNoise() {
        var filter = MotionFilter()
        for second in 0..<60 { filter.add(Self.point(Int64(second), altitude: 500 + Double(second) * 5)) }
        let steady = filter.smoothed?.verticalSpeed ?? 0
        #expect(abs(steady - 5) < 0.01)
        filter.add(Self.point(60, altitude: 9000))
        #expect(abs((filter.raw?.verticalSpeed ?? 0) - 8205) < 1)
        #expect(abs((filter.smoothed?.verticalSpeed ?? 0) - 5) < 0.01)
        // Backwards, or after too long a silence, nothing is concluded.
        filter.add(Self.point(60, altitude: 800))
        #expect(filter.raw == nil)
        filter.add(Self.point(121, altitude: 800))
        #expect(filter.raw == nil)
    }

    @Test func deadBandAndCourse() {
        var filter = MotionFilter()
        for second in 0..<30 { filter.add(Self.point(Int64(second), altitude: 500 + (second % 2 == 0 ? 0 : 0.04))) }
        #expect(filter.smoothed == .atRest)
        for second in 30..<90 { filter.add(Self.point(Int64(second), latitude: 47 + Double(second - 30) * 1e-4)) }
        #expect(abs((filter.smoothed?.horizontalSpeed ?? 0) - 11.12) < 0.1)
        #expect(filter.smoothed?.courseDegrees == 0)
    }

    @Test func adjustedDescentRateIsNegativeOrNothing() {
        var filter = MotionFilter()
        for second in 0..<60 { filter.add(Self.point(Int64(second), altitude: Double(second) * 5)) }
        #expect(filter.adjustedDescentRate == nil)
        for second in 60..<180 { filter.add(Self.point(Int64(second), altitude: 300 - Double(second - 60) * 8)) }
        #expect(abs((filter.adjustedDescentRate ?? 0) + 8) < 0.001)
    }

    @Test func onTheLaunchPadIsNotLanded() {
        var flight = Flight()
        var changes: [Flight.Change] = []
        for second in 0..<600 { changes += flight.insert(Self.point(Int64(second))).changes }
        #expect(changes.isEmpty)
        #expect(flight.phase.phase == .unknown)
        #expect(flight.phase.reason == .onGround)
        #expect(flight.landingPlace == nil)
    }

    @Test func backToFlightAfterThreeMovingUpdates() {
        var flight = Flight()
        for second in 0..<100 { _ = flight.insert(Self.point(Int64(second), altitude: 900 - Double(second) * 4)) }
        var changes: [Flight.Change] = []
        for second in 100..<200 { changes += flight.insert(Self.point(Int64(second))).changes }
        #expect(flight.phase.phase == .landed)
        #expect(flight.motion == .atRest)
        for second in 200..<300 {
            changes += flight.insert(Self.point(Int64(second), altitude: 500 + Double(second - 200) * 5)).changes
        }
        #expect(flight.phase.phase == .ascending)
        guard case .landed(let place)? = changes.first else { return #expect(Bool(false), "\(changes)") }
        #expect(place.coordinate == Coordinate(latitude: 47, longitude: 8))
        #expect(changes.dropFirst() == [.airborne])
    }

    /// Points that come late for a flight that is down don't make it fly again.
    @Test func aFilledGapKeepsTheLanding() {
        var flight = Flight()
        for second in 0..<100 { _ = flight.insert(Self.point(Int64(second), altitude: 900 - Double(second) * 4)) }
        for second in 200..<300 { _ = flight.insert(Self.point(Int64(second))) }
        #expect(flight.phase.phase == .landed)
        let gap = (100..<200).map { Self.point(Int64($0), altitude: 500, source: .sondehub) }
        let (taken, changes) = flight.insert(contentsOf: gap)
        #expect(taken == 100)
        #expect(changes.isEmpty)
        #expect(flight.phase.phase == .landed)
    }

    /// A burst in a gap is told late, and put right when the gap's points come; never told twice.
    @Test func aFilledGapCorrectsTheBurst() {
        var flight = Flight()
        var changes: [Flight.Change] = []
        for second in 0..<300 {
            changes += flight.insert(Self.point(Int64(second), altitude: 500 + Double(second) * 5)).changes
        }
        #expect(changes.isEmpty)
        for second in 900..<1000 {
            changes += flight.insert(Self.point(Int64(second), altitude: 2300 - Double(second - 900) * 3)).changes
        }
        #expect(changes == [.burst(Self.point(900, altitude: 2300))])
        let gap = (300..<900).map { second in
            let altitude = second <= 500 ? 500 + Double(second) * 5 : 3000 - Double(second - 500) * 1.75
            return Self.point(Int64(second), altitude: altitude, source: .sondehub)
        }
        #expect(flight.insert(contentsOf: gap.shuffled()).changes.isEmpty)
        #expect(flight.burst == Self.point(500, altitude: 3000, source: .sondehub))
    }

    @Test func aBitErrorInTheAltitudeIsNoBurst() {
        var flight = Flight()
        var changes: [Flight.Change] = []
        for second in 0..<1000 {
            let altitude = second == 500 ? 40_000 : 500 + Double(second) * 5
            changes += flight.insert(Self.point(Int64(second), altitude: altitude)).changes
        }
        #expect(changes.isEmpty)
        #expect(flight.highest?.altitudeMetres == 5495)
    }

    /// Whole flights of every sonde type with noise, outages and early bursts: the phases in order, one burst, one landing, in time.
    @Test(arguments: 0..<200)
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
        /// Phases that were wrong a minute after the last change or gap, as `true/told`.
        var wrongPhases: Set<String> = []
        /// Landings announced while the balloon flew or before it did.
        var falseLandings = 0
        var bursts = 0
        /// Burst altitude found minus the highest one heard, metres.
        var burstError = Double.infinity
        /// Seconds from touch-down to the landing's announcement; nil when there was none.
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
                sondeType: Self.types[Int(seed) % Self.types.count], launchDelay: 120, burstAltitudeMetres: burst))
        var flight = Flight()
        var result = Result()
        var touchDown: Double?
        var highestHeard = 0.0
        var deafUntil = 0.0
        var (lastHeard, steadySince, lastPhase) = (0.0, 0.0, FlightModel.Phase.onGround)
        while simulator.elapsed < touchDown.map({ $0 + 200 }) ?? 20_000 {
            let outputs = simulator.nextSecond()
            if simulator.flight.phase == .landed, touchDown == nil { touchDown = simulator.elapsed }
            // Outages of up to five minutes, but frames go on once it is down.
            if touchDown == nil, Int.random(in: 0..<900, using: &random) == 0 {
                deafUntil = simulator.elapsed + Double.random(in: 1...300, using: &random)
            }
            guard touchDown != nil || simulator.elapsed >= deafUntil,
                let point = Self.point(outputs, at: simulator.elapsed)
            else { continue }
            if simulator.elapsed - lastHeard > 2 || simulator.flight.phase != lastPhase {
                steadySince = simulator.elapsed
            }
            (lastHeard, lastPhase) = (simulator.elapsed, simulator.flight.phase)
            highestHeard = max(highestHeard, simulator.flight.altitudeMetres)
            for change in flight.insert(point).changes {
                switch change {
                case .burst(let point):
                    result.bursts += 1
                    result.burstError = point.altitudeMetres - highestHeard
                case .landed:
                    if let touchDown {
                        result.landingDelay = simulator.elapsed - touchDown
                    } else {
                        result.falseLandings += 1
                    }
                case .airborne: result.falseLandings += 1
                }
            }
            if simulator.elapsed - steadySince > 60, !Self.isRight(flight.phase.phase, simulator.flight) {
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
