import FlightMath
import Foundation
import Testing

@testable import FleetBoard

/// The values of a car that the board shows.
@Suite struct BoardCarTests {
    /// A car's messages -> how the car can be reached at 100 s.
    @Test(arguments: [
        ([("health", Bench.health(90))], "ok"), ([("health", Bench.health(20))], "silent"),
        ([("state", "{}")], "silent"),
        ([("health", Bench.health(90)), ("bridge/state", "online"), ("bridge/uplink", "1")], "ok"),
        ([("health", Bench.health(90)), ("bridge/state", "offline")], "offline"),
        ([("health", Bench.health(90)), ("bridge/uplink", "0")], "unconnected"),
    ])
    func reach(_ messages: [(String, String)], _ reach: String) {
        for isLive in [true, false] {
            var bench = Bench()
            for (topic, payload) in messages {
                bench.hear("car1/\(topic)", payload, at: payload.contains(Bench.time(20)) ? 20 : 90, isLive: isLive)
            }
            #expect(bench.car("car1", at: 100)?["reach"] as? String == reach, "live: \(isLive)")
            let now = Bench.moment(100)
            let isReached = (try? bench.book.checkReach(of: "car1", at: now)) != nil
            #expect(isReached == (reach == "ok"))
        }
    }

    /// A car becomes silent when no message comes, and can be reached again after the next one.
    @Test func aCarBecomesSilentByTime() {
        var bench = Bench()
        bench.hear("car1/health", Bench.health(0), at: 0)
        #expect(bench.car("car1", at: 74)?["reach"] as? String == "ok")
        #expect(bench.car("car1", at: 76)?["reach"] as? String == "silent")
        bench.hear("car1/health", Bench.health(80), at: 80)
        #expect(bench.car("car1", at: 80)?["reach"] as? String == "ok")
    }

