import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The computer sleeps or stands still for ten minutes of a flight. Afterwards the landing point is as after ten minutes
/// of silence.
@Suite struct StandstillTests {
    enum Pause: CaseIterable {
        /// The gateway goes on, and the receiver hears nothing. The others are compared with this.
        case silence
        /// The monotonic clock has counted the pause: a laptop's lid was closed.
        case counted
        /// No clock has counted it, and the network has set the wall clock: a virtual machine was paused.
        case uncounted
        /// The program was stopped. What the receiver has sent meanwhile arrives at once, in several pieces.
        case backlog
    }

    private static let seconds = 600

    /// A sonde in the middle of its flight, in a steady wind.
    private static func flying(isFalling: Bool) -> Chased {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        chased.go(isFalling ? 2400 : 600, up: 5, every: 20)
        if isFalling { chased.fall(to: 9500, every: 5) }
        chased.go(5, up: isFalling ? -10 : 5)
        return chased
    }

    /// The sonde flies on for a second that nobody counts.
    private static func flyOn(_ chased: inout Chased, isFalling: Bool) {
        chased.altitude += isFalling ? -6 / Atmosphere.densityRoot(at: chased.altitude) : 5
        chased.latitude += 10 / 111_195
    }

    private static func sleep(_ chased: inout Chased, isFalling: Bool, _ pause: Pause) {
        if pause != .silence {
            chased.script.now.wall = chased.script.now.wall.advanced(by: .seconds(seconds))
            if pause != .uncounted {
                chased.script.now.monotonic = chased.script.now.monotonic.advanced(by: .seconds(seconds))
            }
        }
        for second in 0..<seconds {
            flyOn(&chased, isFalling: isFalling)
            if pause == .silence { chased.script.wait(1) }
            if pause == .silence, second % 10 == 9 { chased.script.frame(Script.searching) }
            guard pause == .backlog, second % 150 == 149, second < seconds - 1 else { continue }
            chased.script.advance(0.01)
            chased.hear()
        }
    }

    /// The landing points of the two minutes after the pause, and the last one before it.
    private static func points(isFalling: Bool, _ pause: Pause) throws -> (before: Coordinate, after: [Coordinate]) {
        var chased = flying(isFalling: isFalling)
        let before = try #require(chased.landing?.coordinate)
        let published = try #require(chased.script.machine.sonde.heard.publishedAt)
        sleep(&chased, isFalling: isFalling, pause)
        var after: [Coordinate] = []
        for second in 0..<120 {
            flyOn(&chased, isFalling: isFalling)
            let outcome = chased.script.wait(1) + chased.hear()
            if second == 0 {
                let time = try #require(outcome.positions.first?.time)
                #expect(time.duration(since: published) >= .seconds(seconds))
            }
            let point = try #require(chased.landing)
            #expect(point.point.source == .predicted)
            after.append(point.coordinate)
        }
        #expect(chased.script.flight?.phase.phase == (isFalling ? .descendingBelow10k : .ascending))
        return (before, after)
    }

    @Test(arguments: [false, true]) func theLandingPointIsAsAfterASilence(_ isFalling: Bool) throws {
        let silent = try Self.points(isFalling: isFalling, .silence)
        for pause in Pause.allCases where pause != .silence {
            let (before, after) = try Self.points(isFalling: isFalling, pause)
            let apart = zip(after, silent.after).map { $0.distanceMetres(to: $1) }
            #expect(apart.allSatisfy { $0 < 1000 }, "\(pause): \(apart.max() ?? .nan) m")
            // In the ascent each new layer of wind moves the point, also without a pause.
            let moved = after.map { $0.distanceMetres(to: before) }
            #expect(!isFalling || moved.allSatisfy { $0 < 3000 }, "\(pause): \(moved.max() ?? .nan) m")
        }
    }

    /// Somebody sets the clock an hour ahead while the sonde flies on as before. Times go on from before, also when a
    /// single wrong position follows.
    @Test func aWrongClockProvesNoPause() throws {
        var chased = Self.flying(isFalling: false)
        let published = try #require(chased.script.machine.sonde.heard.publishedAt)
        chased.script.now.wall = chased.script.now.wall.advanced(by: .seconds(3600))
        chased.go(5, up: 5)
        let (latitude, altitude) = (chased.latitude, chased.altitude)
        chased.latitude += 0.5
        chased.go(1, up: 5)
        (chased.latitude, chased.altitude) = (latitude, altitude)
        chased.go(5, up: 5)
        let now = try #require(chased.script.machine.sonde.heard.publishedAt)
        #expect((Duration.seconds(10)...Duration.seconds(13)).contains(now.duration(since: published)))
        #expect(chased.script.flight?.phase.phase == .ascending)
    }
}
