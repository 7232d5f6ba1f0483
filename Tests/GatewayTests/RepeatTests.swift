import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A receiver in a jammed place, or an uploader, repeats the last position as new. That is no rest.
@Suite struct RepeatTests {
    /// Seconds in which the receiver repeats a position at 3000 m. The sonde lands only where it really lies.
    @Test(arguments: [32, 90, 200])
    func aReceiverThatRepeats(_ seconds: Int) throws {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        var outcome = chased.go(800, up: 5)
        outcome += chased.fall(to: 3000, rate: 6)
        var stuck = Script.Outcome()
        chased.hear()
        for _ in 0..<seconds {
            stuck += chased.script.wait(1)
            stuck += chased.hear()
        }
        #expect(stuck.positions.count == seconds)
        #expect(!stuck.positions.contains { !$0.isRepeat })
        let object = try #require(stuck.objects(on: "/position").last)
        #expect(object["repeated"] as? Bool == true)
        #expect(stuck.told(.landed).isEmpty && stuck.told(.moved).isEmpty)
        let stored = stuck.entries.filter { if case .points = $0 { true } else { false } }
        #expect(stored.isEmpty)
        // Meanwhile it has fallen on.
        chased.altitude -= Double(min(seconds, 200)) * 6
        chased.latitude += Double(seconds) * 10 / 111_195
        let rest = chased.fall(to: 500, rate: 6) + chased.go(120, north: 0)
        #expect(rest.told(.landed).count == 1 && rest.told(.moved).isEmpty && rest.told(.landingRevoked).isEmpty)
        #expect(!rest.positions.contains { $0.isRepeat })
        let point = try #require(chased.landing?.point)
        #expect(point.source == .observed && point.coordinate.distanceMetres(to: chased.place) < 60)
        #expect(!outcome.positions.contains { $0.isRepeat })
    }

    /// Repeated positions count as silence.
    @Test func repeatsAreSilence() {
        var chased = Chased(altitude: 500, prediction: .off)
        chased.go(800, up: 5)
        chased.fall(to: 3000, rate: 6)
        #expect(chased.script.flight?.phase == PhaseVerdict(.descendingBelow10k, .verticalSpeed))
        for _ in 0..<25 {
            chased.script.wait(1)
            chased.hear()
        }
        #expect(chased.script.state == .liveBLEFlying)
        #expect(chased.script.flight?.phase == PhaseVerdict(.descendingBelow10k, .silentInFlight))
        chased.go(1, up: -6)
        #expect(chased.script.flight?.phase == PhaseVerdict(.descendingBelow10k, .verticalSpeed))
    }

    /// Speeds over ground and up -> whether the same position again is a repeat. Missing speeds show no motion.
    @Test(
        arguments: [
            (0.0, 0.0, false), (0.9, 1.1, false), (1.0, 0, true), (0, 1.2, true), (0, -8.4, true), (0, 1.3, true),
            (nil, nil, false),
            (nil, -3, true), (9, nil, true),
        ] as [(Double?, Double?, Bool)])
    func onlyAMovingSondeRepeats(_ horizontal: Double?, _ vertical: Double?, _ isRepeat: Bool) {
        var filter = RepeatFilter()
        let place = Coordinate(latitude: 47, longitude: 8)
        func judge(_ altitude: Double) -> Bool {
            filter.isRepeat(place, altitude, horizontalSpeed: horizontal, verticalSpeed: vertical)
        }
        #expect(!judge(3000))
        #expect(judge(3000) == isRepeat)
        // In between, another uploader sends the right position.
        #expect(!judge(2990))
        #expect(judge(3000) == isRepeat)
        // The memory is bounded.
        for altitude in 0..<40 { #expect(!judge(Double(altitude))) }
        #expect(!judge(3000))
    }

    /// One uploader on SondeHub repeats a position with new times, live and in a gap's track. Another one sends the
    /// right positions.
    @Test func anUploaderThatRepeats() throws {
        var chased = Chased(altitude: 500, prediction: .off, sondeHub: SondeHubOptions.payerne)
        let begun = chased.go(800, up: 5)
        chased.script.answer(begun.polls.first?.id, [])
        chased.fall(to: 3000, rate: 6)
        chased.script.closeLink()
        let stuck = record(chased)
        var outcome = chased.script.answerPoll([stuck])
        for _ in 0..<240 {
            let step = chased.script.wait(1)
            for poll in step.polls {
                var record = stuck
                record.time = chased.script.now.wall
                outcome += chased.script.answer(poll.id, [record])
            }
            outcome += step
        }
        let shown = outcome.positions.filter { $0.source == .sondehub }.dropFirst()
        #expect(!shown.contains { !$0.isRepeat })
        #expect(outcome.positions.count > 3)
        #expect(outcome.told(.landed).isEmpty)
        // A gap's track with a repeat every second between true positions.
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let asked = script.frame(Script.position("V1", latitude: "47.0", altitude: 900))
        let records = (0..<60).map { second in
            var record = Script.record("V1", at: Double(second) - 60, altitude: 5000)
            if second % 2 == 1 { record.altitudeMetres = 4000 - Double(second) * 8 }
            record.verticalSpeed = -8
            return record
        }
        script.answerTrack(asked.tracks.first?.id, records)
        #expect(script.flight?.trackPoints == 1 + 1 + 30)
    }

    /// An observed landing that is taken back is neither scored nor learned, and its place is forgotten.
    @Test func aRevokedLandingTeachesNothing() throws {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        chased.go(1300, up: 5)
        chased.fall(to: 3000, rate: 6)
        let stuck = chased.go(120, north: 0)
        #expect(stuck.told(.landed).count == 1)
        let lessons = stuck.entries.compactMap { if case .lesson(_, let lesson) = $0 { lesson } else { nil } }
        #expect(lessons.count == 1)
        var falling = chased.go(1, up: -6)
        while chased.altitude > 2000 { falling += chased.go(1, up: -6) }
        let revoked = try #require(falling.told(.landingRevoked).first)
        #expect(revoked.speak)
        #expect(falling.told(.landingRevoked).count == 1 && falling.told(.moved).isEmpty)
        let serial = try #require(SondeSerial(name: chased.serial, type: .rs41))
        #expect(falling.entries.contains(.lesson(serial, nil)))
        #expect(chased.landing?.source == "predicted" && chased.landing?.score == nil)
        #expect(chased.script.state == .liveBLEFlying)
        let down = chased.fall(to: 500, rate: 6) + chased.go(60, north: 0)
        #expect(down.told(.landed).count == 1)
        #expect(chased.landing?.score != nil)
        let again = down.entries.compactMap { if case .lesson(_, let lesson?) = $0 { lesson } else { nil } }
        #expect(again.count == 1 && again.allSatisfy { ($0.landing?.altitudeMetres ?? .infinity) < 600 })
    }

    private func record(_ chased: Chased) -> SondeHubRecord {
        var record = chased.record()
        (record.horizontalSpeed, record.verticalSpeed) = (10, -6)
        return record
    }
}
