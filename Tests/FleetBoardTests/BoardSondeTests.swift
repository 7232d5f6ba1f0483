import Testing

@testable import FleetBoard

/// One sonde, joined from the values of all cars that know it.
@Suite struct BoardSondeTests {
    /// The newest report of any car by the board's clock is shown. An empty object is no report.
    @Test func theNewestRecoveryIsShown() throws {
        var bench = Bench()
        func recovery(_ state: String, at seconds: Double) -> String {
            #"{"serial":"V1","state":"\#(state)","by":"HB9XYZ","note":"n","time":"\#(Bench.time(seconds))","#
                + #""latitude":47.0,"longitude":8.0,"own":true,"queued":false}"#
        }
        bench.hear("car1/recovery", "{}", at: 0)
        #expect(bench.sonde("V1", at: 1) == nil)
        bench.hear("car1/recovery", recovery("planned", at: 10), at: 11)
        bench.hear("car2/recovery", recovery("not_found", at: 20), at: 21)
        bench.hear("car3/recovery", recovery("recovered", at: 5000), at: 22)
        let shown = try #require(bench.sonde("V1", at: 30)?["recovery"] as? [String: Any])
        #expect(shown["state"] as? String == "not_found" && shown["car"] as? String == "car2")
        #expect(shown["by"] as? String == "HB9XYZ" && shown["at"] as? String == Bench.time(20))
        bench.hear("car2/recovery", "{}", at: 31)
        bench.hear("car3/recovery", "", at: 31)
        let older = bench.sonde("V1", at: 32)?["recovery"] as? [String: Any]
        #expect(older?["state"] as? String == "planned")
        bench.hear("car1/recovery", "{}", at: 33)
        #expect(bench.sonde("V1", at: 34) == nil)
    }

    /// Two cars' positions of one sonde: source and time -> the car whose position is shown at 100 s.
    @Test(arguments: [
        ("ble", 95.0, "ble", 99.0, "car2"), ("ble", 75, "sondehub", 99, "car1"), ("ble", 60, "sondehub", 99, "car2"),
        ("sondehub", 99, "ble", 80, "car2"), ("sondehub", 99, "sondehub", 98, "car1"),
        // A position that is an hour old, from a bridge that comes back; and one from the future, from a car whose
        // clock is unknown.
        ("ble", -3500, "sondehub", 60, "car2"), ("ble", 3700, "sondehub", 60, "car2"),
    ])
    func eachSondeIsShownOnce(
        _ first: String, _ firstAt: Double, _ second: String, _ secondAt: Double, _ expected: String
    ) throws {
        var bench = Bench()
        bench.hear("car1/position", Bench.position("V1", first, at: firstAt), at: 100)
        bench.hear("car2/position", Bench.position("V1", second, at: secondAt), at: 100)
        #expect(bench.shown("sondes", at: 100).count == 1)
        let shown = bench.place(of: "V1")
        let position = try #require(shown)
        #expect(position["car"] as? String == expected)
    }

    /// The frames of a car whose clock is an hour ahead count by the board's clock.
    @Test func aWrongClockIsCorrected() throws {
        var bench = Bench()
        bench.hear("car1/health", Bench.health(3690), at: 90)
        bench.hear("car1/position", Bench.position("V1", "ble", at: 3640), at: 40)
        bench.hear("car2/health", Bench.health(90), at: 90)
        bench.hear("car2/position", Bench.position("V1", "ble", at: 95), at: 95)
        let shown = bench.place(of: "V1")
        let position = try #require(shown)
        #expect(position["car"] as? String == "car2")
        bench.hear("car1/position", Bench.position("V1", "ble", at: 3698), at: 98)
        let moved = bench.place(of: "V1")
        let later = try #require(moved)
        #expect(later["car"] as? String == "car1" && later["at"] as? String == Bench.time(98))
    }

    @Test func theBestPredictionLandingAndArrivalAreChosen() throws {
        var bench = Bench()
        for (car, radius, seconds, reach) in [
            ("car1", 900.0, 1200, 90.0), ("car2", 300, 1500, 90), ("car3", 100, 60, 0),
        ] {
            bench.hear("\(car)/health", Bench.health(reach), at: reach)
            bench.hear("\(car)/state", #"{"serial":"V1","state":"liveBLEFlying"}"#, at: 90)
            let radii = #""error_radius_50_m":\#(radius / 2),"error_radius_90_m":\#(radius),"landing_error_50_s":60"#
            let place = #""serial":"V1","latitude":47.0,"longitude":8.0,\#(radii)"#
            bench.hear("\(car)/landing", #"{\#(place),"source":"predicted","time":"\#(Bench.time(90))"}"#, at: 90)
            bench.hear("\(car)/prediction", #"{\#(place),"method":"own_winds","path":[[1,47.0,8.0,5.0]]}"#, at: 90)
            bench.hear(
                "\(car)/chase",
                #"{"landing":{"distance_m":9000.0},"route":{"duration_s":\#(seconds),"distance_m":1.0,"method":"road"}}"#,
                at: 90)
            bench.hear(
                "\(car)/radio",
                #"{"serial":"V1","source":"ble","rssi_dbm":-\#(radius / 10),"time":"\#(Bench.time(90))"}"#, at: 90)
        }
        let first = bench.sonde("V1", at: 100)
        var sonde = try #require(first)
        func cars(_ key: String) -> [String] {
            (sonde[key] as? [[String: Any]] ?? []).compactMap { $0["car"] as? String }
        }
        let landing = try #require(sonde["landing"] as? [String: Any])
        #expect(landing["car"] as? String == "car2")
        #expect(landing["error_radius_50_m"] as? Double == 150, "the page draws it")
        #expect(landing["landing_error_50_s"] as? Double == 60)
        #expect((sonde["prediction"] as? [String: Any])?["car"] as? String == "car2")
        #expect(cars("arrivals") == ["car1", "car2", "car3"], "car3 is silent")
        #expect(cars("heard_by") == ["car3", "car2", "car1"])
        bench.hear("car1/landing", #"{"serial":"V1","latitude":47.0,"longitude":8.0,"source":"observed"}"#, at: 100)
        let second = bench.sonde("V1", at: 100)
        sonde = try #require(second)
        #expect((sonde["landing"] as? [String: Any])?["car"] as? String == "car1")
    }
}
