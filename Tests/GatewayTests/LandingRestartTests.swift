import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Landing point, prediction and silence across a restart. Nothing is announced twice, and no value is newer or more
/// exact than before.
@Suite struct LandingRestartTests {
    /// A flight that Tawhiri predicts to land 20 km north of its launch.
    private static func predicted() -> (chased: Chased, outcome: Script.Outcome) {
        var chased = Chased(altitude: 3000, prediction: .onlineOnly)
        var outcome = chased.go(9, up: 3, north: 0)
        outcome += chased.answer(outcome.questions.first, metres: 20_000)
        return (chased, outcome)
    }

    private static let byHand = "{\"landing_point\":{\"latitude\":47.9,\"longitude\":8.2}}"

    /// After a restart the place is the last prediction's, with its radius.
    @Test func theRadiusOutlivesARestart() throws {
        let (before, outcome) = Self.predicted()
        let radius = try #require(before.landing?.point.radius90Metres)
        let after = Chased(prediction: .onlineOnly, memory: try outcome.memory(endedAgo: 30))
        let point = try #require(after.landing?.point)
        #expect(point.source == .stored)
        #expect(point.radius90Metres == radius && point.accuracyMetres == radius)
    }

    /// With own winds the place moves with each point. One prediction in ten seconds is kept.
    @Test func theRadiusOfOwnWinds() throws {
        var before = Chased(altitude: 9000, prediction: .ownWindsOnly)
        let outcome = before.fall(to: 4000, rate: 6)
        let radius = try #require(before.landing?.point.radius90Metres)
        let after = Chased(prediction: .ownWindsOnly, memory: try outcome.memory(endedAgo: 30))
        #expect(after.landing?.source == "stored")
        let stored = try #require(after.landing?.point.radius90Metres)
        #expect(abs(stored / radius - 1) < 0.2)
    }

    /// The place is set by hand, 60 km from the predicted one, and announced.
    @Test func aManualPlaceIsAnnouncedOnce() throws {
        var (before, outcome) = Self.predicted()
        let set = before.script.command(Self.byHand)
        #expect(set.told(.landingMoved).count == 1)
        outcome += set
        let setAt = before.script.now.wall
        outcome += before.go(20, up: 3, north: 0)
        var after = Chased(
            altitude: before.altitude + 90, prediction: .onlineOnly, memory: try outcome.memory(endedAgo: 30))
        #expect(after.script.begin.told(.landingMoved).isEmpty)
        let point = try #require(after.landing?.point)
        #expect(point.source == .manual && point.accuracyMetres == nil)
        // The point's time is the command's.
        let shift = Duration.seconds(30) + before.script.now.wall.duration(since: setAt)
        let noon = WallTime(millisecondsSince1970: Script.noon)
        #expect(abs(point.at.wall.seconds(since: noon) + shift.inSeconds) < 2)
        #expect(after.script.now.monotonic.duration(since: point.at.monotonic) >= shift - .seconds(2))
        #expect(after.go(5, up: 3, north: 0).told(.landingMoved).isEmpty)
    }

    /// Each sonde keeps its own place.
    @Test func placesOfTwoSondes() {
        var script = Script(sondeHub: SondeHubOptions.payerne, prediction: .onlineOnly)
        script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        script.answerPoll([Script.record("V1"), Script.record("V2", at: -5)])
        var latitudes: [Double?] = []
        for (hunted, latitude) in [("V1", 47.1), ("V2", 47.2), ("V1", nil), ("V2", nil)] {
            script.command("{\"hunt\":\"\(hunted)\"}")
            if let latitude { script.command("{\"landing_point\":{\"latitude\":\(latitude),\"longitude\":8.2}}") }
            guard case .landing(let report)? = script.newest[.landing] else { continue }
            latitudes.append(report?.coordinate.latitude)
        }
        #expect(latitudes == [47.1, 47.2, 47.1, 47.2])
    }

    /// A silent landing was announced. A restart announces neither the landing nor a flight again, even with a clock
    /// that is behind.
    @Test(arguments: [60, 4000, -3000]) func aSilentLandingIsAnnouncedOnce(_ endedAgo: Int) throws {
        var before = Chased(altitude: 4000, prediction: .ownWindsOnly)
        var outcome = before.fall(to: 900, rate: 8)
        let silence = before.script.wait(400)
        #expect(silence.told(.landed).count == 1)
        outcome += silence
        let point = try #require(before.landing?.point)
        #expect(point.source == .lastPrediction)
        var after = Chased(
            prediction: .ownWindsOnly, memory: try outcome.memory(endedAgo: endedAgo), isClockSynced: endedAgo > 0)
        let told = after.script.begin + after.script.wait(300)
        #expect(told.told(.landed).isEmpty && told.told(.airborne).isEmpty && told.told(.landingMoved).isEmpty)
        #expect(after.script.flight?.phase == PhaseVerdict(.landed, .sondeHubSilent))
        // The place is the announced one. No new prediction is made from the old points.
        #expect(after.landing?.coordinate == before.landing?.history.last?.coordinate)
        let again = try #require(after.landing?.point)
        #expect(after.script.now.monotonic.duration(since: again.at.monotonic) >= .seconds(min(400, max(0, endedAgo))))
        #expect(after.prediction == nil && again.landingAt != nil)
    }

