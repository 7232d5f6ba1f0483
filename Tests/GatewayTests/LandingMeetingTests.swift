import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The rules by which a sonde flies, lies or is carried, under circumstances that may not change
/// them. Each row is one rule, each column one circumstance. A column treats all rows alike.
@Suite struct LandingMeetingTests {
    /// What happens to a sonde, and the conclusion.
    struct Row: CustomTestStringConvertible, Sendable {
        var name: String
        /// Before and after the circumstance.
        var first, then: @Sendable (inout Chased) -> Script.Outcome
        var phase: PhaseVerdict
        /// The source of the landing point; nil if there may be any.
        var source: LandingPoint.Source?
        var isMoved = false
        /// The launch site; nil if it is far away.
        var site: Coordinate?

        var testDescription: String { name }
    }

    enum Column: CaseIterable, Sendable {
        case alone
        /// The gateway is killed and started again.
        case restart
        /// SondeHub's newest record is five minutes old, and shows the sonde elsewhere and high in the air.
        case sondeHubContradicts
        /// The clock is a day behind, and is set between the two parts.
        case unsetClock
        /// The points come in reverse order.
        case reverseOrder
        /// The crew has set the landing point.
        case setByHand
    }

    // MARK: - Rows

    private static let ground = 480.0
    private static let pad = Coordinate(latitude: 47, longitude: 8.54)

    private static let up: @Sendable (inout Chased) -> Script.Outcome = { $0.go(500, up: 5, every: 20) }

    /// Up, and down to this altitude.
    private static func flight(to metres: Double) -> @Sendable (inout Chased) -> Script.Outcome {
        { chased in up(&chased) + chased.fall(to: metres, rate: 8, every: 5) }
    }

    /// Lost at 1050 m and silent until it must be down.
    private static func lost(_ chased: inout Chased) -> Script.Outcome {
        let flown = flight(to: 1050)(&chased)
        chased.script.closeLink()
        return flown + chased.script.wait(1500)
    }

    /// Heard again on the ground, so many metres north of the predicted landing point.
    private static func heardAgain(
        _ metres: Double, seconds: Int, every spacing: Int = 5
    ) -> @Sendable (inout Chased) -> Script.Outcome {
        { chased in
            let expected =
                chased.script.machine.sonde.landing.expectation(by: chased.script.machine.run.wallClock)?.coordinate
                ?? chased.place
            chased.script.openLink()
            (chased.latitude, chased.altitude) = (expected.latitude + metres / 111_195, ground)
            return chased.go(seconds, north: 0, every: spacing)
        }
    }

    private static func landed(_ chased: inout Chased) -> Script.Outcome {
        flight(to: ground)(&chased) + chased.go(90, north: 0, every: 5)
    }

    static let rows = [
        Row(
            name: "it comes to rest", first: flight(to: 1500),
            then: { $0.fall(to: ground, rate: 8, every: 5) + $0.go(90, north: 0, every: 5) },
            phase: PhaseVerdict(.landed, .vectorTest), source: .observed),
        Row(
            name: "at rest all the time", first: { landed(&$0) }, then: { $0.go(90, north: 0, every: 5) },
            phase: PhaseVerdict(.landed, .vectorTest), source: .observed),
        Row(
            name: "silent, and it must be down", first: flight(to: 1050),
            then: { chased in
                chased.script.closeLink()
                return chased.script.wait(1500)
            }, phase: PhaseVerdict(.landed, .sondeHubSilent), source: .lastPrediction),
        Row(
            name: "silent high in the air", first: flight(to: 2500),
            then: { chased in
                chased.script.closeLink()
                return chased.script.wait(150)
            }, phase: PhaseVerdict(.descendingBelow10k, .silentInFlight), source: .predicted),
        Row(
            name: "heard again at rest where it was expected", first: { lost(&$0) }, then: heardAgain(300, seconds: 90),
            phase: PhaseVerdict(.landed, .vectorTest), source: .observed),
        Row(
            name: "one frame from where it was expected", first: { lost(&$0) },
            then: { heardAgain(300, seconds: 1, every: 1)(&$0) + $0.script.wait(10) },
            phase: PhaseVerdict(.landed, .vectorTest), source: .observed),
        Row(
            name: "heard again at rest elsewhere", first: { lost(&$0) }, then: heardAgain(5000, seconds: 180),
            phase: PhaseVerdict(.landed, .sondeHubSilent), source: .lastPrediction, isMoved: true),
        Row(
            name: "carried after the landing", first: { landed(&$0) }, then: { $0.go(120, north: 15, every: 5) },
            phase: PhaseVerdict(.landed, .vectorTest), source: .observed, isMoved: true),
        Row(
            name: "it stood still in the air, and falls on",
            first: { flight(to: 2000)(&$0) + $0.go(120, north: 0, every: 5) },
            then: { $0.fall(to: 1200, rate: 6, every: 5) },
            phase: PhaseVerdict(.descendingBelow10k, .verticalSpeed), source: .predicted),
        Row(
            name: "it is launched again", first: { landed(&$0) }, then: { $0.go(240, up: 5, north: 3, every: 5) },
            phase: PhaseVerdict(.ascending, .verticalSpeed), source: nil),
        Row(
            name: "first heard at rest",
            first: { chased in
                chased.altitude = ground
                return chased.go(30, north: 0, every: 5)
            }, then: { $0.go(90, north: 0, every: 5) }, phase: PhaseVerdict(.landed, .heardOnGround), source: .observed),
        Row(
            name: "on its pad", first: { $0.go(60, north: 0, every: 5) }, then: { $0.go(90, north: 0, every: 5) },
            phase: PhaseVerdict(.unknown, .onGround), source: nil, site: pad),
    ]

