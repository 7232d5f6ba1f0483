import FlightMath
import Foundation
import Gateway
import GatewayReports
import Logging
import ReceiverProtocol
import SondeHubClient
import TestSupport
import Testing
import TransportIO

@testable import Alerts

/// Alerts to real HTTP servers on loopback: a good one, and ones that are away, slow or busy, or redirect elsewhere.
@Suite(.timeLimit(.minutes(10))) struct AlertTests {
    private let folder: URL
    private static let point = TrackPoint(
        time: WallTime(millisecondsSince1970: 1_767_268_800_000),
        coordinate: Coordinate(latitude: 47.25, longitude: 8.5), altitudeMetres: 512, source: .ble)

    init() throws { folder = try temporaryDirectory() }

    private func target(_ url: String, _ change: (inout AlertTarget) -> Void = { _ in }) -> AlertTarget {
        var target = AlertTarget()
        target.url = url
        change(&target)
        return target
    }

    private func service(_ targets: [AlertTarget], home: Coordinate? = nil) -> AlertService {
        AlertService(
            targets, path: folder.appendingPathComponent("alerts.json").path, home: home,
            sender: AlertClient(userAgent: "sondygo2mqtt/1.2"), clock: WallClock(), second: .milliseconds(20),
            retry: RetryPauses(first: .milliseconds(200), longest: .seconds(2)),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func tell(
        _ service: AlertService, _ announcement: Announcement = .landed(point), by mode: RouteMode = .car,
        language: Language = .english
    ) {
        let now = WallClock().now
        let report = AnnouncementReport(announcement: announcement, at: now, routeMode: mode, language: language)
        service.handle(.announcement(report), at: now)
    }

    /// Runs the service until `body` ends.
    private func running(_ service: AlertService, _ body: () async throws -> Void) async throws {
        let task = Task { try await service.run() }
        defer { task.cancel() }
        try await body()
        task.cancel()
        try await task.value
    }

    /// The sentence alone as text, in the gateway's language.
    @Test func theSentenceIsSent() async throws {
        let server = try await ScriptedServer()
        let service = service([target(server.url("good/topic"))])
        try await running(service) {
            tell(service, language: .german)
            tell(service, .below10km(Self.point))  // It is not important enough.
            let all = try await eventually("an alert") { server.requests.isEmpty ? nil : server.requests }
            #expect(all.map(\.body) == ["Die Sonde ist gelandet."])
            #expect(all[0].method == "POST" && all[0].path == "/good/topic")
            #expect(all[0].headers["Content-Type"] == "text/plain; charset=utf-8")
            try await eventually("it is counted") { (service.counts.first?.messages == 1).orNil }
        }
        #expect(service.counts == [FeedCounts(name: "alerts", messages: 1, drops: 0)])
    }

    /// Values are escaped for their place. Braces within a value stay as they are.
    @Test func placeholdersAreFilled() async throws {
        let server = try await ScriptedServer()
        let service = service([
            target(server.url("good/{id}?e={event}")) {
                $0.events = [.storeReplaced, .landed]
                $0.method = "PUT"
                $0.headers = [.init("X-Click", value: "{link}"), .init("Title", value: "{text}")]
                $0.body = #"{"chat": 7, "t": "{text}", "a": [{latitude}, {longitude}], "s": "{serial}{other}"}"#
            }
        ])
        try await running(service) {
            tell(service, .storeReplaced("A \"quoted\" {serial}\nline \\ ."))
            tell(service)
            let all = try await eventually("two alerts") { server.requests.count == 2 ? server.requests : nil }
            #expect(all[0].headers["Title"] == "A \"quoted\" {serial} line \\ .")
            #expect(all[0].body.contains(#""t": "A \"quoted\" {serial}\u000aline \\ .", "a": [, ]"#))
            #expect(all[1].method == "PUT" && all[1].path.hasSuffix("?e=landed"))
            #expect(Set(all.map(\.path)).count == 2)
            #expect(all[1].headers["Content-Type"] == "application/json")
            #expect(all[1].headers["X-Click"]?.contains("mlat=47.25&mlon=8.5") == true)
            let body = try #require(
                try JSONSerialization.jsonObject(with: Data(all[1].body.utf8)) as? [String: Any])
            #expect(body["t"] as? String == "The sonde has landed." && body["a"] as? [Double] == [47.25, 8.5])
            #expect(body["s"] as? String == "{other}")
        }
    }

    /// A server that was away for a while gets the earlier alert, even after a restart of the gateway.
    @Test func aDeadServerGetsTheAlertAfterARestart() async throws {
        let server = try await ScriptedServer()
        let port = server.port
        let url = server.url("good")
        try await server.stop()
        let first = service([target(url)])
        try await running(first) { tell(first) }
        #expect(first.counts.first?.messages == 0)
        let again = try await ScriptedServer(port: port)
        let second = service([target(url)])
        try await running(second) {
            let all = try await eventually("the alert") { again.requests.isEmpty ? nil : again.requests }
            #expect(all.map(\.body) == ["The sonde has landed."])
            try await eventually("it is counted") { (second.counts.first?.messages == 1).orNil }
        }
        // It is not sent twice.
        let third = service([target(url)])
        try await running(third) {
            tell(third, .moved(Self.point))
            try await eventually("the next") { (again.requests.count == 2).orNil }
        }
        #expect(again.requests.map(\.body).last == "Somebody is moving the sonde.")
    }

    /// Each time the landing point moves, the alert opens the navigation to the new one, by the crew's way of travelling.
    @Test func navigationFollowsTheLandingPoint() async throws {
        let server = try await ScriptedServer()
        let target = target(server.url("good")) {
            $0.events = [.landingMoved]
            $0.body = "{navigate}"
        }
        let service = service([target])
        let places = [47.3, 47.4].map { Coordinate(latitude: $0, longitude: 8.5) }
        try await running(service) {
            tell(service, .landingMoved(to: SpokenLanding(places[0]), metres: 2000, degrees: 90))
            try await eventually("the first") { (server.requests.count == 1).orNil }
            // Nobody knows where the crew is, so no route is reported.
            tell(service, .landingMoved(to: SpokenLanding(places[1]), metres: 2000, degrees: 90), by: .bike)
            try await eventually("the second") { (server.requests.count == 2).orNil }
        }
        let link = "https://www.google.com/maps/dir/?api=1&destination="
        #expect(
            server.requests.map(\.body) == [
                link + "47.3,8.5&travelmode=driving", link + "47.4,8.5&travelmode=bicycling",
            ])
    }

    /// A launch and a recovery of another sonde have their own place and serial, not those of the followed sonde.
    @Test func anotherSondesAlertShowsItsOwnPlace() async throws {
        let server = try await ScriptedServer()
        let near = target(server.url("good")) {
            $0.events = [.launchNear, .recoveryReported]
            $0.withinKilometres = 30
            $0.body = "{event} {serial} {latitude}"
        }
        let serial = try #require(SondeSerial(name: "V2", type: .rs41))
        let place = Coordinate(latitude: 47.2, longitude: 8.5)
        let recovery = Recovery(
            serial, .recovered, by: "HB9ABC", at: Self.point.time, coordinate: place, altitudeMetres: 430)
        let service = service([near], home: Coordinate(latitude: 47, longitude: 8.5))
        try await running(service) {
            tell(service, .launchNear("Payerne", at: Self.point.time, metres: 15_000, landing: place))
            try await eventually("the launch") { (server.requests.count == 1).orNil }
            tell(service, .recoveryReported(recovery, isOwn: false))
            try await eventually("the recovery") { (server.requests.count == 2).orNil }
        }
        #expect(server.requests.map(\.body) == ["launch_near  47.2", "recovery_reported V2 47.2"])
    }

    /// A slow, busy, odd or refusing server delays no other one. A refused or redirected alert is not sent again, nor
    /// anywhere else.
    @Test func aBadServerDelaysNoOther() async throws {
        let server = try await ScriptedServer()
        let kinds = ["slow", "closed", "odd", "refuse", "redirect", "busy", "good"]
        let service = service(kinds.map { target(server.url($0)) })
        try await running(service) {
            tell(service)
            try await eventually("the good one has it") {
                (server.requests.contains { $0.path == "/good" }).orNil
            }
            try await eventually("two are dropped") { (service.counts.first?.drops == 2).orNil }
            try await eventually("busy is tried again") {
                (server.requests.filter { $0.path == "/busy" }.count == 3).orNil
            }
        }
        for kind in ["refuse", "redirect", "good"] {
            #expect(server.requests.filter { $0.path == "/\(kind)" }.count == 1, "\(kind)")
        }
    }

    /// What waits is kept for its destination, not for its place in the list: with two entries of one server swapped while
    /// it is away, the private alert does not go to the club. What no entry wants any more is dropped.
    @Test func whatWaitsIsKeptForItsWholeAddress() async throws {
        let server = try await ScriptedServer()
        let port = server.port
        let (club, own) = (server.url("good/club"), server.url("good/own"))
        try await server.stop()
        let first = service([target(club) { $0.events = [.burst] }, target(own), target(server.url("good/old"))])
        try await running(first) { tell(first) }
        let file = folder.appendingPathComponent("alerts.json").path
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let again = try await ScriptedServer(port: port)
        let swapped = [target(own), target(club) { $0.events = [.burst] }]
        let second = service(swapped)
        try await running(second) {
            try await eventually("the alert") { (again.requests.count == 1).orNil }
            try await eventually("it is counted") { (second.counts.first?.messages == 1).orNil }
        }
        #expect(again.requests.map(\.path) == ["/good/own"])
        // The entry that is gone has left nothing behind, also for a later one of the same address.
        let third = service([target(server.url("good/old")), target(own)])
        try await running(third) {
            tell(third, .moved(Self.point))
            try await eventually("the new alert") { (again.requests.count == 3).orNil }
        }
        #expect(again.requests.filter { $0.path == "/good/old" }.map(\.body) == ["Somebody is moving the sonde."])
    }

    @Test func destinationsAreTold() {
        func chat(_ number: Int) -> AlertTarget {
            target("https://api.telegram.org/bot{secret}/sendMessage") {
                $0.body = "{\"chat_id\": \(number)}"
                $0.secretName = "telegram"
                $0.secret = "12:AB"
            }
        }
        #expect(chat(1).identity == chat(1).identity && chat(1).identity != chat(2).identity)
        #expect(!chat(1).identity.contains("12:AB") && !chat(1).identity.contains("chat_id"))
        #expect(target("https://ntfy.sh/a").identity != target("https://ntfy.sh/b").identity)
    }

    /// `{secret}` stands in the address and in headers; values never do.
    @Test func theSecretIsFilledIn() async throws {
        let server = try await ScriptedServer()
        let service = service([
            target(server.url("good/bot{secret}/send")) {
                $0.headers = [.init("Authorization", value: "Bearer {secret}")]
                $0.secret = "12:A/B {text}"
            }
        ])
        try await running(service) {
            tell(service)
            try await eventually("an alert") { (server.requests.count == 1).orNil }
        }
        #expect(server.requests.first?.path == "/good/bot12:A%2FB%20%7Btext%7D/send")
        #expect(server.requests.first?.headers["Authorization"] == "Bearer 12:A/B {text}")
    }

    /// Of a refusal the beginning of the server's own reason is told.
    @Test func theReasonOfARefusalIsTold() async throws {
        let server = try await ScriptedServer()
        let client = AlertClient(userAgent: "sondygo2mqtt/1.2")
        let error = await #expect(throws: OnlineServiceError.self) {
            try await client.send(target(server.url("upgraded")).example)
        }
        #expect(error?.code == .refused)
        let begin = #"HTTP status 400: {"ok":false,"description":"Bad Request: group chat was upgraded to a supergroup"#
        #expect(error?.detail.hasPrefix(begin) == true, "\(error?.detail ?? "")")
        #expect(error?.detail.utf8.count ?? 0 <= 220)
    }

    /// The landing point's distance to the car, else to the station.
    @Test func onlyNearLandingsAreSent() async throws {
        let server = try await ScriptedServer()
        let near = Self.point.coordinate.moved(east: 20_000, north: 0)
        let far = Self.point.coordinate.moved(east: 40_000, north: 0)
        let limited = target(server.url("good")) { $0.withinKilometres = 30 }
        for (home, isSent) in [(near, true), (far, false), (nil, false)] as [(Coordinate?, Bool)] {
            let before = server.requests.count
            let service = service([limited, target(server.url("good/mark"))], home: home)
            try await running(service) {
                tell(service)
                try await eventually("all are sent") {
                    (server.requests.count == before + (isSent ? 2 : 1)).orNil
                }
            }
        }
    }
}

private struct WallClock: GatewayClock {
    var now: Moment {
        Moment(
            monotonic: .now, wall: WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)),
            isClockSynced: true)
    }

    func sleep(until deadline: MonotonicTime) async {
        try? await Task.sleep(for: deadline.duration(since: .now))
    }
}