    /// Under trees the receiver hears only the name. That is no sign that it flies, before and after a restart.
    @Test(arguments: [true, false]) func theNameAloneDoesNotLetALandedSondeFly(_ isClockSynced: Bool) throws {
        var before = Chased(altitude: 4000, prediction: .ownWindsOnly)
        var outcome = before.fall(to: 900, rate: 8)
        outcome += before.script.wait(400)
        var after = Chased(
            prediction: .ownWindsOnly, memory: try outcome.memory(endedAgo: 60), isClockSynced: isClockSynced)
        var told = after.script.begin
        for _ in 0..<3 {
            for _ in 0..<12 {
                told += after.script.wait(5)
                told += after.script.frame("2/RS41/403.500/V4210150/117.5/100/0/4274/1/3.10/o")
            }
            #expect(after.script.flight?.phase == PhaseVerdict(.landed, .sondeHubSilent))
            told += after.script.wait(200)
        }
        #expect(told.told(.landed).isEmpty && told.told(.airborne).isEmpty)
        #expect(after.script.flight?.phase == PhaseVerdict(.landed, .sondeHubSilent))
    }

    /// Setting the clock moves the points and the note of the silent landing.
    @Test func aClockChangeMovesASilentLanding() throws {
        var chased = Chased(altitude: 4000, prediction: .ownWindsOnly, isClockSynced: false)
        chased.fall(to: 900, rate: 8)
        let last = try #require(chased.script.flight?.last?.time)
        #expect(chased.script.wait(400).told(.landed).count == 1)
        chased.script.now.wall = chased.script.now.wall.advanced(by: .seconds(2400))
        chased.script.now.isClockSynced = true
        let set = chased.script.run(.healthDue(ProcessHealth()))
        let serial = try #require(SondeSerial(name: chased.serial, type: .rs41))
        let moved = SilentLanding(of: serial, lastHeard: last.advanced(by: .seconds(2400)))
        #expect(set.entries.contains(.setting(.silentLanding, moved.stored)))
    }

    /// The silent landing was not announced before the power cut. It is announced after the start.
    @Test func aSilenceBeforeARestartIsJudgedAfterIt() throws {
        var before = Chased(altitude: 4000, prediction: .ownWindsOnly)
        let outcome = before.fall(to: 900, rate: 8)
        var after = Chased(prediction: .ownWindsOnly, memory: try outcome.memory(endedAgo: 600))
        #expect((after.script.begin + after.script.wait(5)).told(.landed).count == 1)
    }

    /// An observed landing keeps its time across a restart.
    @Test func anObservedLanding() throws {
        var before = Chased(altitude: 3000, prediction: .ownWindsOnly)
        var outcome = before.fall(to: 500, rate: 8)
        outcome += before.go(60, north: 0)
        #expect(before.landing?.source == "observed")
        let after = Chased(prediction: .ownWindsOnly, memory: try outcome.memory(endedAgo: 600))
        let point = try #require(after.landing?.point)
        #expect(point.source == .observed && point.accuracyMetres == PositionReport.accuracyMetres)
        #expect(after.script.now.monotonic.duration(since: point.at.monotonic) >= .seconds(600))
        #expect(after.script.begin.told(.landingMoved).isEmpty)
    }

    /// After the landing there are no predictions.
    @Test func thePredictionEndsWithTheFlight() throws {
        var chased = Chased(altitude: 3000, prediction: .ownWindsOnly)
        chased.fall(to: 500, rate: 8)
        #expect(chased.prediction != nil)
        let landed = chased.go(60, north: 0)
        #expect(landed.told(.landed).count == 1)
        #expect(landed.objects(on: "/prediction").last?.isEmpty ?? false)
        #expect(chased.prediction == nil)
    }
}

extension Script.Outcome {
    /// The memory that a start finds in the store after this run.
    /// - Parameter endedAgo: seconds from the run's newest point to the start.
    func memory(endedAgo: Int) throws -> GatewayMemory {
        var flight: RecordedFlight?
        var settings: [StoredSetting: String] = [:]
        let points = entries.flatMap { entry -> [TrackPoint] in
            if case .points(_, _, let points) = entry { points } else { [] }
        }
        let newest = try #require(points.last)
        let noon = WallTime(millisecondsSince1970: Script.noon)
        let change = noon.duration(since: newest.time).wholeMilliseconds - Int64(endedAgo) * 1000
        for entry in entries {
            switch entry {
            case .points(let serial, let type, let points):
                var recorded = flight ?? RecordedFlight(serial: serial, sondeType: type, points: [])
                recorded.points += points.map { point in
                    var point = point
                    point.time = point.time.advanced(byMilliseconds: change)
                    return point
                }
                flight = recorded
            case .landingPoint(_, let place):
                flight?.landingPoints.append(
                    EarlierLandingPoint(
                        coordinate: place.coordinate, time: place.time.advanced(byMilliseconds: change)))
            case .prediction(_, var prediction):
                prediction.at = prediction.at.advanced(byMilliseconds: change)
                flight?.predictions.append(prediction)
            case .setting(let setting, let value):
                // A large number in a setting is a time.
                settings[setting] = value?.replacing(/[0-9]{13}/) { match in
                    Int64(match.output).map { "\($0 + change)" } ?? ""
                }
            case .clockSet, .lesson, .lessonsForgotten, .winds, .newFlight, .forgotten, .recovery, .carPoint, .sample,
                .receiver:
                break
            }
        }
        let lastHeard = flight.map { [$0.serial: newest.time.advanced(byMilliseconds: change)] } ?? [:]
        return GatewayMemory(flight: flight, lastHeard: lastHeard, settings: settings)
    }
}
