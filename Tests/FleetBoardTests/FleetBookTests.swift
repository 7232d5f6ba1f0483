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
        #expect(bench.book.count == FleetBook.mostCars)
        var lines = Bench()
        lines.hear("car1/position", "{\"serial\":\n\"V\\n1\",\"time\":7,\"latitude\":\"x\"}", at: 0)
        for change in lines.tell(at: 1, all: true) {
            let data = change.data ?? []
            #expect(!data.contains(10) && (try? JSONSerialization.jsonObject(with: Data(data))) != nil)
        }
    }

    /// A fleet of the most cars -> a further one is refused until one of them has gone.
    @Test func aFullFleetStays() {
        var bench = Bench()
        for number in 0...FleetBook.mostCars { bench.hear("car\(number)/state", "{}", at: 0) }
        #expect(bench.book.count == FleetBook.mostCars && bench.book.refused == 1)
        #expect(bench.car("car0", at: 1) != nil && bench.car("car\(FleetBook.mostCars)", at: 1) == nil)
        bench.hear("car0/state", "", at: 2)
        bench.hear("late/state", "{}", at: 2)
        #expect(bench.car("late", at: 3) != nil && bench.book.refused == 1)
    }

    @Test func aSignOfLifeNamesTheUnits() throws {
        let book = Bench().book
        for (units, name) in [(Units.metric, "metric"), (.aviation, "aviation")] {
            let sign = book.sign(at: Bench.moment(1), allowsCommands: false, units: units)
            let json = try #require(try JSONSerialization.jsonObject(with: Data(sign)) as? [String: Any])
            #expect(json["units"] as? String == name && json["commands"] as? Bool == false)
        }
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

    /// The page gets only the points that it shows.
    @Test func aLineIsBounded() {
        var bench = Bench()
        let points = Array(repeating: "[1,1,1]", count: 4900).joined(separator: ",")
        bench.hear("car1/track", #"{"serial":"V1","points":[\#(points)],"more":{"a":[1]}}"#, at: 0)
        bench.hear("car2/prediction", #"{"serial":"V1","path":[\#(points)]}"#, at: 0)
        bench.hear("car2/position", Bench.position("V1", "ble", at: 0), at: 0)
        let lines = bench.shown("lines", at: 1)
        #expect(lines.count == 1)
        for name in ["track", "path"] {
            #expect(lines.allSatisfy { ($0[name] as? [Any])?.count == 300 }, "\(name)")
        }
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