    @Test func oneIDTwiceAndAWrongClockAreShown() {
        var bench = Bench()
        bench.hear("car1/health", Bench.health(3600), at: 0)
        bench.hear("car2/health", #"{"at":"\#(Bench.time(0))","clock_synced":false,"other_gateway":"ab12"}"#, at: 1)
        #expect(bench.car("car1", at: 2)?["clock_off_s"] as? Int == 3600)
        #expect(bench.car("car1", at: 2)?["twice"] as? Bool == false)
        #expect(bench.car("car2", at: 2)?["clock_off_s"] is NSNull)
        #expect(bench.car("car2", at: 2)?["clock_synced"] as? Bool == false)
        #expect(bench.car("car2", at: 2)?["twice"] as? Bool == true)
    }

    /// NATS may send a retained value later than the live one that replaced it.
    @Test func aRetainedValueThatComesLateIsIgnored() {
        var bench = Bench()
        bench.hear("car1/health", Bench.health(0), at: 0)
        bench.hear("car1/bridge/uplink", "0", at: 1)
        bench.hear("car1/bridge/uplink", "1", at: 1.5, isLive: false)
        #expect(bench.car("car1", at: 2)?["reach"] as? String == "unconnected")
        // In the next session only the retained value exists.
        bench.book.connected(at: Bench.moment(3).monotonic)
        bench.hear("car1/bridge/uplink", "1", at: 3, isLive: false)
        #expect(bench.car("car1", at: 4)?["reach"] as? String == "ok")
    }

    /// A bridge has changed its server, and the first server tells its will afterwards. The next `health` proves that
    /// the car can be reached, until the bridge is said to be down once more.
    @Test func aWillThatComesLateIsOverruled() {
        var bench = Bench()
        bench.hear("car1/health", Bench.health(0), at: 0)
        bench.hear("car1/bridge/uplink", "1", at: 1)
        bench.hear("car1/bridge/uplink", "0", at: 2)
        #expect(bench.car("car1", at: 3)?["reach"] as? String == "unconnected")
        bench.hear("car1/health", Bench.health(30), at: 30)
        #expect(bench.car("car1", at: 31)?["reach"] as? String == "ok")
        bench.hear("car1/bridge/uplink", "0", at: 40)
        #expect(bench.car("car1", at: 41)?["reach"] as? String == "unconnected")
    }

    /// When each `health` comes and when it was written -> the car's reach and clock offset at 130 s.
    @Test(
        arguments: [
            // The last `health` of a gateway that has stopped, which its bridge sends again, once and twice.
            ([(100.0, -3000.0)], "silent", nil), ([(100, -3000), (102, -3000)], "silent", nil),
            // The last `health` of two gateways with one id, sent again in turn.
            ([(100, -3000), (102, -2999), (104, -3000), (106, -2999)], "silent", nil),
            // A clock that is behind, one that is ahead, one that is set.
            ([(100, -3500), (130, -3470)], "ok", -3600), ([(100, 3700)], "ok", 3600),
            ([(70, -3530), (100, 100)], "ok", nil),
        ] as [([(Double, Double)], String, Int?)])
    func onlyANewHealthShowsTheClock(_ messages: [(Double, Double)], _ reach: String, _ offset: Int?) {
        var bench = Bench()
        for (at, written) in messages { bench.hear("car1/health", Bench.health(written), at: at) }
        let car = bench.car("car1", at: 130)
        #expect(car?["reach"] as? String == reach)
        #expect(car?["clock_off_s"] as? Int == offset)
    }

    /// When each `health` comes and when its gateway was started -> whether the id counts as used twice at 100 s, and
    /// still when the car has been silent for an hour.
    @Test(
        arguments: [
            ([(10.0, 0.0), (40, 0), (70, 0)], false), ([(10, 0), (40, 35), (70, 35)], false),
            // The third `health` is of the first gateway again: two boxes, each with its bridge.
            ([(10, -500), (40, 30), (70, -500)], true), ([(10, -500), (40, 30), (70, 30), (90, -499)], true),
        ] as [([(Double, Double)], Bool)])
    func twoGatewaysThatTakeTurnsAreOneIDTwice(_ messages: [(Double, Double)], _ isTwice: Bool) {
        var bench = Bench()
        for (at, start) in messages { bench.hear("car1/health", Bench.health(at, startedAt: start), at: at) }
        #expect(bench.car("car1", at: 100)?["twice"] as? Bool == isTwice)
        #expect(bench.car("car1", at: 3700)?["reach"] as? String == "silent")
        #expect(bench.car("car1", at: 3700)?["twice"] as? Bool == isTwice)
    }

    @Test func anIDIsNoLongerTwiceWhenOneGatewayHasTalkedAloneForThreeMinutes() {
        var bench = Bench()
        for (at, start) in [(10.0, -500.0), (40, 30), (70, -500)] {
            bench.hear("car1/health", Bench.health(at, startedAt: start), at: at)
        }
        for at in stride(from: 100.0, through: 250, by: 30) {
            #expect(bench.car("car1", at: at)?["twice"] as? Bool == true, "\(at) s")
            bench.hear("car1/health", Bench.health(at, startedAt: -500), at: at)
        }
        #expect(bench.car("car1", at: 251)?["twice"] as? Bool == false)
        #expect(bench.car("car1", at: 251)?["reach"] as? String == "ok")
    }

    /// Two boxes with one id push each other out of the broker, also when both gateways have stopped. Each time the
    /// box's mosquitto sends the gateway's last `health` again, here every 4 s.
    @Test func twoStoppedGatewaysWithOneIDAreSilent() {
        var bench = Bench()
        let last = [Bench.health(60, startedAt: -500), Bench.health(58, startedAt: 30)]
        for (at, start) in [(0.0, -500.0), (28, 30), (30, -500)] {
            bench.hear("car1/health", Bench.health(at, startedAt: start), at: at)
        }
        for turn in 0..<100 { bench.hear("car1/health", last[turn % 2], at: 60 + 4 * Double(turn)) }
        for at in [136.0, 300, 460] {
            let car = bench.car("car1", at: at)
            #expect(car?["reach"] as? String == "silent", "\(at) s")
            #expect(car?["at"] as? String == Bench.time(60))
            #expect(car?["clock_off_s"] is NSNull)
            #expect(car?["twice"] as? Bool == true)
        }
    }

    /// A `health` that was written while the bridge was down comes late, as a retained value of the car's mosquitto.
    /// This is not a clock that is off, and the car counts as heard when it was written.
    @Test func aHealthThatComesLateCountsFromWhenItWasWritten() {
        var bench = Bench()
        bench.hear("car1/health", Bench.health(0, startedAt: -500), at: 0)
        bench.hear("car1/health", Bench.health(30, startedAt: -500), at: 58)
        let car = bench.car("car1", at: 104)
        #expect(car?["reach"] as? String == "ok")
        #expect(car?["clock_off_s"] is NSNull)
        #expect(bench.car("car1", at: 106)?["reach"] as? String == "silent")
    }
}