    // MARK: - Columns

    /// What the store holds after these entries.
    private static func memory(_ outcome: Script.Outcome, of chased: Chased) throws -> GatewayMemory {
        let serial = try #require(SondeSerial(name: chased.serial, type: .rs41))
        var flight = RecordedFlight(serial: serial, sondeType: .rs41, points: [])
        var memory = GatewayMemory()
        for entry in outcome.entries {
            switch entry {
            case .points(_, _, let points): flight.points += points
            case .landingPoint(_, let point): flight.landingPoints.append(point)
            case .prediction(_, let prediction): flight.predictions.append(prediction)
            case .setting(let setting, let value): memory.settings[setting] = value
            case .clockSet, .lesson, .lessonsForgotten, .winds, .newFlight, .forgotten, .recovery, .carPoint, .sample,
                .receiver:
                break
            }
        }
        (memory.flight, memory.lastHeard) = (flight, flight.points.last.map { [serial: $0.time] } ?? [:])
        return memory
    }

    private static func options(_ row: Row) -> PredictionOptions {
        var options = PredictionOptions.ownWindsOnly
        if let site = row.site { options.launchSites = [site] }
        return options
    }

    private static func restart(_ chased: inout Chased, _ stored: GatewayMemory, _ row: Row) -> Script.Outcome {
        let isOpen = chased.script.machine.receiver.link.isOpen
        var script = Script(prediction: options(row), memory: nil)
        script.now = chased.script.now
        chased.script = script
        if isOpen { chased.script.connect() } else { chased.script.brokerConnected() }
        return chased.script.run(.recalled(stored))
    }

    private static func contradict(_ chased: inout Chased, _ poll: CallID?) -> Script.Outcome {
        guard let poll, let newest = chased.script.machine.sonde.flight.newest else { return Script.Outcome() }
        var record = chased.record()
        record.time = newest.time.advanced(by: .seconds(-300))
        record.coordinate = newest.coordinate.moved(east: 20_000, north: 0)
        (record.altitudeMetres, record.verticalSpeed, record.horizontalSpeed) = (8000, -12, 10)
        return chased.script.answer(poll, [record]) + chased.script.wait(1)
    }

    /// The flight as one pass over its points shows it, whatever their order.
    private static func reverse(_ chased: inout Chased, _ outcome: Script.Outcome) {
        let points = outcome.entries.flatMap { entry -> [TrackPoint] in
            if case .points(_, _, let points) = entry { points } else { [] }
        }
        let old = chased.script.machine.sonde.flight
        var flight = Flight()
        flight.knownGround = old.knownGround
        flight.expect(chased.script.machine.sonde.landing.expectation(by: chased.script.machine.run.wallClock))
        _ = flight.insert(contentsOf: points.reversed())
        if old.phase.reason == .sondeHubSilent { flight.stayDownInSilence() }
        chased.script.machine.sonde.flight = flight
    }

    private static func meet(
        _ column: Column, _ chased: inout Chased, after outcome: Script.Outcome, _ row: Row
    ) throws -> Script.Outcome {
        switch column {
        case .alone: return Script.Outcome()
        case .restart: return restart(&chased, try memory(outcome, of: chased), row)
        case .sondeHubContradicts: return contradict(&chased, outcome.polls.last?.id)
        case .unsetClock:
            chased.script.now.wall = chased.script.now.wall.advanced(by: .seconds(86_400))
            chased.script.now.isClockSynced = true
            return chased.script.run(.healthDue(ProcessHealth()))
        case .reverseOrder:
            reverse(&chased, outcome)
            return Script.Outcome()
        case .setByHand: return chased.script.command("{\"landing_point\":{\"latitude\":47.2,\"longitude\":8.2}}")
        }
    }

    /// The sources that a landing point may have.
    /// - Parameter isSetByHand: whether the crew has set it. While the sonde is seen to lie, the command is refused.
    private static func sources(_ row: Row, _ column: Column, isSetByHand: Bool) -> [LandingPoint.Source]? {
        guard let source = row.source else { return nil }
        // A place where the sonde was seen to lie is better than any other.
        guard source != .observed else { return [source] }
        return isSetByHand ? [.manual] : column == .restart ? [source, .stored] : [source]
    }

    @Test(arguments: rows, Column.allCases)
    func theRuleHolds(_ row: Row, _ column: Column) throws {
        var chased = Chased(
            prediction: Self.options(row), sondeHub: column == .sondeHubContradicts ? .payerne : .off,
            isClockSynced: column != .unsetClock)
        var outcome = row.first(&chased)
        outcome += try Self.meet(column, &chased, after: outcome, row)
        let isSetByHand = chased.script.machine.sonde.landing.book.isSetByHand
        let isSeen = chased.script.machine.sonde.flight.landingPlace != nil
        #expect(column == .setByHand ? isSetByHand != isSeen : !isSetByHand)
        let then = row.then(&chased)
        if column == .sondeHubContradicts {
            _ = Self.contradict(&chased, then.polls.last?.id ?? outcome.polls.last?.id)
        }
        let flight = chased.script.machine.sonde.flight
        #expect(flight.phase == row.phase)
        #expect(flight.hasMoved == row.isMoved)
        let source = chased.script.machine.sonde.landing.point?.source
        if let sources = Self.sources(row, column, isSetByHand: isSetByHand) {
            #expect(source.map(sources.contains) ?? false, "\(String(describing: source))")
        }
        let landings = (outcome + then).told(.landed).filter { $0.announcement.reason == row.phase.reason?.rawValue }
        #expect(landings.count <= 1)
    }
}
