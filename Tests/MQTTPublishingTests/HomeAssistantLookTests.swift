import GatewayTestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

/// How Home Assistant shows the device and its entities.
@Suite struct HomeAssistantLookTests {
    private static let options = HomeAssistantOptions(
        isEnabled: true, prefix: "homeassistant", version: "1.2.3", hasPrediction: true, hasCar: true,
        pageURL: "http://car1.local:8080/")

    private func device(_ outcome: Script.Outcome) throws -> [String: Any] {
        try #require(outcome.messages(on: "/config").last?.object)
    }

    private func entities() throws -> [String: [String: Any]] {
        var script = Script(homeAssistant: Self.options)
        return try #require(try device(script.brokerConnected() + script.wait(1))["cmps"] as? [String: [String: Any]])
    }

    /// Each sensor has its unit and digits. Otherwise Home Assistant would show 4 V, and distances in metres.
    @Test(arguments: [
        ("altitude", "m", 0), ("burst_altitude", "m", 0), ("horizontal_speed", "m/s", 1), ("vertical_speed", "m/s", 1),
        ("heading", "°", 0), ("rssi", "dBm", 0), ("afc", "Hz", 0), ("proposed_frequency", "MHz", 3),
        ("battery", "%", 0), ("battery_voltage", "V", 2), ("distance_sonde", "km", 1), ("distance_landing", "km", 1),
        ("landing_radius", "km", 1), ("landing_in", "min", 0), ("margin", "min", 0),
    ])
    func numbers(_ key: String, unit: String, digits: Int) throws {
        let entity = try #require(try entities()[key])
        #expect(entity["unit_of_measurement"] as? String == unit)
        #expect(entity["suggested_display_precision"] as? Int == digits)
        // The messages hold metres and seconds.
        let divisor = ["km": 1000, "min": 60][unit]
        let template = try #require(entity["value_template"] as? String)
        #expect(template.contains("/ ") == (divisor != nil))
        if let divisor { #expect(template.contains("(v / \(divisor)) | round")) }
    }

    @Test func everyNumberHasDigits() throws {
        for (key, entity) in try entities() where entity["state_class"] != nil {
            #expect(entity["suggested_display_precision"] is Int, "\(key)")
        }
    }

    @Test func everyEntityHasAnIcon() throws {
        for (key, entity) in try entities() where entity["icon"] == nil {
            // Only the battery's charge and the link have no icon of ours.
            #expect(["battery", "connectivity"].contains(entity["device_class"] as? String), "\(key)")
        }
    }

    @Test(arguments: [
        ("state", ["Starting", "Flying, heard here"]), ("phase", ["Unknown", "Climbing"]),
        ("source", ["Receiver", "SondeHub"]), ("prediction_method", ["Weather forecast", "SondeHub"]),
    ])
    func textsWithFixedValuesAreEnums(_ key: String, words: [String]) throws {
        let entity = try #require(try entities()[key])
        #expect(entity["device_class"] as? String == "enum")
        #expect((entity["options"] as? [String])?.starts(with: words) == true)
    }

    /// Each code has its own words, in each language, that can stand in a template.
    @Test(arguments: Language.allCases) func everyCodeHasWords(_ language: Language) {
        for (group, codes) in [
            ("state", TelemetryState.allCases.map(\.rawValue)), ("phase", FlightPhase.allCases.map(\.rawValue)),
            ("source", TelemetrySource.allCases.map(\.rawValue)), ("method", PredictionMethod.allCases.map(\.rawValue)),
        ] {
            let words = codes.map { language.phrasebook.word(for: $0, of: group) }
            #expect(Set(words).count == codes.count)
            #expect(words.allSatisfy { !$0.isEmpty && !$0.contains("'") && !$0.contains("\\") })
        }
    }

    /// A mean of 350° and 10° is not 180°. "129m" reads as metres.
    @Test func whatHomeAssistantWouldMisread() throws {
        let entities = try entities()
        #expect(entities["heading"]?["state_class"] == nil)
        for key in ["landing_in", "margin"] { #expect(entities[key]?["device_class"] == nil) }
    }

    /// A control that shows an old value for some seconds jumps back after a second change.
    @Test func everyControlShowsChangesAtOnce() throws {
        var controls: Set<String> = []
        for (key, entity) in try entities() where entity["command_topic"] != nil {
            guard let template = entity["value_template"] as? String else { continue }  // A button has no value.
            controls.insert(key)
            for field in template.matches(of: /value_json\.get\('([a-z_]+)'\)/) {
                #expect(HomeAssistantKey(rawValue: String(field.1))?.pace == .control, "\(key)")
            }
        }
        #expect(controls == ["frequency", "hunt", "mute", "sonde_type"])
    }

    @Test func diagnosticEntitiesAreMarked() throws {
        let diagnostic = try entities().filter { $0.value["entity_category"] as? String == "diagnostic" }
        #expect(
            Set(diagnostic.keys) == [
                "state", "source", "prediction_method", "afc", "battery", "battery_voltage", "link",
                "request_settings",
            ])
    }

    /// The device shows the receiver's firmware once it is known, also while the receiver is away.
    @Test func theDevice() throws {
        var script = Script(homeAssistant: Self.options)
        let first = try device(script.brokerConnected() + script.wait(1))
        let unknown = try #require(first["dev"] as? [String: Any])
        #expect(unknown["cu"] as? String == "http://car1.local:8080/" && unknown["sw"] == nil)
        #expect((unknown["mdl"] as? String)?.contains("1.2.3") == true)
        let known = script.openLink() + script.frame(Script.position()) + script.wait(1)
        #expect((try device(known)["dev"] as? [String: Any])?["sw"] as? String == "3.10")
        #expect((script.closeLink() + script.wait(300)).messages(on: "/config").isEmpty)
    }

    /// The accuracy of a tracker is at most 100 m. With 78 km the landing point would be "at home".
    @Test func aTrackerIsNeverWiderThanAHundredMetres() throws {
        var values = HomeAssistantValues(Self.options)
        let now = Script().now
        let point = LandingPoint(
            coordinate: Coordinate(latitude: 47, longitude: 8), source: .predicted, at: now, radius50Metres: 31_000,
            radius90Metres: 78_000)
        values.note(.landing(LandingReport(serial: nil, point: point, history: [])), at: now.monotonic)
        let car = CarPosition(
            source: .gpsd, coordinate: point.coordinate, accuracyMetres: 2000, time: now.wall, heardAt: now.monotonic)
        values.note(.chase(ChaseReport(car: car, isSignificantMove: false, at: now)), at: now.monotonic)
        _ = values.refresh(at: now.monotonic)
        let shown = try #require(OutgoingMessage(topic: "", payload: values.payload).object)
        for key in ["landing", "car"] {
            let place = try #require(shown[key] as? [String: Any])
            #expect(place["gps_accuracy"] as? Int == 100, "\(key)")
        }
        #expect((shown["landing"] as? [String: Any])?["error_radius_90_m"] as? Double == 78_000)
        #expect(shown["landing_radius_m"] as? Double == 78_000)
    }

    /// The heading, and with old firmware the vertical speed, come from the track, because the receiver does not send
    /// them.
    @Test func theHeadingIsTheTracksCourse() throws {
        var script = Script(ownTracks: OwnTracksOptions(user: "sonde", device: "car1"), homeAssistant: Self.options)
        script.connect()
        var outcome = Script.Outcome()
        for second in 0..<60 {
            // To the east.
            let longitude = 8.54 + Double(second) * 4e-4
            outcome += script.frame(
                "1/RS41/403.500/V4210150/47.38/\(longitude)/\(500 + 5 * second)/100/5/117.5/100/0/0/0/4274/0/0/0/0/3.10/o"
            )
            outcome += script.wait(1)
        }
        let heading = try #require(outcome.objects(on: "/homeassistant/state").last?["heading_deg"] as? Double)
        #expect(abs(heading - 90) < 1)
        let course = try #require(outcome.objects(on: "owntracks/sonde/car1").last?["cog"] as? Int)
        #expect(course == 90)
        // The position itself is published as the receiver sent it.
        #expect(outcome.positions.allSatisfy { $0.headingDegrees == nil })
    }
}
