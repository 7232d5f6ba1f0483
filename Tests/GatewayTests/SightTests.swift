import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The line of sight in the chase report, the ring on the map, and the calls for heights.
@Suite struct SightTests {
    private typealias Asked = (id: CallID, lines: [GroundLine])

    private static func asked(_ outcome: Script.Outcome) -> [Asked] {
        outcome.actions.compactMap { if case .call(let id, .groundAlong(let lines)) = $0 { (id, lines) } else { nil } }
    }

    private static func chased(usesTerrain: Bool = true) -> Chased {
        var options = PredictionOptions.ownWindsOnly
        options.usesTerrain = usesTerrain
        return Chased(altitude: 2000, prediction: options)
    }

    private static func answer(
        _ asked: Asked?, metres: Int16, problems: [String] = [], _ chased: inout Chased
    ) -> Script.Outcome {
        guard let asked else { return Script.Outcome() }
        let lines = asked.lines.map { Array(repeating: metres, count: $0.count) }
        return chased.script.run(.answered(asked.id, .terrain(TerrainAnswer(lines: lines, problems: problems))))
    }

    private static func told(_ outcome: Script.Outcome) -> [Bool?] {
        outcome.objects(on: "/chase").map { ($0["sonde"] as? [String: Any])?["line_of_sight"] as? Bool }
    }

    /// The ground's height -> the chase report: in sight, hidden, unknown.
    @Test(arguments: [(500, true), (3000, false), (TerrainPatch.void, nil)] as [(Int16, Bool?)])
    func theChaseTells(_ metres: Int16, _ isClear: Bool?) throws {
        var chased = Self.chased()
        chased.script.fix()
        var outcome = chased.go(3, up: 5)
        let asked = try #require(Self.asked(outcome).first { $0.lines.count == 1 })
        #expect(asked.lines[0].start.distanceMetres(to: Script.car) < 1)
        #expect(Self.told(outcome).allSatisfy { $0 == nil })
        outcome = Self.answer(asked, metres: metres, &chased)
        outcome += chased.go(2, up: 5)
        #expect(Self.told(outcome).last == isClear)
    }

    /// The line is asked for again when the car or the sonde has moved, at most every 5 s, and the ring once a minute.
    /// One call runs at a time.
    @Test func howOften() throws {
        var chased = Self.chased()
        chased.script.fix()
        var counts = (lines: 0, rings: 0)
        var next = Self.asked(chased.go(1, up: 5))
        for _ in 0..<120 {
            #expect(next.count <= 1)
            for asked in next {
                if asked.lines.count == 1 { counts.lines += 1 } else { counts.rings += 1 }
            }
            let answered = Self.answer(next.first, metres: 500, &chased)
            chased.script.fix()
            next = Self.asked(answered) + Self.asked(chased.go(1, up: 20, north: 20))
        }
        #expect((20...25).contains(counts.lines) && (2...3).contains(counts.rings), "\(counts)")
    }

    /// At rest line and ring are asked for once, or each minute while the heights are unknown. A refused file is named
    /// once.
    @Test(arguments: [(500, 2...2), (TerrainPatch.void, 5...6)] as [(Int16, ClosedRange<Int>)])
    func atRest(_ metres: Int16, _ count: ClosedRange<Int>) {
        var chased = Self.chased()
        chased.script.fix()
        var (warnings, calls) = (0, 0)
        var next = Self.asked(chased.go(1, up: 5, north: 0))
        for _ in 0..<170 {
            calls += next.count
            let outcome = Self.answer(next.first, metres: metres, problems: ["N47E008.hgt has 3 bytes"], &chased)
            warnings += outcome.notes.count { $0.level == .warning }
            chased.script.fix()
            next = Self.asked(outcome) + Self.asked(chased.go(1, up: 0, north: 0))
        }
        #expect(warnings == 1 && count.contains(calls), "\(calls)")
    }

    /// The topic has the followed sonde's ring. After a change of the sonde the old ring is gone.
    @Test func theRingIsPublished() throws {
        var chased = Self.chased()
        let asked = try #require(Self.asked(chased.go(2, up: 5)).first { $0.lines.count > 1 })
        var outcome = Self.answer(asked, metres: 500, &chased)
        let horizon = try #require(outcome.objects(on: "/horizon").last)
        #expect(horizon["serial"] as? String == chased.serial)
        let ring = try #require(horizon["ring"] as? [[Double]])
        #expect(ring.count == 72 && ring.allSatisfy { $0.count == 2 })
        let messages = outcome.published.map {
            (
                topic: String($0.topic.dropFirst("sondygo/test/".count)),
                payload: String(decoding: $0.payload, as: UTF8.self)
            )
        }
        #expect(try Schemas.violations(messages) == [])
        outcome = Script.Outcome()
        for _ in 0..<5 {
            outcome += chased.script.wait(6)
            outcome += chased.script.frame(Script.position("S1234567", altitude: 900))
        }
        #expect(outcome.objects(on: "/horizon").last?.isEmpty == true)
    }

    /// Without a folder of heights nothing is asked or logged. Without a car only the ring is asked for.
    @Test func nothingIsAskedInVain() {
        var without = Self.chased(usesTerrain: false)
        without.script.fix()
        #expect(Self.asked(without.go(10, up: 5)).isEmpty)
        var alone = Self.chased()
        #expect(Self.asked(alone.go(10, up: 5)).allSatisfy { $0.lines.count > 1 })
    }
}
