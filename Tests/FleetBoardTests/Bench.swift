import FlightMath
import Foundation
import GatewayReports
import ReceiverProtocol

@testable import FleetBoard

/// A book that gets messages, and the page that shows its changes.
struct Bench {
    var book = FleetBook(base: "sondygo")
    /// The JSON that the page shows, by name and id.
    private(set) var page: [String: [String: [UInt8]]] = [:]

    /// The moment some seconds after noon. Both clocks advance together.
    static func moment(_ seconds: Double) -> Moment {
        Moment(
            monotonic: MonotonicTime.zero.advanced(by: .milliseconds(Int64(seconds * 1000))), wall: wall(seconds),
            isClockSynced: true)
    }

    /// Noon of 2026-01-01 and some seconds.
    static func wall(_ seconds: Double) -> WallTime {
        WallTime(millisecondsSince1970: 1_767_268_800_000 + Int64(seconds * 1000))
    }

    static func time(_ seconds: Double) -> String { wall(seconds).iso8601 }

    static func health(_ seconds: Double, more: String = "") -> String {
        #"{"at":"\#(time(seconds))","clock_synced":true,"other_gateway":null\#(more)}"#
    }

    /// The `health` of a gateway whose clock is right.
    static func health(_ seconds: Double, startedAt start: Double) -> String {
        health(seconds, more: ",\"uptime_s\":\(Int(seconds - start))")
    }

    static func position(_ serial: String, _ source: String, at seconds: Double, altitude: Int = 1000) -> String {
        #"{"serial":"\#(serial)","source":"\#(source)","latitude":47.1,"longitude":8.2,"altitude_m":\#(altitude).0,"#
            + #""time":"\#(time(seconds))"}"#
    }

    mutating func hear(_ topic: String, _ payload: String, at seconds: Double, isLive: Bool = true) {
        book.heard(Array(payload.utf8), on: "sondygo/" + topic, isLive: isLive, at: Self.moment(seconds))
    }

    /// Brings the book's changes to the page.
    @discardableResult
    mutating func tell(at seconds: Double, all: Bool) -> [FleetBook.Change] {
        let changes = book.changes(at: Self.moment(seconds), all: all)
        for change in changes { page[change.name, default: [:]][change.id] = change.data }
        return changes
    }

    /// The newest objects of this name that the page shows, by id.
    mutating func shown(_ name: String, at seconds: Double) -> [[String: Any]] {
        tell(at: seconds, all: true)
        return (page[name] ?? [:]).sorted { $0.key < $1.key }
            .compactMap { (try? JSONSerialization.jsonObject(with: Data($0.value))) as? [String: Any] }
    }

    mutating func car(_ id: String, at seconds: Double) -> [String: Any]? {
        shown("cars", at: seconds).first { $0["id"] as? String == id }
    }

    /// The sonde's shown position at 100 s.
    mutating func place(of serial: String) -> [String: Any]? {
        sonde(serial, at: 100)?["position"] as? [String: Any]
    }

    mutating func sonde(_ serial: String, at seconds: Double) -> [String: Any]? {
        shown("sondes", at: seconds).first { $0["serial"] as? String == serial }
    }
}
