import FlightMath
import Foundation
import GatewayReports
import Testing

@testable import FleetBoard

/// The board's book: messages in, changes for the page out.
@Suite struct FleetBookTests {
    /// A value that the broker does not send again after a reconnect is removed, with its car and sonde. The value of a
    /// cleared topic is removed at once.
    @Test func valuesThatAreNotSentAgainAreRemoved() {
        var bench = Bench()
        bench.hear("car1/position", Bench.position("V1", "ble", at: 0), at: 0)
        bench.hear("car2/position", Bench.position("V2", "ble", at: 0), at: 0)
        #expect(bench.shown("sondes", at: 1).count == 2)
        bench.book.disconnected()
        bench.book.connected(at: Bench.moment(10).monotonic)
        bench.hear("car2/position", Bench.position("V2", "ble", at: 0), at: 11, isLive: false)
        #expect(bench.shown("cars", at: 12).count == 2)
        let changes = bench.tell(at: 31, all: false)
        #expect(changes.map { "\($0.name) \($0.id)" } == ["cars car1", "sondes V1", "lines V1"])
        #expect(changes.allSatisfy { $0.data == nil })
        bench.hear("car2/position", "", at: 40)
        #expect(bench.shown("sondes", at: 41).isEmpty && bench.shown("cars", at: 41).isEmpty)
    }

