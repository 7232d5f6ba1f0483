import Foundation
import TestSupport
import Testing

/// The real program beside a fake SondeHub: reports of recovery, and the next launches.
@Suite(.timeLimit(.minutes(20)), .serialized) struct AroundEndToEndTests {
    /// A broker, a SondeHub, and one gateway after the other with the same store.
    private final class Rig {
        let broker: Broker
        let sondeHub: FakeSondeHub
        let subscriber: Subscriber
        let state: String
        var gateway: Child?

        init() async throws {
            state = try temporaryDirectory().path
            broker = try await Broker()
            sondeHub = try await FakeSondeHub()
            subscriber = try await Subscriber(port: broker.port)
        }

        var environment: [String: String] {
            [
                "SONDYGO_SONDEHUB_ENABLED": "true", "SONDYGO_SONDEHUB_SITE": "06610",
                "SONDYGO_SONDEHUB_URL": sondeHub.url(),
                "SONDYGO_SONDEHUB_CALLSIGN": "HB9XYZ", "SONDYGO_GATEWAY_STATE_DIRECTORY": state,
                "SONDYGO_SONDEHUB_HUNT": "V1", "SONDYGO_SONDEHUB_ALARM_KM": "30",
                "SONDYGO_SONDEHUB_LATITUDE": "46.87", "SONDYGO_SONDEHUB_LONGITUDE": "7.1",
                "SONDYGO_PREDICTION_URL": sondeHub.url() + "/tawhiri", "SONDYGO_ROUTE_URL": sondeHub.url(),
                "SONDYGO_ROUTE_API": "osrm",
            ]
        }

        func start() throws {
            gateway = try GatewayProgram.start(
                [
                    "run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "tcp",
                    "--receiver-port", "1",
                ], environment: environment)
        }

        /// Ends the gateway without a warning, and starts the next one.
        func restart() async throws {
            gateway?.kill(SIGKILL)
            _ = try await gateway?.exitCode()
            try start()
        }

        func command(_ text: String) throws { try publish(port: broker.port, topic: "sondygo/test/command", text) }

        func events(_ name: String) -> [String] {
            subscriber.messages(on: "sondygo/test/event").filter { $0.json["event"] as? String == name }
                .compactMap { $0.json["text"] as? String }
        }

        /// Waits until the next question for reports of recovery has its answer.
        func asked(after count: Int) async throws {
            try await eventually("a question: \(gateway?.text ?? "")", within: 200) {
                (questions > count).orNil
            }
        }

        var questions: Int { sondeHub.requests.count { $0.contains("recovered?") } }
    }

    private static let iso = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private static func record(age: Double, altitude: Double) -> String {
        let time = Date(timeIntervalSinceNow: -age).formatted(iso)
        return "{\"serial\":\"V1\",\"type\":\"RS41\",\"datetime\":\"\(time)\",\"ref_datetime\":\"UTC\",\"lat\":46.9,"
            + "\"lon\":7.2,\"alt\":\(altitude),\"vel_h\":5,\"vel_v\":-6,\"frequency\":403.5,"
            + "\"uploader_callsign\":\"HB9ABC\",\"uploader_position\":\"47.4,7.9\"}"
    }

    /// A sonde that falls, and is at 1200 m now.
    private static func serveFall(_ sondeHub: FakeSondeHub) throws {
        try sondeHub.serve("site", "{\"V1\":\(record(age: 2, altitude: 1200))}")
        let track = (0..<100).map { "\"t\($0)\":\(record(age: Double($0) + 3, altitude: 1200 + Double($0 + 1) * 6))" }
        try sondeHub.serve("track", "{\"V1\":{\(track.joined(separator: ","))}}")
    }

    private static func report(by name: String) -> String {
        "[{\"serial\":\"V1\",\"lat\":46.9,\"lon\":7.2,\"alt\":490,\"recovered\":true,\"planned\":false,"
            + "\"recovered_by\":\"\(name)\",\"description\":\"\",\"datetime\":\"\(Date().formatted(iso))\"}]"
    }

    /// A report is made without a network, the gateway is killed, the network comes back: SondeHub gets it once. The
    /// answer to the next report is lost: SondeHub gets it once, too. Another crew's report is said once, over a restart.
    /// `flights` lists the last one.
    @Test func aRecovery() async throws {
        let rig = try await Rig()
        try Self.serveFall(rig.sondeHub)
        try rig.start()
        try await rig.subscriber.first(on: "sondygo/test/flight") { $0.json["serial"] as? String == "V1" }
        try await rig.asked(after: 0)
        try rig.sondeHub.set("away", true)
        try rig.command(#"{"id":1,"recovery":{"state":"planned","note":"in a tree"}}"#)
        let topic = "sondygo/test/recovery"
        try await rig.subscriber.first(on: topic) { $0.json["queued"] as? Bool == true }
        // Only what was answered as done survives a kill.
        try await rig.subscriber.first(on: "sondygo/test/command/response") { $0.json["status"] as? String == "done" }
        let before = rig.subscriber.messages(on: topic).count
        try await rig.restart()
        try await eventually("it waits after the restart: \(rig.gateway?.text ?? "")") {
            rig.subscriber.messages(on: topic).dropFirst(before).contains { $0.json["queued"] as? Bool == true }.orNil
        }
        #expect(rig.sondeHub.uploads.isEmpty)
        try rig.sondeHub.set("away", false)
        try await eventually("it arrives: \(rig.gateway?.text ?? "")", within: 120) {
            rig.events("recovery_reported").first
        }
        #expect(rig.events("recovery_reported") == ["SondeHub shows that you plan to recover the sonde."])
        let upload = try #require(rig.sondeHub.uploads.first)
        #expect(upload.contains("\"recovered_by\":\"HB9XYZ\"") && upload.contains("in a tree"))

        // Another crew's, said once. SondeHub is asked every two minutes.
        try rig.sondeHub.serve("recovered", Self.report(by: "HB9ABC"))
        try await eventually("the other crew: \(rig.gateway?.text ?? "")", within: 200) {
            rig.events("recovery_reported").contains("HB9ABC has recovered the sonde.").orNil
        }
        let questions = rig.questions
        try await rig.restart()
        try await rig.asked(after: questions)
        try await rig.subscriber.first(on: topic) { $0.json["by"] as? String == "HB9ABC" }
        #expect(rig.events("recovery_reported").count == 2 && rig.sondeHub.uploads.count == 1)
        let list = try Child(
            GatewayProgram.path, ["flights"],
            environment: rig.environment.merging(["SONDYGO_GATEWAY_ID": "test"]) { $1 })
        #expect(try await list.exitCode() == 0)
        #expect(list.text.contains("recovered HB9ABC"), "\(list.text)")
        let published = rig.subscriber.messages(on: topic).map { (topic: "recovery", payload: $0.payload ?? "") }
        #expect(try Schemas.violations(published) == [])
    }

    /// The answer to a report is lost: SondeHub has it, so it is not sent again.
    @Test func aLostAnswer() async throws {
        let rig = try await Rig()
        try Self.serveFall(rig.sondeHub)
        try rig.start()
        try await rig.subscriber.first(on: "sondygo/test/flight") { $0.json["serial"] as? String == "V1" }
        try rig.sondeHub.set("lost", true)
        try rig.command(#"{"id":1,"recovery":{"state":"planned","note":"here"}}"#)
        let upload = try await eventually("it arrives: \(rig.gateway?.text ?? "")") { rig.sondeHub.uploads.first }
        let body = try #require(upload.split(separator: "|").last)
        try rig.sondeHub.serve("recovered", "[\(body)]")
        try rig.sondeHub.set("lost", false)
        try await eventually("SondeHub is asked: \(rig.gateway?.text ?? "")", within: 120) {
            rig.events("recovery_reported").first
        }
        #expect(rig.events("recovery_reported") == ["SondeHub shows that you plan to recover the sonde."])
        #expect(rig.sondeHub.uploads.count == 1)
    }

    /// The next launch: its landing by Tawhiri, the drive by the route server, and the alarm once, also over a restart.
    /// The sites are fetched once.
    @Test func theNextLaunch() async throws {
        let rig = try await Rig()
        let listed = Date(timeIntervalSinceNow: 7200)
        let time = Calendar(identifier: .gregorian).dateComponents(in: .gmt, from: listed)
        // 45 min before the listed hour.
        let launch = listed.addingTimeInterval(-2700)
        let at = "0:\(time.hour ?? 0):\(time.minute ?? 0)"
        try rig.sondeHub.serve(
            "sites",
            "{\"06610\":{\"station\":\"06610\",\"rs_types\":[[\"41\",\"403.5\"]],\"position\":[6.94,46.81],\"alt\":490,"
                + "\"station_name\":\"Payerne\",\"times\":[\"\(at)\"],\"burst_altitude\":30000,\"ascent_rate\":5,"
                + "\"descent_rate\":6}}")
        func point(_ minutes: Double, _ latitude: Double, _ longitude: Double, _ altitude: Double) -> String {
            "{\"datetime\":\"\(launch.addingTimeInterval(minutes * 60).formatted(Self.iso))\",\"latitude\":\(latitude),"
                + "\"longitude\":\(longitude),\"altitude\":\(altitude)}"
        }
        let burst = point(100, 46.88, 7.15, 30_000)
        try rig.sondeHub.serve(
            "tawhiri",
            "{\"metadata\":{},\"prediction\":[{\"stage\":\"ascent\",\"trajectory\":[\(point(0, 46.81, 6.94, 490)),\(burst)]},"
                + "{\"stage\":\"descent\",\"trajectory\":[\(burst),\(point(130, 46.9, 7.2, 600))]}],\"warnings\":{}}")
        try rig.sondeHub.serve("site", "{}")
        try rig.sondeHub.serve("area", "{}")
        try rig.sondeHub.serve("track", "{}")
        try rig.sondeHub.serve(
            "route",
            #"{"code":"Ok","routes":[{"distance":12000,"duration":1800,"geometry":{"type":"LineString","coordinates":"#
                + #"[[7.1,46.87],[7.2,46.9]]}}],"waypoints":[{"distance":1},{"distance":400}]}"#)
        try rig.start()
        let topic = "sondygo/test/launches"
        let message = try await rig.subscriber.first(on: topic) { message in
            let first = (message.json["launches"] as? [[String: Any]])?.first
            // 400 m on foot take 6 minutes.
            return first?["drive_s"] as? Int == 1800 + 360
        }
        let first = try #require((message.json["launches"] as? [[String: Any]])?.first)
        #expect(first["name"] as? String == "Payerne" && (8000...9000).contains(first["distance_m"] as? Double ?? 0))
        #expect((9900...10_200).contains(first["margin_s"] as? Int ?? 0), "\(first)")
        let said = try await eventually("the alarm") { rig.events("launch_near").first }
        #expect(said.hasSuffix("sonde from Payerne should land 8.3 kilometres from here."), "\(said)")
        let count = rig.subscriber.messages(on: topic).count
        try await rig.restart()
        try rig.command(#"{"id":1,"request":"launches"}"#)
        try await eventually("the launches after the restart: \(rig.gateway?.text ?? "")") {
            rig.subscriber.messages(on: topic).dropFirst(count).contains {
                ($0.payload ?? "").contains("1800") || ($0.payload ?? "").contains("2160")
            }.orNil
        }
        #expect(rig.events("launch_near").count == 1)
        #expect(rig.sondeHub.requests.count { $0.contains("/sites") } == 1)
        let published = rig.subscriber.messages(on: topic).map { (topic: "launches", payload: $0.payload ?? "") }
        #expect(try Schemas.violations(published) == [])
    }
}