    /// Two boards that get the same messages in another order, and show them at other times, end with the same page.
    @Test func twoBoardsShowTheSame() {
        var messages: [(String, String)] = []
        for car in 1...9 {
            messages.append(("car\(car)/health", Bench.health(90)))
            messages.append(("car\(car)/state", #"{"serial":"V\#(car % 3)"}"#))
            messages.append(("car\(car)/position", Bench.position("V\(car % 3)", "ble", at: 90 + Double(car % 2))))
            messages.append(("car\(car)/track", #"{"serial":"V\#(car % 3)","points":[[\#(car / 4),1.0,2.0,3.0]]}"#))
        }
        var boards = [Bench(), Bench()]
        for message in messages { boards[0].hear(message.0, message.1, at: 90) }
        for (index, message) in messages.reversed().enumerated() {
            boards[1].hear(message.0, message.1, at: 90)
            if index % 5 == 0 { boards[1].tell(at: 91, all: false) }
        }
        for index in boards.indices { boards[index].tell(at: 100, all: true) }
        #expect(boards[0].page == boards[1].page)
        #expect(boards[0].page.keys.sorted() == ["cars", "lines", "sondes"])
    }

    /// No message fills the memory or breaks the event stream.
    @Test func hostileMessagesAreRefused() {
        var bench = Bench()
        for (topic, payload) in [
            ("car1/position", "{"), ("car1/position", "[1]\u{0}"), ("car1/other", "{}"), ("/position", "{}"),
            (String(repeating: "x", count: 65) + "/position", "{}"), ("car1", "{}"),
            ("car1/position", "\"" + String(repeating: "x", count: 65_536) + "\""),
        ] { bench.hear(topic, payload, at: 0) }
        bench.book.heard(Array("{}".utf8), on: "elsewhere/car1/position", isLive: true, at: Bench.moment(0))
        #expect(bench.book.count == 0)
        for number in 0..<(FleetBook.mostCars + 10) { bench.hear("car\(number)/state", "{}", at: 0) }
        #expect(FleetBook.mostCars - FleetBook.largestRemoval...FleetBook.mostCars ~= bench.book.count)
        var lines = Bench()
        lines.hear("car1/position", "{\"serial\":\n\"V\\n1\",\"time\":7,\"latitude\":\"x\"}", at: 0)
        for change in lines.tell(at: 1, all: true) {
            let data = change.data ?? []
            #expect(!data.contains(10) && (try? JSONSerialization.jsonObject(with: Data(data))) != nil)
        }
    }

    /// Ids that somebody makes up, of which the broker holds any number -> the fleet's cars are shown all the same: one
    /// that is there, one that is away, and one that comes only now.
    @Test func madeUpIDsReplaceOneAnotherAndNoCar() {
        var bench = Bench()
        for id in ["here", "away"] {
            bench.hear("\(id)/bridge/state", id == "here" ? "online" : "offline", at: 0)
            bench.hear("\(id)/state", #"{"serial":"V1"}"#, at: 0)
            bench.hear("\(id)/position", Bench.position("V1", "ble", at: 0), at: 0)
        }
        bench.hear("here/health", Bench.health(0), at: 0)
        for number in 0..<(2 * FleetBook.mostCars) {
            bench.hear("a\(number)/state", "{}", at: 1)
            bench.hear("b\(number)/health", Bench.health(1), at: 1)
        }
        bench.hear("late/health", Bench.health(2), at: 2)
        for id in ["here", "away", "late"] { #expect(bench.car(id, at: 3) != nil, "\(id)") }
        #expect(bench.book.count <= FleetBook.mostCars && bench.page["cars"]?.count == bench.book.count)
        // Values that fill the memory replace one another, too.
        let points = Array(repeating: "[1,2,3,4,5]", count: 300).joined(separator: ",")
        for number in 0..<FleetBook.mostCars {
            bench.hear("c\(number)/track", #"{"serial":"V9","points":[\#(points)]}"#, at: 4)
        }
        bench.hear("here/track", #"{"serial":"V1","points":[[1,2,3]]}"#, at: 5)
        for id in ["here", "away"] { #expect(bench.car(id, at: 5) != nil, "\(id)") }
        #expect(bench.shown("lines", at: 5).contains { ($0["track"] as? [Any])?.count == 1 })
    }

    /// A fleet of the most cars, all of which are there -> a further one is refused, and none comes and goes.
    @Test func aFullFleetStays() {
        var bench = Bench()
        for number in 0..<(FleetBook.mostCars + 10) {
            bench.hear("car\(number)/bridge/state", "online", at: 0)
            bench.hear("car\(number)/state", "{}", at: 0)
            bench.hear("car\(number)/health", Bench.health(0), at: 0)
        }
        #expect(bench.book.count == FleetBook.mostCars && bench.car("car0", at: 1) != nil)
    }

    /// The offsets of the cars' clocks in seconds -> what the board says of its own clock.
    @Test(
        arguments: [
            ([3600, 3600, 3601, 3599, 3600], 3600), ([3600, 3600, 3600, 0, 3605], 3600), ([3600, 3600], nil),
            ([0, 0, 0, 3600, 3600], nil), ([3600, 3600, 0, 0], nil), ([3600, 7200, 900], nil), ([], nil),
        ] as [([Double], Int?)])
    func mostCarsThatAgreeMakeTheBoardSuspectItsOwnClock(_ offsets: [Double], _ suspected: Int?) throws {
        var bench = Bench()
        for (car, offset) in offsets.enumerated() { bench.hear("car\(car)/health", Bench.health(offset), at: 0) }
        let sign = bench.book.sign(at: Bench.moment(1), allowsCommands: false)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(sign)) as? [String: Any])
        #expect(json["clock_off_s"] as? Int == suspected)
    }

    /// A clock that is not set, or of a car that is away, says nothing about the board's clock.
    @Test func onlySetClocksOfCarsThatAreThereCount() throws {
        var bench = Bench()
        for car in 1...5 {
            bench.hear("unset\(car)/health", #"{"at":"\#(Bench.time(3600))","clock_synced":false}"#, at: 100)
            bench.hear("away\(car)/health", Bench.health(3600), at: 0)
        }
        let sign = String(decoding: bench.book.sign(at: Bench.moment(100), allowsCommands: false), as: UTF8.self)
        #expect(sign.contains(#""clock_off_s":null"#))
        #expect(sign.contains(#""units":"metric""#))
        let other = bench.book.sign(at: Bench.moment(100), allowsCommands: false, units: .aviation)
        #expect(String(decoding: other, as: UTF8.self).contains(#""units":"aviation""#))
    }

    /// Words and names with blanks or line ends around them -> the same as without.
    @Test func blanksAndLineEndsAroundWordsAreRemoved() {
        var bench = Bench()
        bench.hear("car1/health", Bench.health(0), at: 0)
        bench.hear("car1/bridge/uplink", "1\r\n", at: 0)
        bench.hear("car1/bridge/state", " offline\r\n", at: 0)
        bench.hear("car1/state", #"{"serial":" V1\r\n","phase":"\t"}"#, at: 0)
        bench.hear("car2/position", Bench.position("V1", "ble", at: 0), at: 0)
        let car = bench.car("car1", at: 1)
        #expect(car?["reach"] as? String == "offline")
        #expect(car?["serial"] as? String == "V1")
        #expect(bench.shown("sondes", at: 1).count == 1)
    }

    /// A value of the wrong type or beyond its limits counts as absent, so that one car can't break the page for all.
    @Test(arguments: [
        (#""longitude":"abc""#, 1), (#""longitude":1e308"#, 1), (#""longitude":-180.01"#, 1), (#""longitude":true"#, 1),
        (#""longitude":null"#, 1), (#""longitude":[8]"#, 1), (#""latitude":91,"longitude":8"#, 1),
        (#""latitude":47,"longitude":180"#, 2), (#""latitude":-90,"longitude":-180.0"#, 2),
        (#""altitude_m":1e300,"vertical_speed_mps":{"a":1}"#, 0),
    ])
    func aWrongValueCountsAsAbsent(_ members: String, _ coordinates: Int) throws {
        var bench = Bench()
        let other = members.contains("latitude") || coordinates == 0 ? "" : #""latitude":47,"#
        bench.hear("car1/position", #"{"serial":"V1",\#(other)\#(members)}"#, at: 0)
        bench.hear("car1/chase", #"{"car":{\#(other)\#(members)}}"#, at: 0)
        let (sonde, shownCar) = (bench.sonde("V1", at: 1), bench.car("car1", at: 1))
        let position = try #require(sonde?["position"] as? [String: Any])
        let car = try #require(shownCar)
        for shown in [position, car] {
            #expect(["latitude", "longitude"].count { shown[$0] is NSNumber } == coordinates, "\(shown)")
        }
        #expect(!["altitude_m", "vertical_speed_mps"].contains { position[$0] is NSNumber })
    }

    /// Points of a line that are incomplete or beyond their limits are left out.
    @Test func wrongPointsOfALineAreLeftOut() throws {
        var bench = Bench()
        let points =
            #"[[],[1,47],[1,"a","b"],[1,null,null,1],[1,1e308,8,1],[1,47,181,1],[1,2,3,4,5,6],{},7,"#
            + #"[1,99999999999999999999,8],[1764100000000,47.5,-180,1000.5],[2,47,8]]"#
        bench.hear("car1/track", #"{"serial":"V1","points":\#(points)}"#, at: 0)
        bench.hear("car1/prediction", #"{"serial":"V1","path":\#(points)}"#, at: 0)
        bench.tell(at: 1, all: true)
        let lines = try #require(bench.page["lines"]?["V1"])
        let kept = "[[1764100000000,47.5,-180,1000.5],[2,47,8]]"
        #expect(String(decoding: lines, as: UTF8.self) == #"{"serial":"V1","track":\#(kept),"path":\#(kept)}"#)
    }

    /// All values together stay within their limit of memory, and the page gets only the points that it shows.
    @Test func theMemoryOfTheBookIsBounded() throws {
        var bench = Bench()
        let points = Array(repeating: "[1,1,1]", count: 4900).joined(separator: ",")
        for number in 0..<400 {
            let body = #"{"serial":"V\#(number)","points":[\#(points)],"path":[],"more":{"a":[1]}}"#
            for topic in ["track", "prediction", "landing"] { bench.hear("car\(number)/\(topic)", body, at: 0) }
        }
        let lines = bench.shown("lines", at: 1)
        #expect(lines.count == 400 && lines.allSatisfy { ($0["track"] as? [Any])?.count == 300 })
        // There is no room until a value is removed.
        var full = Bench()
        var cars = 0
        let track =
            #"{"serial":"V1","points":[\#(Array(repeating: "[1,2,3,4,5]", count: 300).joined(separator: ","))]}"#
        while full.book.refused == 0, cars < FleetBook.mostCars {
            full.hear("car\(cars)/track", track, at: 0)
            cars += 1
        }
        #expect(500..<FleetBook.mostCars ~= cars, "\(cars)")
        full.hear("car0/track", "", at: 0)
        let refused = full.book.refused
        full.hear("late/track", track, at: 0)
        #expect(full.book.refused == refused && full.car("late", at: 1) != nil)
        // A reconnect without these values gives all room back.
        full.book.connected(at: Bench.moment(10).monotonic)
        full.tell(at: 40, all: true)
        #expect(full.book.count == 0)
        for number in 0..<(cars - 1) { full.hear("new\(number)/track", track, at: 50) }
        #expect(full.book.refused == refused)
    }

    /// The book returns only changes.
    @Test func unchangedValuesAreNotSentAgain() {
        var bench = Bench()
        bench.hear("car1/health", Bench.health(0), at: 0)
        bench.hear("car1/position", Bench.position("V1", "ble", at: 0), at: 0)
        #expect(bench.tell(at: 1, all: false).map(\.name) == ["cars", "sondes", "lines"])
        #expect(bench.tell(at: 2, all: true).isEmpty)
        bench.hear("car1/position", Bench.position("V1", "ble", at: 3, altitude: 1005), at: 3)
        #expect(bench.tell(at: 3, all: false).map(\.name) == ["sondes"])
    }
}
